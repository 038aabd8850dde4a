import { randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { ConfigError } from '../../config-error.js';

const linkUnsupported = new Set(['EPERM', 'ENOTSUP', 'ENOSYS']);

// No backup writes nothing for as long.
const abandonedAfterMs = 12 * 60 * 60_000;
const scratchFolder = /shorty-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Runs `work` with a new folder whose path begins with `prefix`, and deletes the folder. A process that
 * is killed leaves it, and a later one deletes it.
 */
export async function withScratchFolder<T>(
  prefix: string,
  work: (folder: string) => T | Promise<T>,
): Promise<T> {
  const folder = `${prefix}shorty-${randomUUID()}`;
  deleteAbandonedFolders(dirname(folder), Date.now());
  mkdirSync(folder, { mode: 0o700 });
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Deletes what killed processes have left: scratch folders in which nothing was written for long. */
export function deleteAbandonedFolders(parent: string, now: number): void {
  for (const name of readdirSync(parent)) {
    if (!scratchFolder.test(name)) continue;
    const folder = join(parent, name);
    try {
      const files = readdirSync(folder).map((file) => join(folder, file));
      const writtenAt = Math.max(...[folder, ...files].map((path) => statSync(path).mtimeMs));
      if (now - writtenAt > abandonedAfterMs) rmSync(folder, { recursive: true });
    } catch {
      // Its process has just deleted it, or another user owns it.
    }
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
    if (code === 'EEXIST') requireNewPaths([to]);
    if (!linkUnsupported.has(code)) throw error;
    requireNewPaths([to]);
    renameSync(from, to);
  }
  sync(dirname(to));
}

/** Throws unless files or folders can be created at these paths. */
export function requireNewPaths(paths: readonly string[], remedy = ''): void {
  const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory();
  const missing = paths.map((path) => dirname(path)).find((path) => !isFolder(path));
  if (missing !== undefined) {
    throw new ConfigError(`there is no folder ${missing}: create it, or choose another path`);
  }
  const existing = paths.filter((path) => existsSync(path));
  if (existing.length === 0) return;
  const verb = existing.length === 1 ? 'exists' : 'exist';
  throw new ConfigError(`${existing.join(', ')} already ${verb}; nothing is overwritten${remedy}`);
}

function sync(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
