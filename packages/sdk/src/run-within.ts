import { onAbort } from './on-abort.js';
import type { Ports } from './ports.js';

export interface Limits {
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number;
  readonly createTimeoutError: () => Error;
}

/**
 * Runs work with a signal that is aborted by the caller's signal or by a timer. Rejects as soon as it
 * is aborted, even if the work ignores the signal.
 */
export async function runWithin<T>(
  { signal, timeoutMs, createTimeoutError }: Limits,
  ports: Ports,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const stopTimer = ports.startTimer(timeoutMs, () => controller.abort(createTimeoutError()));
  const stopListening = signal && onAbort(signal, () => controller.abort(signal.reason));
  try {
    return await settleOrAbort(work(controller.signal), controller.signal);
  } finally {
    stopTimer();
    stopListening?.();
  }
}

/** Settles like the promise, or rejects with the signal's reason as soon as it is aborted. */
export function settleOrAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = onAbort(signal, () => reject(signal.reason));
    promise.then(resolve, reject).finally(end);
  });
}

/** Waits for `delayMs`. Rejects with the signal's reason when it is aborted. */
export function wait(delayMs: number, signal: AbortSignal, ports: Ports): Promise<void> {
  let stopTimer: () => void;
  const elapsed = new Promise<void>((resolve) => {
    stopTimer = ports.startTimer(delayMs, resolve);
  });
  return settleOrAbort(elapsed, signal).finally(() => stopTimer());
}
