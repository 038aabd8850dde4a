import type { Clock } from '../../ports.js';

const slowMs = 500;
const rememberedMs = 60_000;
const maxOverviews = 32;

/** Remembers overviews that took long, for a minute. An overview says until when it has counted. */
export class OverviewMemory<Overview> {
  readonly #clock: Clock;
  readonly #overviews = new Map<string, { readonly overview: Overview; readonly readAt: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns the remembered overview of a key, or reads it. */
  async read(key: string, read: () => Promise<Overview>): Promise<Overview> {
    const now = this.#clock();
    const known = this.#overviews.get(key);
    if (known && now < known.readAt + rememberedMs) return known.overview;
    this.#overviews.delete(key);
    const overview = await read();
    if (this.#clock() - now <= slowMs) return overview;
    const [oldest] = this.#overviews.keys();
    if (oldest !== undefined && this.#overviews.size >= maxOverviews) {
      this.#overviews.delete(oldest);
    }
    this.#overviews.set(key, { overview, readAt: now });
    return overview;
  }
}
