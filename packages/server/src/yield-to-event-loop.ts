/**
 * Lets the event loop turn once. A redirect takes a twentieth of a millisecond and must not wait for
 * the whole of a long computation, so long computations call this between their parts.
 */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
