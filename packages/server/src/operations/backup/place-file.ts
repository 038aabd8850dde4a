import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { ConfigError } from '../../config-error.js';

const withoutLinks = new Set(['EPERM', 'ENOTSUP', 'ENOSYS']);

/**
 * Gives a finished file its name, whole and on the disk, and never in the place of another file. The
 * file must lie on the same file system.
 */
export function placeFile(from: string, to: string): void {
  sync(from);
  try {
    // Unlike a rename, a link fails where something is already.
    linkSync(from, to);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') refuseToOverwrite([to]);
    if (!withoutLinks.has(code)) throw error;
    refuseToOverwrite([to]);
    renameSync(from, to);
  }
  sync(dirname(to));
}

/** Throws a ConfigError that names what is there already. */
export function refuseToOverwrite(paths: readonly string[]): void {
  const taken = paths.filter((path) => existsSync(path));
  if (taken.length === 0) return;
  const are = taken.length === 1 ? 'exists' : 'exist';
  throw new ConfigError(`${taken.join(', ')} ${are} already; nothing is overwritten`);
}

function sync(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
