/**
 * Collects what comes within one turn of the event loop and hands it over as one, when everything
 * that had arrived with it has been read.
 */
export class TurnBatch<T> {
  readonly #handOver: (items: readonly T[]) => void;
  #items: T[] = [];

  constructor(handOver: (items: readonly T[]) => void) {
    this.#handOver = handOver;
  }

  add(item: T): void {
    if (this.#items.push(item) === 1) setImmediate(this.#run);
  }

  readonly #run = (): void => {
    const items = this.#items;
    this.#items = [];
    this.#handOver(items);
  };
}
