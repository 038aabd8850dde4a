import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { ConfigError } from '../../config-error.js';

const linkUnsupported = new Set(['EPERM', 'ENOTSUP', 'ENOSYS']);

/** Runs `work` with a new folder whose path begins with `prefix`, and deletes the folder. */
export async function withScratchFolder<T>(
  prefix: string,
  work: (folder: string) => T | Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(prefix);
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Moves a finished file to its final name atomically and durably. Never overwrites a file. Both names
 * must be on the same file system.
 */
export function moveIntoPlace(from: string, to: string): void {
  sync(from);
  try {
    // Unlike a rename, a link fails if the target exists.
    linkSync(from, to);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') refuseToOverwrite([to]);
    if (!linkUnsupported.has(code)) throw error;
    refuseToOverwrite([to]);
    renameSync(from, to);
  }
  sync(dirname(to));
}

/** Replaces a file by a finished one atomically and durably. Both must be on the same file system. */
export function replaceFile(from: string, to: string): void {
  sync(from);
  renameSync(from, to);
  sync(dirname(to));
}

/** Throws a ConfigError that names the paths that exist. */
export function refuseToOverwrite(paths: readonly string[]): void {
  const existing = paths.filter((path) => existsSync(path));
  if (existing.length === 0) return;
  const verb = existing.length === 1 ? 'exists' : 'exist';
  throw new ConfigError(`${existing.join(', ')} already ${verb}; nothing is overwritten`);
}

function sync(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
