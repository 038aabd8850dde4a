const firstMs = 100;
const maxMs = 10_000;
// A process that has lived this long was not ended by how it starts.
export const soundAfterMs = 30_000;

/** Milliseconds before a process is started again that ended so many times in a row, each soon. */
export function restartDelayMs(soonEnds: number): number {
  return Math.min(firstMs * 2 ** soonEnds, maxMs);
}
