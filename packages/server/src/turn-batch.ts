/**
 * Collects what comes within one turn of the event loop and hands it over as one, when everything
 * that had arrived with it has been read. Answers that leave one behind the other wake the receiving
 * side once; spread among the reading of requests, each wakes it again and costs a third more.
 */
export class TurnBatch<T> {
  readonly #handOver: (items: readonly T[]) => void;
  #items: T[] = [];

  constructor(handOver: (items: readonly T[]) => void) {
    this.#handOver = handOver;
  }

  add(item: T): void {
    if (this.#items.push(item) === 1) setImmediate(this.flush);
  }

  /** Hands over now what has come so far. */
  readonly flush = (): void => {
    const items = this.#items;
    if (items.length === 0) return;
    this.#items = [];
    this.#handOver(items);
  };
}
