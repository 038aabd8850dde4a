import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { CliError } from './cli-error.js';

/** Creates or replaces a file atomically. Replaces a symbolic link instead of following it. */
export async function writeFileAtomically(
  path: string,
  bytes: Uint8Array,
  mode = 0o666,
): Promise<void> {
  const target = resolve(path);
  const temporary = `${target}.${randomUUID().slice(0, 8)}.part`;
  try {
    // 'wx' fails when the temporary file exists, so that this does not follow a link either.
    const file = await open(temporary, 'wx', mode);
    try {
      await file.writeFile(bytes);
    } finally {
      await file.close();
    }
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw new CliError(`${path} cannot be written: ${(error as Error).message}`, { cause: error });
  }
}
