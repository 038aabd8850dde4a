import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { UsageError } from './cli-error.js';
import type { Context } from './context.js';

/** Reads a file, or stdin for `-`. Throws a UsageError that names the file. */
export async function readInput({ io }: Context, path: string): Promise<Buffer> {
  if (path === '-') return buffer(io.stdin);
  try {
    return await readFile(path);
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${(error as Error).message}`);
  }
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
