import { readFileSync } from 'node:fs';

// The rest is for files and outgoing connections.
const connectionShare = 0.8;

/** Returns how many connections the server accepts, within the limit on open files. */
export function affordableConnections(wanted: number): number {
  return Math.min(
    wanted,
    Math.floor((maxOpenFiles() ?? Number.POSITIVE_INFINITY) * connectionShare),
  );
}

/** Returns the limit on open files and sockets of this process, or undefined when it is unknown. */
export function maxOpenFiles(): number | undefined {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    const [, soft] = /^Max open files\s+(\d+)/m.exec(limits) ?? [];
    return soft === undefined ? undefined : Number(soft);
  } catch (error) {
    // Only Linux has this file.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
