import { type ExpressionBuilder, type Kysely, sql } from 'kysely';
import type { Database, Schema, WriteTransaction } from '../../storage/database.js';
import { type ClickReport, clicks as clickMeasure } from '../reports/click-report.js';
import { dayMs } from '../reports/report-window.js';
import { findScannedUrl, storeScanDay } from '../reports/scan-days.js';
import { VisitTally } from '../reports/visit-tally.js';
import { decodeColumns, encodeColumns } from './columns-codec.js';
import { type VisitColumns, VisitColumnsBuilder } from './visit-columns.js';

/** Which batches are being sorted into chunks, and the link that is next. */
export interface Compaction {
  readonly upToBatch: number;
  readonly nextUrl: number;
}

export interface Batch {
  readonly id: number;
  readonly columns: VisitColumns;
}

/** A visit of a batch. */
export interface Place {
  readonly columns: VisitColumns;
  readonly at: number;
}

/** Visits of one link that are to be added to its chunks. */
export interface LinkVisits {
  readonly urlId: number;
  readonly places: readonly Place[];
}

// 60 KB: large enough that a report reads little besides visits, small enough to be written anew
// each time that some visits are added.
export const visitsPerChunk = 2048;

interface Chunk {
  readonly number: number;
  readonly columns: VisitColumns;
}

/** Visits in storage: batches as they arrived, and chunks that reports read. */
export class ChunkRepository {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  findCompaction(): Promise<Compaction | undefined> {
    return findCompaction(this.#database.read);
  }

  /** The batches that wait, oldest first, without their visits. */
  listBatches(): Promise<{ id: number; created_at: number; visit_count: number }[]> {
    return this.#database.read
      .selectFrom('visit_batches')
      .select(['id', 'created_at', 'visit_count'])
      .orderBy('id')
      .execute();
  }

  /** The batches up to one. */
  readBatches(upTo: number): Promise<Batch[]> {
    return readBatches(this.#database.read, 0, upTo);
  }

  /** Begins to sort batches, unless somebody is at it already; tells whether it did. */
  begin(upToBatch: number): Promise<boolean> {
    return this.#database.write(async (transaction) => {
      const running = await transaction
        .selectFrom('visit_compactions')
        .select('up_to_batch')
        .executeTakeFirst();
      if (running) return false;
      await transaction
        .insertInto('visit_compactions')
        .values({ up_to_batch: upToBatch, next_url: 0 })
        .execute();
      return true;
    }, 'compaction');
  }

  /**
   * Adds visits to the chunks of their links, in ascending order of the links, and notes that this
   * was done, in one transaction. Nothing is done, and false is told, when somebody else did it.
   */
  addToChunks(
    compaction: Compaction,
    links: readonly LinkVisits[],
    next: Compaction,
  ): Promise<boolean> {
    return this.#database.write(async (transaction) => {
      const { numUpdatedRows } = await transaction
        .updateTable('visit_compactions')
        .set({ next_url: next.nextUrl })
        .where('up_to_batch', '=', compaction.upToBatch)
        .where('next_url', '=', compaction.nextUrl)
        .executeTakeFirstOrThrow();
      if (numUpdatedRows === 0n) return false;
      const last = await readLastChunks(
        transaction,
        links.map(({ urlId }) => urlId),
      );
      await removeChunks(transaction, new Map([...last].filter(([, chunk]) => hasRoom(chunk))));
      const rows = links.flatMap(({ urlId, places }) =>
        fill(last.get(urlId), places).map(({ number, columns }) => ({
          url_id: urlId,
          number,
          ...span(columns),
          visit_count: columns.count,
          visits: encodeColumns(columns),
        })),
      );
      await this.#database.bulkInsert(transaction, 'visit_chunks', rows);
      return true;
    }, 'compaction');
  }

  /** Links behind one that have visits in chunks from before an instant, in ascending order. */
  async listUrlsBefore(before: number, behind: number, limit: number): Promise<number[]> {
    const rows = await this.#database.read
      .selectFrom('visit_chunks')
      .select('url_id')
      .distinct()
      .where('url_id', '>', behind)
      .where('first_at', '<', before)
      .orderBy('url_id')
      .limit(limit)
      .execute();
    return rows.map(({ url_id }) => url_id);
  }

  /** Replaces the visits of links from before an instant, the beginning of a day, by days' sums. */
  async prune(urlIds: readonly number[], before: number): Promise<void> {
    if (urlIds.length === 0) return;
    await this.#database.write(async (transaction) => {
      for (const urlId of urlIds) {
        const chunks = await transaction
          .selectFrom('visit_chunks')
          .select(['number', 'visits'])
          .where('url_id', '=', urlId)
          .where('first_at', '<', before)
          .execute();
        const columns = chunks.map(({ visits }) => decodeColumns(visits));
        await this.#keepDays(transaction, urlId, columns, before);
        for (const [index, { number }] of chunks.entries()) {
          await this.#cut(transaction, urlId, number, columns[index] as VisitColumns, before);
        }
      }
    }, 'compaction');
  }

  /** Gives back the months before an instant that pruning has left nothing of. */
  dropEmptyPartitions(before: number): Promise<number> {
    return this.#database.dropEmptyPartitions(before);
  }

  async #keepDays(
    transaction: WriteTransaction,
    urlId: number,
    chunks: readonly VisitColumns[],
    before: number,
  ): Promise<void> {
    const days = new Set(
      chunks.flatMap(({ visitedAt }) =>
        Array.from(visitedAt, (at) => Math.floor(at / dayMs) * dayMs).filter((day) => day < before),
      ),
    );
    const scannedUrl = await findScannedUrl(transaction, urlId);
    for (const day of days) {
      const window = { since: day, until: day + dayMs, groupBy: 'hour' } as const;
      const tally = new VisitTally<ClickReport>(clickMeasure, window);
      for (const columns of chunks) {
        const { first_at, last_at } = span(columns);
        if (first_at < day + dayMs && last_at >= day) tally.add(urlId, columns);
      }
      const report = withoutEmpty(tally.finish(Number.POSITIVE_INFINITY));
      const { totalClicks } = report.totals;
      if (totalClicks === 0) continue;
      const known = await transaction
        .selectFrom('click_days')
        .select(['clicks', 'scans', 'summary'])
        .where('url_id', '=', urlId)
        .where('day', '=', day)
        .executeTakeFirst();
      // More than one where visits of the day came after it was pruned.
      const summary = JSON.stringify([...(known ? JSON.parse(known.summary) : []), report]);
      const clicks = (known?.clicks ?? 0) + totalClicks;
      const newScans = scannedUrl ? await storeScanDay(transaction, scannedUrl, day, chunks) : 0;
      const scans = (known?.scans ?? 0) + newScans;
      await transaction
        .insertInto('click_days')
        .values({ url_id: urlId, day, clicks, scans, summary })
        .onConflict((conflict) =>
          conflict.columns(['url_id', 'day']).doUpdateSet({ clicks, scans, summary }),
        )
        .execute();
    }
  }

  /** Leaves the visits of a chunk that are not from before an instant. */
  async #cut(
    transaction: WriteTransaction,
    urlId: number,
    number: number,
    columns: VisitColumns,
    before: number,
  ): Promise<void> {
    const builder = new VisitColumnsBuilder(columns.count);
    for (const [at, instant] of columns.visitedAt.entries()) {
      if (instant >= before) builder.addFrom(columns, at);
    }
    const kept = builder.finish();
    const isChunk = (expression: ExpressionBuilder<Schema, 'visit_chunks'>) =>
      expression.and({ url_id: urlId, number });
    if (kept.count === 0) {
      await transaction.deleteFrom('visit_chunks').where(isChunk).execute();
    } else {
      await transaction
        .updateTable('visit_chunks')
        .set({ ...span(kept), visit_count: kept.count, visits: encodeColumns(kept) })
        .where(isChunk)
        .execute();
    }
  }

  /** Removes the batches whose visits are all in chunks. */
  async finish({ upToBatch, nextUrl }: Compaction): Promise<void> {
    await this.#database.write(async (transaction) => {
      const { numDeletedRows } = await transaction
        .deleteFrom('visit_compactions')
        .where('up_to_batch', '=', upToBatch)
        .where('next_url', '=', nextUrl)
        .executeTakeFirstOrThrow();
      if (numDeletedRows === 0n) return;
      await transaction.deleteFrom('visit_batches').where('id', '<=', upToBatch).execute();
    }, 'compaction');
  }
}

/** What is being sorted, if anything is. */
export async function findCompaction(db: Kysely<Schema>): Promise<Compaction | undefined> {
  const row = await db.selectFrom('visit_compactions').selectAll().executeTakeFirst();
  return row && { upToBatch: row.up_to_batch, nextUrl: row.next_url };
}

/** The batches behind one, up to another. */
export async function readBatches(
  db: Kysely<Schema>,
  behind: number,
  upTo = Number.MAX_SAFE_INTEGER,
): Promise<Batch[]> {
  const rows = await db
    .selectFrom('visit_batches')
    .select(['id', 'visits'])
    .where('id', '>', behind)
    .where('id', '<=', upTo)
    .orderBy('id')
    .execute();
  return rows.map(({ id, visits }) => ({ id, columns: decodeColumns(visits) }));
}

function withoutEmpty(report: ClickReport): ClickReport {
  return { ...report, timeseries: report.timeseries.filter(({ clicks }) => clicks > 0) };
}

/** The last chunk of each link. */
async function readLastChunks(
  transaction: WriteTransaction,
  urlIds: readonly number[],
): Promise<ReadonlyMap<number, Chunk>> {
  const wanted = sql.join(urlIds.map((id) => sql`(cast(${id} as bigint))`));
  const { rows } = await sql<{ url_id: number; number: number; visits: Uint8Array }>`
    select chunk.url_id, chunk.number, chunk.visits
    from (values ${wanted}) as wanted
    join visit_chunks as chunk
      on chunk.url_id = wanted.column1
      and chunk.number = (select max(number) from visit_chunks where url_id = wanted.column1)`.execute(
    transaction,
  );
  return new Map(
    rows.map(({ url_id, number, visits }) => [url_id, { number, columns: decodeColumns(visits) }]),
  );
}

async function removeChunks(
  transaction: WriteTransaction,
  chunks: ReadonlyMap<number, Chunk>,
): Promise<void> {
  if (chunks.size === 0) return;
  const keys = sql.join(
    [...chunks].map(
      ([urlId, { number }]) => sql`(cast(${urlId} as bigint), cast(${number} as integer))`,
    ),
  );
  await sql`delete from visit_chunks where (url_id, number) in (values ${keys})`.execute(
    transaction,
  );
}

function hasRoom({ columns }: Chunk): boolean {
  return columns.count < visitsPerChunk;
}

/** What a link's last chunk becomes with more visits: itself if it has room, and new ones behind. */
function fill(last: Chunk | undefined, places: readonly Place[]): Chunk[] {
  const open = last && hasRoom(last) ? last : undefined;
  const chunks: Chunk[] = [];
  let number = open?.number ?? (last ? last.number + 1 : 0);
  let kept = open?.columns;
  for (let taken = 0; taken < places.length; number += 1) {
    const keptCount = kept?.count ?? 0;
    const part = places.slice(taken, taken + visitsPerChunk - keptCount);
    const builder = new VisitColumnsBuilder(keptCount + part.length);
    if (kept) builder.adopt(kept);
    for (const { columns, at } of part) builder.addFrom(columns, at);
    chunks.push({ number, columns: builder.finish() });
    taken += part.length;
    kept = undefined;
  }
  return chunks;
}

/** When the earliest and the latest of some visits were. */
export function span({ visitedAt }: VisitColumns): { first_at: number; last_at: number } {
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const at of visitedAt) {
    if (at < first) first = at;
    if (at > last) last = at;
  }
  return { first_at: first, last_at: last };
}
