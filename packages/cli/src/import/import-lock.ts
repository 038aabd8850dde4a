import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { CliError, systemErrorCode } from '../cli-error.js';

/** Acquires the lock of an import and returns the function that releases it. */
export async function acquireLock(path: string): Promise<() => Promise<void>> {
  // link() makes the complete file visible in one step, so no process reads a partial lock.
  const temporary = `${path}.${process.pid}.${randomUUID()}`;
  await writeFile(temporary, JSON.stringify({ pid: process.pid, host: hostname() }), {
    mode: 0o600,
  });
  try {
    for (let attempt = 0; attempt < 5; attempt++) {
      if (await tryLink(temporary, path)) return () => rm(path, { force: true });
      const held = await readLock(path);
      if (held === undefined) continue;
      refuseLiveHolder(held, path);
      await removeStale(path, held);
    }
  } finally {
    await rm(temporary, { force: true });
  }
  throw new CliError(
    `could not acquire the lock ${path}: other imports of this file keep taking it; try again`,
  );
}

async function tryLink(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

function refuseLiveHolder(text: string, path: string): void {
  const holder = parseHolder(text);
  // A lock with our own pid is from an earlier process, for example after a container restart.
  if (!holder || (holder.host === hostname() && !isAlive(holder.pid))) return;
  const where = holder.host === hostname() ? '' : ` on ${holder.host}`;
  throw new CliError(`process ${holder.pid}${where} is importing this file`, {
    code: 'IMPORT_RUNNING',
    hint: `wait until it ends; if the process does not exist, delete ${path}`,
  });
}

function isAlive(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemErrorCode(error) === 'EPERM';
  }
}

// Two processes can find the same stale lock. The rename shows which lock was removed. If it was a
// new lock, this function restores it.
async function removeStale(path: string, stale: string): Promise<void> {
  const aside = `${path}.${process.pid}.stale`;
  try {
    await rename(path, aside);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return;
    throw error;
  }
  if ((await readLock(aside)) !== stale) await tryLink(aside, path);
  await rm(aside, { force: true });
}

async function readLock(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function parseHolder(text: string): { pid: number; host: string } | undefined {
  try {
    const holder: unknown = JSON.parse(text);
    if (typeof holder !== 'object' || holder === null) return undefined;
    if (!('pid' in holder && typeof holder.pid === 'number')) return undefined;
    if (!('host' in holder && typeof holder.host === 'string')) return undefined;
    return { pid: holder.pid, host: holder.host };
  } catch {
    // Another program wrote the file, so no import holds the lock.
    return undefined;
  }
}
