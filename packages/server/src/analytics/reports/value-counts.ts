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

  /** Returns the entries with the largest counts; equal counts in ascending order of their values. */
  largest(limit: number): [Value, number][] {
    const largest = new LargestCounts<Value>(limit);
    for (const [value, count] of this.#counts) largest.add(value, count);
    return largest.finish();
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

/** Selects the largest counts; equal counts in ascending order of their values. */
export class LargestCounts<Value extends string | number> {
  readonly #limit: number;
  #entries: [Value, number][] = [];
  /** A smaller count is not among the largest. */
  #least = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(value: Value, count: number): void {
    if (count < this.#least) return;
    this.#entries.push([value, count]);
    // Sorts a few entries at a time: a sort of all would compare many equal counts by their texts.
    if (this.#entries.length < 2 * this.#limit + 1_000) return;
    this.#entries = this.finish();
    this.#least = this.#entries.at(-1)?.[1] ?? 0;
  }

  finish(): [Value, number][] {
    return this.#entries.sort(byCount).slice(0, this.#limit);
  }
}

function byCount<Value extends string | number>(
  [a, one]: readonly [Value, number],
  [b, other]: readonly [Value, number],
): number {
  return other - one || (a < b ? -1 : 1);
}
