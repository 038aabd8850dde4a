/**
 * Returns the options of an LRUCache that limit its entries to `max`. With its own option `max`, the
 * cache allocates lists of that length at once: 2 MB for 100,000 entries.
 */
export function entryLimit(max: number) {
  return { maxSize: max, sizeCalculation: () => 1 };
}
