import { spawnSync } from 'node:child_process';
import { readlinkSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { basename } from 'node:path';

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
 * thread's own; elsewhere it would be the whole process's. But even with the lowest priority a
 * thread first ends its slice of some milliseconds, and the thread that redirects waits: so it is
 * moved to the idle class, too, which is interrupted at once. Node has no call for that. Where there
 * is no `chrt`, which comes with every usual distribution, the priority has to do.
 */
export function giveWayAlways(): void {
  if (process.platform !== 'linux') return;
  setPriority(constants.priority.PRIORITY_LOW);
  // Names the thread that reads it.
  const threadId = basename(readlinkSync('/proc/thread-self'));
  spawnSync('chrt', ['--idle', '--pid', '0', threadId], { stdio: 'ignore' });
}
