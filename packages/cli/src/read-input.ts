import { readFile } from 'node:fs/promises';
import { UsageError } from './cli-error.js';
import type { Context } from './context.js';

const bytesPerMegabyte = 1024 * 1024;

/**
 * Reads a file, or stdin for `-`, as bytes. Throws a UsageError that names the file, or `subject` if
 * stdin has more than `maxMegabytes`.
 */
export async function readInput(
  { io }: Context,
  path: string,
  { subject, maxMegabytes }: { readonly subject: string; readonly maxMegabytes: number },
): Promise<Buffer> {
  if (path !== '-') {
    try {
      return await readFile(path);
    } catch (error) {
      throw new UsageError(`${path} cannot be read: ${(error as Error).message}`);
    }
  }
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of io.stdin) {
    const bytes = Buffer.from(chunk as Uint8Array | string);
    length += bytes.length;
    if (length > maxMegabytes * bytesPerMegabyte) {
      throw new UsageError(`${subject} on stdin must be at most ${maxMegabytes} MB`);
    }
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}
