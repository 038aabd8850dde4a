/**
 * Counts distinct keys of 64 bits, exactly. An open table of numbers: a JavaScript Set would take
 * ten times as long and five times the memory. The keys are hashes, so that their own bits say where
 * they belong; a key of zeros stands for none and is not counted. Signed numbers, as V8 has no cheap
 * ones above 2³¹.
 */
export class DistinctKeys {
  readonly #tables: KeyTables;
  #slots: Int32Array;
  #mask: number;
  #count = 0;

  /** `expected` saves growing; there may be more. */
  constructor(expected: number, tables: KeyTables) {
    const size = 2 ** Math.ceil(Math.log2(Math.max(8, expected * 2)));
    this.#tables = tables;
    this.#slots = tables.take(size * 2);
    this.#mask = size - 1;
  }

  get count(): number {
    return this.#count;
  }

  /** Whether the key was not there before. */
  add(high: number, low: number): boolean {
    if (high === 0 && low === 0) return false;
    const slots = this.#slots;
    let at = low & this.#mask;
    for (;;) {
      const foundHigh = slots[at * 2] as number;
      const foundLow = slots[at * 2 + 1] as number;
      if (foundHigh === high && foundLow === low) return false;
      if (foundHigh === 0 && foundLow === 0) break;
      at = (at + 1) & this.#mask;
    }
    slots[at * 2] = high;
    slots[at * 2 + 1] = low;
    this.#count += 1;
    if (this.#count * 2 > this.#mask) this.#grow();
    return true;
  }

  /** Gives its memory back; it must not be used any more. */
  release(): void {
    this.#tables.giveBack(this.#slots);
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = this.#tables.take(before.length * 2);
    this.#mask = this.#slots.length / 2 - 1;
    this.#count = 0;
    for (let at = 0; at < before.length; at += 2) {
      this.add(before[at] as number, before[at + 1] as number);
    }
    this.#tables.giveBack(before);
  }
}

// 16 MB.
const maxKept = 4 * 1024 * 1024;

/**
 * Tables to be used again. To clear one takes a tenth of the time that the system takes to hand out
 * fresh memory, page by page.
 */
export class KeyTables {
  readonly #free = new Map<number, Int32Array[]>();
  #kept = 0;

  /** A table of zeros. */
  take(length: number): Int32Array {
    const table = this.#free.get(length)?.pop();
    if (!table) return new Int32Array(length);
    this.#kept -= length;
    return table.fill(0);
  }

  giveBack(table: Int32Array): void {
    if (this.#kept + table.length > maxKept) return;
    this.#kept += table.length;
    const alike = this.#free.get(table.length);
    if (alike) alike.push(table);
    else this.#free.set(table.length, [table]);
  }
}
