import { randomUUID } from 'node:crypto';
import { access, open, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { CliError, describeWriteError, UsageError } from './cli-error.js';

/** Throws a UsageError if the folder of a file does not exist, before work that cannot be undone. */
export async function requireFolderOf(path: string): Promise<void> {
  try {
    await access(dirname(resolve(path)));
  } catch (error) {
    throw new UsageError(describeWriteError(path, error));
  }
}

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
    throw new CliError(describeWriteError(path, error), { cause: error });
  }
}
