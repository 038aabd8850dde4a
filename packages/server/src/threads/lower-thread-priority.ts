import { spawnSync } from 'node:child_process';
import { readlinkSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { basename } from 'node:path';

/**
 * Gives this thread the lowest priority and, on Linux, moves it to the idle scheduling class. The
 * lowest priority alone lets a thread finish its time slice of some milliseconds while the redirect
 * thread waits; a thread of the idle class is preempted at once. Node has no call for the class, so
 * `chrt` sets it. Without `chrt` the priority remains. Elsewhere than on Linux a priority belongs to
 * the whole process, so nothing changes there.
 */
export function lowerThreadPriority(): void {
  if (process.platform !== 'linux') return;
  setPriority(constants.priority.PRIORITY_LOW);
  // The link names the thread that reads it.
  const threadId = basename(readlinkSync('/proc/thread-self'));
  spawnSync('chrt', ['--idle', '--pid', '0', threadId], { stdio: 'ignore' });
}
