import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { CliError } from '../cli-error.js';

/**
 * Writes a file that is there whole or not at all. A symbolic link of its name is replaced, never
 * followed.
 */
export async function writeWhole(path: string, bytes: Uint8Array): Promise<void> {
  const target = resolve(path);
  const draft = `${target}.${randomUUID().slice(0, 8)}.part`;
  try {
    // Exclusively: a link that somebody laid there is not followed either.
    const file = await open(draft, 'wx');
    try {
      await file.writeFile(bytes);
    } finally {
      await file.close();
    }
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { force: true });
    throw new CliError(`${path} cannot be written: ${(error as Error).message}`, { cause: error });
  }
}
