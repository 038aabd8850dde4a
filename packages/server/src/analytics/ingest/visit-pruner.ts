import type { Clock } from '../../ports.js';
import { type Database, StorageUnavailableError } from '../../storage/database.js';
import { type DayReports, PrunedDays, storePrunedDays } from '../reports/pruned-days.js';
import { dayMs } from '../reports/report-window.js';
import { decodeColumns, encodeColumns } from './columns-codec.js';
import { selectSpans, toScannedUrls } from './scanned-url.js';
import { timeRange, type VisitColumns, VisitColumnsBuilder } from './visit-columns.js';

export interface VisitPrunerOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** How long visits are stored. When undefined, they are stored for ever. */
  readonly retentionDays: number | undefined;
}

interface ChunkInfo {
  readonly number: number;
  readonly first_at: number;
  readonly last_at: number;
  readonly visit_count: number;
}

// The number of URLs that one query lists.
const urlsPerQuery = 100;
// A transaction prunes entire days, and several days only up to this number of visits. On SQLite, it
// blocks all other writes.
const visitsPerTransaction = 65_536;
// The number of chunks in memory: typically 1 MB, at most 10 MB.
const chunksPerRead = 16;

/** Replaces visits that are older than the retention period by daily reports. */
export class VisitPruner {
  readonly #options: VisitPrunerOptions;

  constructor(options: VisitPrunerOptions) {
    this.#options = options;
  }

  /**
   * Returns the number of URLs whose visits were pruned. Throws at the end when some URLs could not
   * be pruned. Stops early when the signal aborts.
   */
  async prune(signal?: AbortSignal): Promise<number> {
    const { database, clock, retentionDays } = this.#options;
    if (retentionDays === undefined) return 0;
    // Only entire days are pruned.
    const before = Math.floor((clock() - retentionDays * dayMs) / dayMs) * dayMs;
    let pruned = 0;
    const errors: unknown[] = [];
    for await (const urlId of this.#listUrls(before)) {
      try {
        let hasMore = true;
        while (hasMore && !signal?.aborted) hasMore = await this.#pruneDays(urlId, before);
        pruned += 1;
      } catch (error) {
        if (error instanceof StorageUnavailableError) throw error;
        // One URL must not block the others.
        errors.push(new Error(`URL ${urlId}: old visits were not pruned`, { cause: error }));
      }
      if (signal?.aborted) return pruned;
    }
    await database.dropEmptyPartitions(before);
    if (errors.length > 0) {
      throw new AggregateError(errors, 'old visits of some URLs were not pruned');
    }
    return pruned;
  }

  /** Lists the URLs that have visits before an instant in chunks. */
  async *#listUrls(before: number): AsyncGenerator<number> {
    for (let last = 0; ; ) {
      const rows = await this.#options.database.read
        .selectFrom('visit_chunks')
        .select('url_id')
        .distinct()
        .where('url_id', '>', last)
        .where('first_at', '<', before)
        .orderBy('url_id')
        .limit(urlsPerQuery)
        .execute();
      for (const { url_id } of rows) yield url_id;
      if (rows.length < urlsPerQuery) return;
      last = rows.at(-1)?.url_id as number;
    }
  }

  /** Prunes the oldest days of a URL. Returns false when none is left. */
  async #pruneDays(urlId: number, before: number): Promise<boolean> {
    const { read } = this.#options.database;
    const old = await this.#listChunks(urlId, before);
    const end = endOfTransaction(old, before);
    const chunks = old.filter(({ first_at }) => first_at < end);
    if (chunks.length === 0) return false;
    const spans = await selectSpans(read).where('qr_codes.url_id', '=', urlId).execute();
    const days = new PrunedDays(urlId, toScannedUrls(spans).get(urlId), end);
    const replacements: { number: number; columns: VisitColumns }[] = [];
    for (let start = 0; start < chunks.length; start += chunksPerRead) {
      for (const { number, columns } of await this.#readChunks(
        urlId,
        chunks.slice(start, start + chunksPerRead),
      )) {
        days.add(columns);
        const rest = visitsFrom(columns, end);
        if (rest.count > 0) replacements.push({ number, columns: rest });
      }
    }
    await this.#replace(urlId, chunks, end, days.finish(), replacements);
    return true;
  }

  #listChunks(urlId: number, before: number, db = this.#options.database.read) {
    return db
      .selectFrom('visit_chunks')
      .select(['number', 'first_at', 'last_at', 'visit_count'])
      .where('url_id', '=', urlId)
      .where('first_at', '<', before)
      .orderBy('first_at')
      .orderBy('number')
      .execute();
  }

  async #readChunks(urlId: number, chunks: readonly ChunkInfo[]) {
    const rows = await this.#options.database.read
      .selectFrom('visit_chunks')
      .select(['number', 'visits'])
      .where('url_id', '=', urlId)
      .where(
        'number',
        'in',
        chunks.map(({ number }) => number),
      )
      .execute();
    return rows.map(({ number, visits }) => ({ number, columns: decodeColumns(visits) }));
  }

  /** Stores the daily reports and deletes the visits, unless the chunks have changed. */
  async #replace(
    urlId: number,
    chunks: readonly ChunkInfo[],
    end: number,
    days: readonly DayReports[],
    replacements: readonly { readonly number: number; readonly columns: VisitColumns }[],
  ): Promise<void> {
    const { database } = this.#options;
    const rest = replacements.map(({ number, columns }) => ({
      number,
      set: { ...timeRange(columns), visit_count: columns.count, visits: encodeColumns(columns) },
    }));
    const restNumbers = new Set(rest.map(({ number }) => number));
    const deleted = chunks.filter(({ number }) => !restNumbers.has(number));
    await database.writeDirectly(async (transaction) => {
      const current = await this.#listChunks(urlId, end, transaction);
      if (!areEqual(current, chunks)) return;
      await storePrunedDays(database, transaction, urlId, days);
      for (const { number, set } of rest) {
        await transaction
          .updateTable('visit_chunks')
          .set(set)
          .where('url_id', '=', urlId)
          .where('number', '=', number)
          .execute();
      }
      for (let start = 0; start < deleted.length; start += chunksPerRead) {
        await transaction
          .deleteFrom('visit_chunks')
          .where('url_id', '=', urlId)
          .where(
            'number',
            'in',
            deleted.slice(start, start + chunksPerRead).map(({ number }) => number),
          )
          .execute();
      }
    }, 'compaction');
  }
}

/** Returns the end of the days that one transaction prunes: at least the oldest day. */
function endOfTransaction(chunks: readonly ChunkInfo[], before: number): number {
  const firstDay = startOfDay(chunks[0]?.first_at ?? before);
  let visits = 0;
  for (const { first_at, visit_count } of chunks) {
    visits += visit_count;
    if (visits > visitsPerTransaction) return Math.max(startOfDay(first_at), firstDay + dayMs);
  }
  return before;
}

function startOfDay(at: number): number {
  return Math.floor(at / dayMs) * dayMs;
}

/** Returns the visits since an instant. */
function visitsFrom(columns: VisitColumns, since: number): VisitColumns {
  const builder = new VisitColumnsBuilder(columns.count);
  for (const [index, visitedAt] of columns.visitedAt.entries()) {
    if (visitedAt >= since) builder.addFrom(columns, index);
  }
  return builder.finish();
}

function areEqual(chunks: readonly ChunkInfo[], others: readonly ChunkInfo[]): boolean {
  return (
    chunks.length === others.length &&
    chunks.every(
      ({ number, visit_count }, at) =>
        number === others[at]?.number && visit_count === others[at].visit_count,
    )
  );
}
