import { readFileSync } from 'node:fs';

// The rest is for files, and for what the server connects to.
const connectionShare = 0.8;

/** As many connections as are wanted, and as the system lets this process have. */
export function affordableConnections(wanted: number): number {
  return Math.min(
    wanted,
    Math.floor((maxOpenFiles() ?? Number.POSITIVE_INFINITY) * connectionShare),
  );
}

/** Files and sockets that this process may have open at once; undefined where that is not told. */
export function maxOpenFiles(): number | undefined {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    const [, soft] = /^Max open files\s+(\d+)/m.exec(limits) ?? [];
    return soft === undefined ? undefined : Number(soft);
  } catch (error) {
    // Only Linux tells it like this.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
