import { readFile } from 'node:fs/promises';
import { UsageError } from './cli-error.js';
import type { Context } from './context.js';

const bytesPerMegabyte = 1024 * 1024;

/** Reads a file, or stdin for `-`. Throws a UsageError that names it, also if stdin is larger than 16 MB. */
export async function readInput({ io }: Context, path: string): Promise<Buffer> {
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
    if (length > 16 * bytesPerMegabyte) throw new UsageError('stdin must be at most 16 MB');
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

/** Reads a file, or stdin for `-`, and parses its JSON. */
export async function readJson(context: Context, path: string): Promise<unknown> {
  const text = (await readInput(context, path)).toString('utf8');
  try {
    return JSON.parse(text);
  } catch (error) {
    const name = path === '-' ? 'stdin' : path;
    throw new UsageError(`${name} is no JSON: ${(error as Error).message}`);
  }
}
