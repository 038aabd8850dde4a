import { readdirSync, readFileSync } from 'node:fs';

export interface Child {
  readonly pid: number;
  /** `worker 1`, `worker 2`, …, `keeper keeper`. */
  readonly name: string;
}

/** The living children of a process that its supervisor has started; Linux's /proc tells. */
export function childrenOf(pid: number): Child[] {
  const children: Child[] = [];
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const child = Number(entry);
    if (parentOf(child) !== pid) continue;
    const words = readOf(child, 'cmdline').split('\0').filter(Boolean);
    if (words.some((word) => word.endsWith('server-worker.js'))) {
      children.push({ pid: child, name: words.slice(-2).join(' ') });
    }
  }
  return children.sort((a, b) => a.name.localeCompare(b.name));
}

/** Whether a process runs; one that has ended and was not waited for does not. */
export function isAlive(pid: number): boolean {
  const stat = readOf(pid, 'stat');
  return stat !== '' && stat.slice(stat.lastIndexOf(')') + 2)[0] !== 'Z';
}

function parentOf(pid: number): number {
  const stat = readOf(pid, 'stat');
  // The second field is a name, which may hold spaces; the parent is the fourth.
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

/** Nothing of a process that has ended meanwhile. */
function readOf(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes(String((error as NodeJS.ErrnoException).code))) return '';
    throw error;
  }
}
