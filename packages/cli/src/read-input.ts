import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { UsageError } from './cli-error.js';
import type { Details } from './command.js';
import type { Context } from './context.js';

/** Reads a file, or stdin for `-`. Throws a UsageError that names the file. */
export async function readBytes({ io }: Context, path: string): Promise<Buffer> {
  if (path === '-') return buffer(io.stdin);
  try {
    return await readFile(path);
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${(error as Error).message}`);
  }
}

/** Reads a file, or stdin for `-`, and parses its JSON. */
export async function readJson(
  context: Context,
  path: string,
  form?: Details['json'],
): Promise<unknown> {
  const text = (await readBytes(context, path)).toString('utf8');
  const name = path === '-' ? 'stdin' : path;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${name} is no JSON: ${(error as Error).message}`);
  }
  if (typeof form !== 'object' || Array.isArray(value)) return value;
  throw new UsageError(`${name}: must be a JSON list of ${form.listOf}`);
}
