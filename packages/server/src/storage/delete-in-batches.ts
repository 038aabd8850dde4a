import { yieldToEventLoop } from '../yield-to-event-loop.js';

/** The maximum number of rows in a batch. Limits how long a write blocks the event loop. */
export const deleteBatchSize = 500;

/**
 * Calls `deleteBatch` until no rows are left or the signal aborts. It must delete up to
 * `deleteBatchSize` rows in a write of its own and return their number. Redirects are served between
 * batches.
 */
export async function deleteInBatches(
  deleteBatch: () => Promise<number>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted && (await deleteBatch()) === deleteBatchSize) await yieldToEventLoop();
}
