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
export function runWithin<T>(
  { signal, timeoutMs, createTimeoutError }: Limits,
  ports: Ports,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  // Each listener and each promise here would be paid for by every call, so there is one of each.
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const controller = new AbortController();
    const abort = (reason: unknown) => {
      fail(reason);
      controller.abort(reason);
    };
    const fail = (reason: unknown) => {
      end();
      reject(reason);
    };
    const onAbort = () => abort(signal?.reason);
    signal?.addEventListener('abort', onAbort);
    const stopTimer = ports.startTimer(timeoutMs, () => abort(createTimeoutError()));
    const end = () => {
      stopTimer();
      // A caller may use one signal for many requests, so listeners must not accumulate.
      signal?.removeEventListener('abort', onAbort);
    };
    work(controller.signal).then((value) => {
      end();
      resolve(value);
    }, fail);
  });
}

/** Settles like the promise, or rejects with the signal's reason as soon as it is aborted. */
export function settleOrAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
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
