import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ConfigError } from '../../config-error.js';

const linkUnsupported = new Set(['EPERM', 'ENOTSUP', 'ENOSYS']);

/** Runs `work` with a new folder whose path begins with `prefix`, and deletes the folder. */
export async function withScratchFolder<T>(
  prefix: string,
  work: (folder: string) => T | Promise<T>,
): Promise<T> {
  const folder = `${prefix}${randomUUID()}`;
  // Before the folder exists, so that a signal at any moment leaves nothing.
  const release = deleteAtEnd(folder);
  try {
    mkdirSync(folder, { mode: 0o700 });
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
    release();
  }
}

/**
 * Lets another process delete the folder if this one is killed or interrupted. A handler of signals would
 * not do: it waits for the statement that copies the database. Returns the function that ends the process.
 */
function deleteAtEnd(folder: string): () => void {
  const program = `process.stdin.on('end', () => {
    require('node:fs').rmSync(process.argv[1], { recursive: true, force: true });
  }).resume()`;
  const child = spawn(process.execPath, ['-e', program, resolve(folder)], {
    // Ctrl-C is sent to all processes of a terminal but those.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: {},
  });
  // Without the process, a folder remains after a kill.
  child.on('error', () => {});
  child.stdin.on('error', () => {});
  child.unref();
  return () => {
    child.kill();
    child.stdin.destroy();
  };
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
