import type { Ports } from '../src/ports.js';

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

/** Time and chance in a test's hands: nothing passes and nothing varies unless the test says so. */
export class FakePorts implements Ports {
  /** Every timer that was asked for, stopped ones too, by its milliseconds. */
  readonly delays: number[] = [];
  /** What `random` answers. */
  chance = 0.5;
  readonly #timers = new Set<Timer>();
  #nowMs = 0;
  #keys = 0;

  readonly monotonicMs = () => this.#nowMs;
  readonly epochMs = () => Date.UTC(2030, 0, 1) + this.#nowMs;
  readonly random = () => this.chance;
  readonly newKey = () => `key-${++this.#keys}`;
  readonly startTimer = (delayMs: number, callback: () => void) => {
    const timer = { at: this.#nowMs + delayMs, callback };
    this.delays.push(delayMs);
    this.#timers.add(timer);
    return () => {
      this.#timers.delete(timer);
    };
  };

  /** How many timers run: one that outlives its request keeps a process alive. */
  get running(): number {
    return this.#timers.size;
  }

  /** Lets time pass and runs what is due, in its order. */
  advance(ms: number): void {
    const until = this.#nowMs + ms;
    for (;;) {
      const [next] = [...this.#timers].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at);
      if (!next) break;
      this.#nowMs = next.at;
      this.#timers.delete(next);
      next.callback();
    }
    this.#nowMs = until;
  }
}
