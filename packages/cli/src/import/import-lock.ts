import { lock } from 'proper-lockfile';
import { CliError, systemErrorCode } from '../cli-error.js';

// The lock of a process that was killed is free after this time.
const staleAfterMs = 5_000;
const heartbeatMs = 1_000;
const retryEveryMs = 250;
const maxRetries = (staleAfterMs + 2 * heartbeatMs) / retryEveryMs;

export interface LockOptions {
  /** Called when another process holds the lock, before this one waits for some seconds. */
  readonly onWait: () => void;
  /** Called when the lock was lost, for example while the process was suspended. */
  readonly onLost: (error: CliError) => void;
}

/**
 * Acquires the lock of an import and returns the function that releases it. A heartbeat keeps the lock,
 * because process numbers and host names do not identify a process that has ended.
 */
export async function acquireLock(
  path: string,
  { onWait, onLost }: LockOptions,
): Promise<() => Promise<void>> {
  let isLost = false;
  const tryLock = async (retries: number) => {
    const release = await lock(path, {
      lockfilePath: path,
      realpath: false,
      stale: staleAfterMs,
      update: heartbeatMs,
      retries: { retries, factor: 1, minTimeout: retryEveryMs, maxTimeout: retryEveryMs },
      onCompromised: () => {
        isLost = true;
        onLost(lockLost());
      },
    });
    // A lock that was lost may belong to another process now.
    return () => (isLost ? Promise.resolve() : release());
  };
  try {
    return await tryLock(0);
  } catch (error) {
    if (!isLocked(error)) throw error;
  }
  onWait();
  try {
    return await tryLock(maxRetries);
  } catch (error) {
    if (!isLocked(error)) throw error;
    throw new CliError('another process is importing this file', {
      code: 'IMPORT_RUNNING',
      hint: 'wait until it ends, then run the same command again',
    });
  }
}

function isLocked(error: unknown): boolean {
  return systemErrorCode(error) === 'ELOCKED';
}

function lockLost(): CliError {
  return new CliError('this process was suspended, and another one may import the file now', {
    code: 'IMPORT_RUNNING',
    hint: 'run the same command again; it creates no link twice',
  });
}
