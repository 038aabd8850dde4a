const waiting = new WeakMap<AbortSignal, Set<() => void>>();

function callAll(this: AbortSignal): void {
  for (const callback of waiting.get(this) ?? []) callback();
}

/**
 * Calls back when the signal is aborted, or at once if it is. A callback is registered once, and must
 * not throw, since it would stop the others. Returns a function that ends this.
 *
 * A program may use one signal for many calls, and Node warns of more than ten listeners. So all
 * callbacks of a signal share one, which is removed with the last of them.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  const callbacks = waiting.get(signal) ?? new Set();
  waiting.set(signal, callbacks.add(callback));
  if (signal.aborted) callback();
  // Adding the same function again has no effect.
  signal.addEventListener('abort', callAll);
  return () => {
    callbacks.delete(callback);
    if (!callbacks.size) signal.removeEventListener('abort', callAll);
  };
}
