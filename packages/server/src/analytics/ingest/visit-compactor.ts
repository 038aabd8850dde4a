import type { Clock } from '../../ports.js';
import type {
  Batch,
  ChunkRepository,
  Compaction,
  UrlVisits,
  VisitRef,
} from './chunk-repository.js';

export interface VisitCompactorOptions {
  readonly chunks: ChunkRepository;
  readonly clock: Clock;
}

// A compaction starts when this many visits are in batches, or when a batch reaches this age. Larger
// compactions write fewer chunks per visit.
const visitsPerCompaction = 262_144;
const maxAgeMs = 60_000;
// The number of URLs per transaction. On SQLite, a transaction blocks all other writes.
const urlsPerTransaction = 500;

/**
 * Moves visits from batches, which have visits of many URLs, into chunks, which have visits of one
 * URL. Reports count each visit exactly once at any moment, and a killed compaction continues later.
 */
export class VisitCompactor {
  readonly #chunks: ChunkRepository;
  readonly #clock: Clock;

  constructor({ chunks, clock }: VisitCompactorOptions) {
    this.#chunks = chunks;
    this.#clock = clock;
  }

  /** Compacts the batches that are due. Calls `betweenTransactions` after each transaction. */
  async compact(betweenTransactions: () => Promise<unknown> = async () => {}): Promise<void> {
    const unfinished = await this.#chunks.findCompaction();
    if (unfinished) await this.#run(unfinished, betweenTransactions);
    const upToBatch = await this.#findDue();
    if (upToBatch === undefined || !(await this.#chunks.begin(upToBatch))) return;
    await this.#run({ upToBatch, nextUrl: 0 }, betweenTransactions);
  }

  /** Returns the last batch of the compaction that is due, or undefined. */
  async #findDue(): Promise<number | undefined> {
    const batches = await this.#chunks.listBatches();
    const [oldest] = batches;
    if (!oldest) return undefined;
    let visits = 0;
    let last = oldest.id;
    for (const { id, visit_count } of batches) {
      if (visits > 0 && visits + visit_count > visitsPerCompaction) return last;
      visits += visit_count;
      last = id;
    }
    const isDue = visits >= visitsPerCompaction || this.#clock() - oldest.created_at >= maxAgeMs;
    return isDue ? last : undefined;
  }

  async #run(compaction: Compaction, betweenTransactions: () => Promise<unknown>): Promise<void> {
    const urls = groupByUrl(await this.#chunks.readBatches(compaction.upToBatch)).filter(
      ({ urlId }) => urlId >= compaction.nextUrl,
    );
    let progress = compaction;
    for (let start = 0; start < urls.length; start += urlsPerTransaction) {
      const part = urls.slice(start, start + urlsPerTransaction);
      const next = { ...progress, nextUrl: (part.at(-1)?.urlId ?? 0) + 1 };
      // False when another process has continued this compaction.
      if (!(await this.#chunks.addToChunks(progress, part, next))) return;
      progress = next;
      await betweenTransactions();
    }
    await this.#chunks.finish(progress);
  }
}

/** Returns the visits of each URL in the order of their arrival, in ascending order of the URLs. */
function groupByUrl(batches: readonly Batch[]): UrlVisits[] {
  const byUrl = new Map<number, VisitRef[]>();
  for (const { columns } of batches) {
    const urlIds = columns.urlIds ?? [];
    for (let index = 0; index < columns.count; index += 1) {
      const urlId = urlIds[index] as number;
      const visits = byUrl.get(urlId);
      if (visits) visits.push({ columns, index });
      else byUrl.set(urlId, [{ columns, index }]);
    }
  }
  return [...byUrl].map(([urlId, visits]) => ({ urlId, visits })).sort((a, b) => a.urlId - b.urlId);
}
