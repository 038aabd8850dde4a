// A breakdown with this many texts of 253 characters needs less than 100 MB.
const defaultMaxValues = 250_000;

/**
 * Counts how often values occur, in bounded memory (the Misra-Gries algorithm). Beyond `maxValues`
 * it drops rare values. A second pass over the same values then counts the others exactly. A value
 * is missing only if its share of all occurrences is at most 2 ÷ `maxValues`.
 */
export class ValueCounts<Value extends string | number> {
  readonly #maxValues: number;
  #counts = new Map<Value, number>();
  readonly #proven = new Map<Value, number>();
  #hasDropped = false;
  #pass: 'first' | 'second' | 'done' = 'first';

  constructor(maxValues = defaultMaxValues) {
    this.#maxValues = maxValues;
  }

  /** `proven` is the number of these occurrences that are proven scans. */
  add(value: Value, count: number, proven = 0): void {
    if (this.#pass === 'done') return;
    const before = this.#counts.get(value);
    if (before === undefined && this.#pass === 'second') return;
    this.#counts.set(value, (before ?? 0) + count);
    if (proven > 0) this.#proven.set(value, this.provenOf(value) + proven);
    if (this.#counts.size > this.#maxValues) this.#dropRareValues();
  }

  /** Returns false when the counts are exact. If true, the caller must add all values again. */
  startSecondPass(): boolean {
    const isNecessary = this.#pass === 'first' && this.#hasDropped;
    this.#pass = isNecessary ? 'second' : 'done';
    if (isNecessary) {
      for (const value of this.#counts.keys()) this.#counts.set(value, 0);
      this.#proven.clear();
    }
    return isNecessary;
  }

  provenOf(value: Value): number {
    return this.#proven.get(value) ?? 0;
  }

  largest(limit: number): [Value, number][] {
    return largestCounts(this.#counts, limit);
  }

  /** Subtracts the median of all counts from each count, and drops values whose count is used up. */
  #dropRareValues(): void {
    const sorted = Float64Array.from(this.#counts.values()).sort();
    const median = sorted[sorted.length >> 1] as number;
    const remaining = new Map<Value, number>();
    for (const [value, count] of this.#counts) {
      if (count > median) remaining.set(value, count - median);
      else this.#proven.delete(value);
    }
    this.#counts = remaining;
    this.#hasDropped = true;
  }
}

/** Returns the entries with the largest counts; equal counts in ascending order of their values. */
export function largestCounts<Value extends string | number>(
  counts: ReadonlyMap<Value, number>,
  limit: number,
): [Value, number][] {
  const largest: [Value, number][] = [];
  for (const entry of counts) {
    const last = largest[limit - 1];
    if (last && byCount(last, entry) < 0) continue;
    const next = largest.findIndex((other) => byCount(entry, other) < 0);
    largest.splice(next < 0 ? largest.length : next, 0, entry);
    if (largest.length > limit) largest.pop();
  }
  return largest;
}

function byCount<Value extends string | number>(
  [a, one]: readonly [Value, number],
  [b, other]: readonly [Value, number],
): number {
  return other - one || (a < b ? -1 : 1);
}
