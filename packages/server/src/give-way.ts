import { constants, setPriority } from 'node:os';

/**
 * Lets what has arrived meanwhile go first. A redirect is done in a twentieth of a millisecond, and
 * should not wait for the whole of a piece of work that takes some; so such work calls this between
 * its parts.
 */
export function giveWay(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * Has this thread work only where nothing else wants the processor. On Linux a priority is the
 * thread's own; elsewhere it would be the whole process's.
 */
export function giveWayAlways(): void {
  if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW);
}
