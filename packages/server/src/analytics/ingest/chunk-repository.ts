import { type ExpressionBuilder, type Kysely, sql } from 'kysely';
import type { Database, Schema, WriteTransaction } from '../../storage/database.js';
import { storePrunedDays } from '../reports/pruned-days.js';
import { decodeColumns, encodeColumns } from './columns-codec.js';
import { timeRange, type VisitColumns, VisitColumnsBuilder } from './visit-columns.js';

/** A running compaction: it moves visits into chunks, in ascending order of URLs. */
export interface Compaction {
  /** The id of the last batch that it moves. */
  readonly upToBatch: number;
  /** The visits of all URLs below this one are in chunks. */
  readonly nextUrl: number;
}

/** Visits of many URLs that were stored together. */
export interface Batch {
  readonly id: number;
  readonly columns: VisitColumns;
}

/** One visit of columns. */
export interface VisitRef {
  readonly columns: VisitColumns;
  readonly index: number;
}

export interface UrlVisits {
  readonly urlId: number;
  readonly visits: readonly VisitRef[];
}

// About 60 KB: large enough for fast reads, small enough to be rewritten whenever visits are added.
export const visitsPerChunk = 2048;
// The number of chunks in one query of `readChunks`: at most 40 MB.
const chunksPerRead = 512;

/** Some visits of one URL. */
interface Chunk {
  readonly number: number;
  readonly columns: VisitColumns;
}

/** Stores visits in chunks. */
export class ChunkRepository {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  findCompaction(): Promise<Compaction | undefined> {
    return findCompaction(this.#database.read);
  }

  /** Lists all batches, the oldest first, without their visits. */
  listBatches(): Promise<{ id: number; created_at: number; visit_count: number }[]> {
    return this.#database.read
      .selectFrom('visit_batches')
      .select(['id', 'created_at', 'visit_count'])
      .orderBy('id')
      .execute();
  }

  readBatches(upTo: number): Promise<Batch[]> {
    return readBatches(this.#database.read, 0, upTo);
  }

  /** Begins a compaction. Returns false when one is already running. */
  begin(upToBatch: number): Promise<boolean> {
    return this.#database.writeDirectly(async (transaction) => {
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
   * Adds visits to the chunks of their URLs, and stores the compaction's progress, in one
   * transaction. Returns false, and adds nothing, when the stored progress is not `compaction`.
   */
  addToChunks(
    compaction: Compaction,
    urls: readonly UrlVisits[],
    next: Compaction,
  ): Promise<boolean> {
    return this.#database.writeDirectly(async (transaction) => {
      const { numUpdatedRows } = await transaction
        .updateTable('visit_compactions')
        .set({ next_url: next.nextUrl })
        .where('up_to_batch', '=', compaction.upToBatch)
        .where('next_url', '=', compaction.nextUrl)
        .executeTakeFirstOrThrow();
      if (numUpdatedRows === 0n) return false;
      const lastChunks = await readLastChunks(
        transaction,
        urls.map(({ urlId }) => urlId),
      );
      const extended = new Map([...lastChunks].filter(([, chunk]) => !isFull(chunk)));
      await deleteChunks(transaction, extended);
      const rows = urls.flatMap(({ urlId, visits }) =>
        fillChunks(lastChunks.get(urlId), visits).map(({ number, columns }) => ({
          url_id: urlId,
          number,
          ...timeRange(columns),
          visit_count: columns.count,
          visits: encodeColumns(columns),
        })),
      );
      await this.#database.bulkInsert(transaction, 'visit_chunks', rows);
      return true;
    }, 'compaction');
  }

  /** Ends a compaction: deletes its batches, whose visits are in chunks. */
  async finish({ upToBatch, nextUrl }: Compaction): Promise<void> {
    await this.#database.writeDirectly(async (transaction) => {
      const { numDeletedRows } = await transaction
        .deleteFrom('visit_compactions')
        .where('up_to_batch', '=', upToBatch)
        .where('next_url', '=', nextUrl)
        .executeTakeFirstOrThrow();
      if (numDeletedRows === 0n) return;
      await transaction.deleteFrom('visit_batches').where('id', '<=', upToBatch).execute();
    }, 'compaction');
  }

  /** Lists URLs above `after` that have visits before an instant in chunks, in ascending order. */
  async listUrlsBefore(before: number, after: number, limit: number): Promise<number[]> {
    const rows = await this.#database.read
      .selectFrom('visit_chunks')
      .select('url_id')
      .distinct()
      .where('url_id', '>', after)
      .where('first_at', '<', before)
      .orderBy('url_id')
      .limit(limit)
      .execute();
    return rows.map(({ url_id }) => url_id);
  }

  /** Replaces the URLs' visits before an instant, the start of a day, by daily reports. */
  async prune(urlIds: readonly number[], before: number): Promise<void> {
    if (urlIds.length === 0) return;
    await this.#database.writeDirectly(async (transaction) => {
      for (const urlId of urlIds) {
        const rows = await transaction
          .selectFrom('visit_chunks')
          .select(['number', 'visits'])
          .where('url_id', '=', urlId)
          .where('first_at', '<', before)
          .execute();
        const chunks = rows.map(({ number, visits }) => ({
          number,
          columns: decodeColumns(visits),
        }));
        await storePrunedDays(
          transaction,
          urlId,
          chunks.map(({ columns }) => columns),
          before,
        );
        for (const chunk of chunks) await deleteVisits(transaction, urlId, chunk, before);
      }
    }, 'compaction');
  }

  /** Drops the empty partitions of months before an instant. */
  dropEmptyPartitions(before: number): Promise<number> {
    return this.#database.dropEmptyPartitions(before);
  }
}

export async function findCompaction(db: Kysely<Schema>): Promise<Compaction | undefined> {
  const row = await db.selectFrom('visit_compactions').selectAll().executeTakeFirst();
  return row && { upToBatch: row.up_to_batch, nextUrl: row.next_url };
}

/** Returns the first URL whose visits in a batch are not in chunks yet. */
export function firstPendingUrl(compaction: Compaction | undefined, batchId: number): number {
  return compaction && batchId <= compaction.upToBatch ? compaction.nextUrl : 0;
}

/** Reads the batches with ids above `after`, up to `upTo`. */
export async function readBatches(
  db: Kysely<Schema>,
  after: number,
  upTo = Number.MAX_SAFE_INTEGER,
): Promise<Batch[]> {
  const rows = await db
    .selectFrom('visit_batches')
    .select(['id', 'visits'])
    .where('id', '>', after)
    .where('id', '<=', upTo)
    .orderBy('id')
    .execute();
  return rows.map(({ id, visits }) => ({ id, columns: decodeColumns(visits) }));
}

/** Reads the chunks that may have visits in a window, in ascending order of their URLs. */
export async function* readChunks(
  db: Kysely<Schema>,
  { since, until }: { readonly since: number; readonly until: number },
): AsyncGenerator<{ url_id: number; visits: Uint8Array }> {
  let last = { url_id: 0, number: -1 };
  for (;;) {
    const rows = await db
      .selectFrom('visit_chunks')
      .select(['url_id', 'number', 'visits'])
      .where(({ eb, refTuple, tuple }) =>
        eb(refTuple('url_id', 'number'), '>', tuple(last.url_id, last.number)),
      )
      .where('last_at', '>=', since)
      .where('first_at', '<', until)
      .orderBy('url_id')
      .orderBy('number')
      .limit(chunksPerRead)
      .execute();
    yield* rows;
    const end = rows.at(-1);
    if (!end || rows.length < chunksPerRead) return;
    last = end;
  }
}

/** Reads the last chunk of each URL. */
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

async function deleteChunks(
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

/** Deletes the visits of a chunk before an instant. */
async function deleteVisits(
  transaction: WriteTransaction,
  urlId: number,
  { number, columns }: Chunk,
  before: number,
): Promise<void> {
  const builder = new VisitColumnsBuilder(columns.count);
  for (const [index, visitedAt] of columns.visitedAt.entries()) {
    if (visitedAt >= before) builder.addFrom(columns, index);
  }
  const rest = builder.finish();
  const isChunk = (expression: ExpressionBuilder<Schema, 'visit_chunks'>) =>
    expression.and({ url_id: urlId, number });
  if (rest.count === 0) {
    await transaction.deleteFrom('visit_chunks').where(isChunk).execute();
    return;
  }
  await transaction
    .updateTable('visit_chunks')
    .set({ ...timeRange(rest), visit_count: rest.count, visits: encodeColumns(rest) })
    .where(isChunk)
    .execute();
}

function isFull({ columns }: Chunk): boolean {
  return columns.count >= visitsPerChunk;
}

/** Adds visits to the URL's last chunk unless it is full, then to new ones. Returns these chunks. */
function fillChunks(last: Chunk | undefined, visits: readonly VisitRef[]): Chunk[] {
  const open = last && !isFull(last) ? last : undefined;
  const chunks: Chunk[] = [];
  let number = open?.number ?? (last ? last.number + 1 : 0);
  let existing = open?.columns;
  for (let added = 0; added < visits.length; number += 1) {
    const existingCount = existing?.count ?? 0;
    const part = visits.slice(added, added + visitsPerChunk - existingCount);
    const builder = new VisitColumnsBuilder(existingCount + part.length);
    if (existing) builder.addAll(existing);
    for (const { columns, index } of part) builder.addFrom(columns, index);
    chunks.push({ number, columns: builder.finish() });
    added += part.length;
    existing = undefined;
  }
  return chunks;
}
