import { type ExecFileException, execFile } from 'node:child_process';
import { constants, getPriority, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { BackupOptions, BackupResult } from './take-backup.js';

// Tests import the TypeScript sources, which a separate Node process cannot run: use the build.
const isSource = import.meta.url.endsWith('.ts');
const entry = isSource
  ? '../../../dist/operations/backup/backup-process.js'
  : './backup-process.js';

/**
 * Creates a backup in a separate process, because a copy blocks its thread. Rejects when the backup
 * fails, and kills the process when the signal aborts.
 */
export async function runBackupProcess(
  options: BackupOptions,
  signal: AbortSignal,
): Promise<BackupResult> {
  const file = fileURLToPath(new URL(entry, import.meta.url));
  const run = promisify(execFile)(process.execPath, [file, JSON.stringify(options)], {
    // The process needs no secrets.
    env: {},
    signal,
    killSignal: 'SIGKILL',
  });
  const { pid } = run.child;
  const ended = new Promise<void>((resolve) => {
    if (pid === undefined) resolve();
    else run.child.once('exit', () => resolve());
  });
  try {
    // Redirects have priority.
    if (pid !== undefined) lowerPriority(pid);
    return JSON.parse((await run).stdout);
  } catch (error) {
    const { stderr = '', signal: killedBy, message } = error as ExecFileException;
    const reason = killedBy ? `the backup process was ended by ${killedBy}` : message;
    throw new Error(stderr.trim() || reason, { cause: error });
  } finally {
    // An abort rejects before the process has ended.
    await ended;
  }
}

/** Lowers the priority of a process, unless it has ended. */
function lowerPriority(pid: number): void {
  try {
    // A process may not raise its priority.
    setPriority(pid, Math.max(getPriority(pid), constants.priority.PRIORITY_BELOW_NORMAL));
  } catch (error) {
    const isEnded = (error as { info?: { code?: string } }).info?.code === 'ESRCH';
    if (!isEnded) throw error;
  }
}
