import type { Clock } from '../../ports.js';
import { dayMs } from '../reports/report-window.js';
import type { ChunkRepository } from './chunk-repository.js';

export interface VisitPrunerOptions {
  readonly chunks: ChunkRepository;
  readonly clock: Clock;
  /** Visits are kept for so many days; undefined keeps them for ever. */
  readonly retentionDays: number | undefined;
}

// Links in one transaction: while it runs, nobody else writes.
const linksAtOnce = 100;

/** Turns visits that have been kept long enough into a summary of their day, and forgets them. */
export class VisitPruner {
  readonly #options: VisitPrunerOptions;

  constructor(options: VisitPrunerOptions) {
    this.#options = options;
  }

  /** How many links had visits that are forgotten now. */
  async runOnce(): Promise<number> {
    const { chunks, clock, retentionDays } = this.#options;
    if (retentionDays === undefined) return 0;
    // Whole days, so that each is summed up once.
    const before = Math.floor((clock() - retentionDays * dayMs) / dayMs) * dayMs;
    let pruned = 0;
    for (let last = 0; ; ) {
      const urlIds = await chunks.listUrlsBefore(before, last, linksAtOnce);
      await chunks.prune(urlIds, before);
      pruned += urlIds.length;
      if (urlIds.length < linksAtOnce) break;
      last = urlIds.at(-1) as number;
    }
    await chunks.dropEmptyPartitions(before);
    return pruned;
  }
}
