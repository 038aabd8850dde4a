import type { Ports } from '../src/ports.js';

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

/** A fake clock, fake timers and fixed random numbers. Only the test advances the time. */
export class FakePorts implements Ports {
  readonly #timers = new Set<Timer>();
  #nowMs = 0;
  #keys = 0;

  readonly monotonicMs = () => this.#nowMs;
  readonly epochMs = () => Date.UTC(2030, 0, 1) + this.#nowMs;
  readonly random = () => 0.5;
  readonly newKey = () => `key-${++this.#keys}`;
  readonly startTimer = (delayMs: number, callback: () => void) => {
    const timer = { at: this.#nowMs + delayMs, callback };
    this.#timers.add(timer);
    return () => {
      this.#timers.delete(timer);
    };
  };

  /** The number of running timers. One that outlives its request keeps a process alive. */
  get running(): number {
    return this.#timers.size;
  }

  /** Advances the time and runs the due timers in order. */
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
