import type { Clock } from '../../ports.js';
import type { Batch, ChunkRepository, Compaction, LinkVisits, Place } from './chunk-repository.js';

export interface VisitCompactorOptions {
  readonly chunks: ChunkRepository;
  readonly clock: Clock;
}

// Batches are sorted when so many visits wait, or when some have waited for so long. The more are
// sorted at once, the fewer chunks are written for each.
const visitsAtOnce = 262_144;
const maxAgeMs = 60_000;
// Links in one transaction: while it runs, nobody else writes.
const linksAtOnce = 500;

/**
 * Sorts visits, which arrive in batches of all links, into chunks of one link each. A report finds
 * each visit exactly once at any moment, and whatever this is killed in the middle of, it goes on.
 */
export class VisitCompactor {
  readonly #chunks: ChunkRepository;
  readonly #clock: Clock;

  constructor({ chunks, clock }: VisitCompactorOptions) {
    this.#chunks = chunks;
    this.#clock = clock;
  }

  /** Sorts what is due, `between` its transactions giving way to what is more urgent. */
  async runOnce(between: () => Promise<unknown> = async () => {}): Promise<void> {
    const running = await this.#chunks.findCompaction();
    if (running) await this.#sort(running, between);
    const upToBatch = await this.#findDue();
    if (upToBatch === undefined || !(await this.#chunks.begin(upToBatch))) return;
    await this.#sort({ upToBatch, nextUrl: 0 }, between);
  }

  /** The last batch to be sorted now, if any is due. */
  async #findDue(): Promise<number | undefined> {
    const batches = await this.#chunks.listBatches();
    const [oldest] = batches;
    if (!oldest) return undefined;
    let visits = 0;
    let last = oldest.id;
    for (const { id, visit_count } of batches) {
      if (visits > 0 && visits + visit_count > visitsAtOnce) return last;
      visits += visit_count;
      last = id;
    }
    return visits >= visitsAtOnce || this.#clock() - oldest.created_at >= maxAgeMs
      ? last
      : undefined;
  }

  async #sort(compaction: Compaction, between: () => Promise<unknown>): Promise<void> {
    const links = groupByLink(await this.#chunks.readBatches(compaction.upToBatch)).filter(
      ({ urlId }) => urlId >= compaction.nextUrl,
    );
    let at = compaction;
    for (let start = 0; start < links.length; start += linksAtOnce) {
      const part = links.slice(start, start + linksAtOnce);
      const next = { ...at, nextUrl: (part.at(-1)?.urlId ?? 0) + 1 };
      // Somebody else is at it: a process that overlaps with this one.
      if (!(await this.#chunks.addToChunks(at, part, next))) return;
      at = next;
      await between();
    }
    await this.#chunks.finish(at);
  }
}

/** In ascending order of the links; visits of a link in the order of their arrival. */
function groupByLink(batches: readonly Batch[]): LinkVisits[] {
  const byUrl = new Map<number, Place[]>();
  for (const { columns } of batches) {
    const urlIds = columns.urlIds ?? [];
    for (let at = 0; at < columns.count; at += 1) {
      const urlId = urlIds[at] as number;
      const places = byUrl.get(urlId);
      if (places) places.push({ columns, at });
      else byUrl.set(urlId, [{ columns, at }]);
    }
  }
  return [...byUrl].map(([urlId, places]) => ({ urlId, places })).sort((a, b) => a.urlId - b.urlId);
}
