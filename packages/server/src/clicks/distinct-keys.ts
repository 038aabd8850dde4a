/**
 * Counts distinct keys of 64 bits, exactly. An open table of numbers: a JavaScript Set would take
 * ten times as long and five times the memory. The keys are hashes, so that their own bits say where
 * they belong; a key of zeros stands for none and is not counted.
 */
export class DistinctKeys {
  #slots: Uint32Array;
  #mask: number;
  #count = 0;

  /** `expected` saves growing; there may be more. */
  constructor(expected = 8) {
    const size = 2 ** Math.ceil(Math.log2(Math.max(8, expected * 2)));
    this.#slots = new Uint32Array(size * 2);
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

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Uint32Array(before.length * 2);
    this.#mask = this.#slots.length / 2 - 1;
    this.#count = 0;
    for (let at = 0; at < before.length; at += 2) {
      this.add(before[at] as number, before[at + 1] as number);
    }
  }
}
