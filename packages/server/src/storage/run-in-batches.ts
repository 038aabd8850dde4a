import { yieldToEventLoop } from '../yield-to-event-loop.js';

/** The maximum number of rows in a batch. Limits how long a write blocks the event loop. */
export const deleteBatchSize = 500;

/**
 * Calls `runBatch` until no rows are left or the signal aborts. It must change up to `size` rows in a
 * write of its own and return their number. Redirects are served between batches. Returns the number
 * of all rows.
 */
export async function runInBatches(
  size: number,
  runBatch: () => Promise<number>,
  signal?: AbortSignal,
): Promise<number> {
  let total = 0;
  for (let changed = size; changed === size && !signal?.aborted; ) {
    changed = await runBatch();
    total += changed;
    await yieldToEventLoop();
  }
  return total;
}
