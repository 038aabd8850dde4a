import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { CliError, systemErrorCode } from '../cli-error.js';

/** Holds an import for this process; the answer releases it. */
export async function acquireLock(path: string): Promise<() => Promise<void>> {
  // Written aside and linked into place: nobody ever reads a lock that is half written.
  const draft = `${path}.${process.pid}.${randomUUID()}`;
  await writeFile(draft, JSON.stringify({ pid: process.pid, host: hostname() }), { mode: 0o600 });
  try {
    for (let attempt = 0; attempt < 5; attempt++) {
      if (await tryLink(draft, path)) return () => rm(path, { force: true });
      const held = await readLock(path);
      if (held === undefined) continue;
      refuseLiveHolder(held, path);
      await removeStale(path, held);
    }
  } finally {
    await rm(draft, { force: true });
  }
  throw new CliError(`the lock ${path} changes hands all the time; try again`);
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
  // Our own number on a lock is that of a process before us, as in a container after a restart.
  if (!holder || (holder.host === hostname() && !isAlive(holder.pid))) return;
  const where = holder.host === hostname() ? '' : ` on ${holder.host}`;
  throw new CliError(`this file is being imported by process ${holder.pid}${where} now`, {
    code: 'IMPORT_RUNNING',
    hint: `wait for it to end; if there is no such process, remove ${path}`,
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

// Two processes may find the same stale lock. Renaming it away shows which content was really
// taken; a fresh lock that was caught by mistake is put back.
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
    // Not written by us, so nobody of us holds it.
    return undefined;
  }
}
