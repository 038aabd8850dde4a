import type { Clock } from '../../ports.js';
import { dayMs } from '../reports/report-window.js';
import type { ChunkRepository } from './chunk-repository.js';

export interface VisitPrunerOptions {
  readonly chunks: ChunkRepository;
  readonly clock: Clock;
  /** How long visits are stored. When undefined, they are stored for ever. */
  readonly retentionDays: number | undefined;
}

// The number of URLs per transaction. On SQLite, a transaction blocks all other writes.
const urlsPerTransaction = 100;

/** Replaces visits that are older than the retention period by daily reports. */
export class VisitPruner {
  readonly #options: VisitPrunerOptions;

  constructor(options: VisitPrunerOptions) {
    this.#options = options;
  }

  /** Returns the number of URLs whose visits were pruned. */
  async prune(): Promise<number> {
    const { chunks, clock, retentionDays } = this.#options;
    if (retentionDays === undefined) return 0;
    // Only entire days are pruned.
    const before = Math.floor((clock() - retentionDays * dayMs) / dayMs) * dayMs;
    let pruned = 0;
    for (let last = 0; ; ) {
      const urlIds = await chunks.listUrlsBefore(before, last, urlsPerTransaction);
      await chunks.prune(urlIds, before);
      pruned += urlIds.length;
      if (urlIds.length < urlsPerTransaction) break;
      last = urlIds.at(-1) as number;
    }
    await chunks.dropEmptyPartitions(before);
    return pruned;
  }
}
