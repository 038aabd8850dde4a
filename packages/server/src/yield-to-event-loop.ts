import { setImmediate } from 'node:timers/promises';

/**
 * Resolves in the next turn of the event loop. Long computations call it between their parts, so that
 * redirects are served in between.
 */
export const yieldToEventLoop = (): Promise<void> => setImmediate();

const maxSliceMs = 2;

/** Divides long work into slices of two milliseconds, with a turn of the event loop between them. */
export class TimeSlices {
  #startedAt = performance.now();

  get isOver(): boolean {
    return performance.now() - this.#startedAt >= maxSliceMs;
  }

  async next(): Promise<void> {
    await yieldToEventLoop();
    this.#startedAt = performance.now();
  }
}

export async function mapInSlices<Item, Result>(
  items: readonly Item[],
  map: (item: Item, index: number) => Result,
): Promise<Result[]> {
  const slices = new TimeSlices();
  const results: Result[] = [];
  for (const [index, item] of items.entries()) {
    if (slices.isOver) await slices.next();
    results.push(map(item, index));
  }
  return results;
}
