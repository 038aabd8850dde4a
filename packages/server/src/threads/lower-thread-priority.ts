import { spawnSync } from 'node:child_process';
import { readlinkSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { basename } from 'node:path';

/**
 * Gives the calling thread the lowest priority and, on Linux, the idle scheduling class. A thread of
 * low priority still finishes its time slice of some milliseconds while the redirect thread waits. A
 * thread of the idle class is preempted at once. Node cannot set the class, so `chrt` does; without
 * `chrt`, only the priority is lowered. On other systems, a priority belongs to the process, so
 * nothing changes.
 */
export function lowerThreadPriority(): void {
  if (process.platform !== 'linux') return;
  setPriority(constants.priority.PRIORITY_LOW);
  // The symbolic link ends with the id of the thread that reads it.
  const threadId = basename(readlinkSync('/proc/thread-self'));
  spawnSync('chrt', ['--idle', '--pid', '0', threadId], { stdio: 'ignore' });
}
