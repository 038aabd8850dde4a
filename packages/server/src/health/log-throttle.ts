const maxKeys = 100;

interface Entry {
  loggedAt: number;
  /** Events since the last logged line. */
  repeats: number;
}

/** Limits how often repeating events are logged: one line per key and interval. */
export class LogThrottle {
  readonly #intervalMs: number;
  readonly #now: () => number;
  readonly #entries = new Map<string, Entry>();

  constructor(intervalMs: number, now: () => number) {
    this.#intervalMs = intervalMs;
    this.#now = now;
  }

  /** Logs an event with the number of repeats since the last line, or counts it as a repeat. */
  note(key: string, log: (repeats: number) => void): void {
    const now = this.#now();
    const entry = this.#entries.get(key);
    if (entry && now - entry.loggedAt < this.#intervalMs) {
      entry.repeats += 1;
      return;
    }
    this.#entries.delete(key);
    if (this.#entries.size >= maxKeys) {
      this.#entries.delete(this.#entries.keys().next().value as string);
    }
    this.#entries.set(key, { loggedAt: now, repeats: 0 });
    log(entry?.repeats ?? 0);
  }
}
