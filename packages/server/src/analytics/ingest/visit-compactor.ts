import { sql } from 'kysely';
import type { Clock } from '../../ports.js';
import type { Database, WriteTransaction } from '../../storage/database.js';
import type { Schema } from '../../storage/schema.js';
import { yieldToEventLoop } from '../../yield-to-event-loop.js';
import {
  decodeColumns,
  maxChunkBytes,
  packChunk,
  type VisitRef,
  visitsPerChunk,
} from './columns-codec.js';
import { findMissingLinks } from './deleted-links.js';
import { type Batch, type Compaction, findCompaction, readBatches } from './read-stored-visits.js';
import { slicesOf } from './slices-of.js';

type LastChunk = Pick<Schema['visit_chunks'], 'url_id' | 'number' | 'visit_count' | 'visits'>;

/** The chunks with the new visits of one URL. */
interface NewChunks {
  readonly urlId: number;
  /** The last chunk, if the first row replaces it. */
  readonly replaced: LastChunk | undefined;
  readonly rows: readonly Schema['visit_chunks'][];
  /** The bytes that the transaction writes and deletes. */
  readonly bytes: number;
}

// A compaction starts when this many visits are in batches, or when a batch reaches this age. Larger
// compactions write fewer chunks per visit.
const visitsPerCompaction = 262_144;
// Usually, so many visits have 20 MB. The texts that strangers send may have much more.
const bytesPerCompaction = 64 * 1024 * 1024;
const maxAgeMs = 60_000;
// The limits of a transaction, which blocks all other writes on SQLite. One transaction stores all
// visits that a compaction has for a URL, so they have a limit of their own.
const maxUrls = 200;
const maxBytes = 1024 * 1024;
const maxBytesOfUrl = 4 * 1024 * 1024;
// The number of batches that a transaction deletes: typically 1 MB.
const maxDeletedBatches = 32;

/**
 * Moves visits from batches, which have visits of many URLs, into chunks, which have visits of one
 * URL. Reports count each visit exactly once at any moment, and a killed compaction continues later.
 */
export class VisitCompactor {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor({ database, clock }: { readonly database: Database; readonly clock: Clock }) {
    this.#database = database;
    this.#clock = clock;
  }

  /**
   * Continues the compaction that was interrupted, or compacts the batches that are due. Takes seconds,
   * so it yields to the ingest of new visits. When the signal aborts, it ends after the transaction in
   * progress, and a later call continues.
   */
  async compact(signal?: AbortSignal): Promise<void> {
    const { read } = this.#database;
    const started = (await findCompaction(read)) ?? (await this.#begin());
    if (!started || signal?.aborted) return;
    const batches = await readBatches(read, 0, started.upToBatch);
    let progress = started;
    for await (const chunks of this.#newChunks(batches, started.nextUrl)) {
      const next = { ...progress, nextUrl: (chunks.at(-1)?.urlId ?? 0) + 1 };
      // Another process has changed the data. The next call continues from the stored progress.
      if (!(await this.#store(chunks, progress, next))) return;
      progress = next;
      await yieldToEventLoop();
      if (signal?.aborted) return;
    }
    await this.#finish(progress, batches, signal);
  }

  /** Begins the compaction that is due. Returns undefined when none is due, or another one runs. */
  async #begin(): Promise<Compaction | undefined> {
    const lastDue = await this.#findDue();
    if (lastDue === undefined) return undefined;
    const batches = limitBytesOfUrl(await readBatches(this.#database.read, 0, lastDue));
    const upToBatch = batches.at(-1)?.id ?? lastDue;
    return this.#database.writeDirectly(async (transaction) => {
      if (await findCompaction(transaction)) return undefined;
      await transaction
        .insertInto('visit_compactions')
        .values({ up_to_batch: upToBatch, next_url: 0 })
        .execute();
      return { upToBatch, nextUrl: 0 };
    }, 'compaction');
  }

  /** Returns the last batch of the compaction that is due, or undefined. */
  async #findDue(): Promise<number | undefined> {
    const batches = await this.#database.read
      .selectFrom('visit_batches')
      .select(['id', 'created_at', 'visit_count'])
      .select(sql<number>`length(visits)`.as('bytes'))
      // Later batches are still to be copied for webhooks.
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('click_feed')
              .select('up_to_batch')
              .whereRef('up_to_batch', '<', 'visit_batches.id'),
          ),
        ),
      )
      .orderBy('id')
      .execute();
    const [oldest] = batches;
    if (!oldest) return undefined;
    let visits = 0;
    let bytes = 0;
    let last = oldest.id;
    for (const batch of batches) {
      visits += batch.visit_count;
      bytes += batch.bytes;
      const isFull = visits > visitsPerCompaction || bytes > bytesPerCompaction;
      if (isFull && last !== batch.id) return last;
      last = batch.id;
    }
    const isDue = visits >= visitsPerCompaction || this.#clock() - oldest.created_at >= maxAgeMs;
    return isDue ? last : undefined;
  }

  /** Yields the encoded chunks of one transaction at a time, in ascending order of the URLs. */
  async *#newChunks(
    batches: readonly Batch[],
    nextUrl: number,
  ): AsyncGenerator<readonly NewChunks[]> {
    const urls = groupByUrl(batches).filter(([urlId]) => urlId >= nextUrl);
    for (const group of slicesOf(urls, maxUrls)) {
      const lastChunks = await this.#readLastChunks(group.map(([urlId]) => urlId));
      let chunks: NewChunks[] = [];
      let bytes = 0;
      for (const [urlId, visits] of group) {
        const added = fillChunks(urlId, lastChunks.get(urlId), visits);
        if (bytes > 0 && bytes + added.bytes > maxBytes) {
          yield chunks;
          chunks = [];
          bytes = 0;
        }
        chunks.push(added);
        bytes += added.bytes;
      }
      yield chunks;
    }
  }

  async #readLastChunks(urlIds: readonly number[]): Promise<ReadonlyMap<number, LastChunk>> {
    const wanted = sql.join(urlIds.map((id) => sql`(cast(${id} as bigint))`));
    const { rows } = await sql<LastChunk>`
      select chunk.url_id, chunk.number, chunk.visit_count, chunk.visits
      from (values ${wanted}) as wanted
      join visit_chunks as chunk
        on chunk.url_id = wanted.column1
        and chunk.number = (select max(number) from visit_chunks where url_id = wanted.column1)`.execute(
      this.#database.read,
    );
    return new Map(rows.map((row) => [row.url_id, row]));
  }

  /**
   * Stores chunks and the compaction's progress in one transaction. Returns false, and stores
   * nothing, when another process has continued the compaction or pruned one of the URLs.
   */
  #store(
    chunks: readonly NewChunks[],
    { upToBatch, nextUrl }: Compaction,
    next: Compaction,
  ): Promise<boolean> {
    return this.#database.writeDirectly(async (transaction) => {
      const current = await findCompaction(transaction);
      if (current?.upToBatch !== upToBatch || current.nextUrl !== nextUrl) return false;
      // An organization may have been deleted since the batches were read.
      const { deleted } = await findMissingLinks(
        transaction,
        new Set(chunks.map(({ urlId }) => urlId)),
      );
      const stored = chunks.filter(({ urlId }) => !deleted.has(urlId));
      const replaced = stored.flatMap((each) => each.replaced ?? []);
      if (!(await deleteUnchanged(transaction, replaced))) return false;
      await transaction.updateTable('visit_compactions').set({ next_url: next.nextUrl }).execute();
      await this.#database.bulkInsert(
        transaction,
        'visit_chunks',
        stored.flatMap(({ rows }) => rows),
      );
      return true;
    }, 'compaction');
  }

  /** Deletes the batches, whose visits are in chunks, and then the compaction. */
  async #finish(
    { upToBatch, nextUrl }: Compaction,
    batches: readonly Batch[],
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const write = (work: (transaction: WriteTransaction) => Promise<unknown>) =>
      this.#database.writeDirectly(work, 'compaction');
    for (const part of slicesOf(batches, maxDeletedBatches)) {
      const last = part.at(-1)?.id ?? upToBatch;
      await write((transaction) =>
        transaction.deleteFrom('visit_batches').where('id', '<=', last).execute(),
      );
      if (signal?.aborted) return;
    }
    await write((transaction) =>
      transaction
        .deleteFrom('visit_compactions')
        .where('up_to_batch', '=', upToBatch)
        .where('next_url', '=', nextUrl)
        .execute(),
    );
  }
}

/** Returns the first batches, until a URL would have more than `maxBytesOfUrl`. Returns at least one. */
function limitBytesOfUrl(batches: readonly Batch[]): readonly Batch[] {
  const bytesOf = new Map<number, number>();
  for (const [at, { columns, bytes }] of batches.entries()) {
    const bytesPerVisit = bytes / columns.count;
    for (const urlId of columns.urlIds) {
      const bytesOfUrl = (bytesOf.get(urlId) ?? 0) + bytesPerVisit;
      if (bytesOfUrl > maxBytesOfUrl && at > 0) return batches.slice(0, at);
      bytesOf.set(urlId, bytesOfUrl);
    }
  }
  return batches;
}

/** Returns the visits of each URL in the order of their arrival, in ascending order of the URLs. */
function groupByUrl(batches: readonly Batch[]): [urlId: number, visits: VisitRef[]][] {
  const byUrl = new Map<number, VisitRef[]>();
  for (const { columns } of batches) {
    for (const [index, urlId] of columns.urlIds.entries()) {
      const visits = byUrl.get(urlId);
      if (visits) visits.push({ columns, index });
      else byUrl.set(urlId, [{ columns, index }]);
    }
  }
  return [...byUrl].sort(([a], [b]) => a - b);
}

/** Adds visits to the URL's last chunk unless it is full, then to new ones. */
function fillChunks(
  urlId: number,
  last: LastChunk | undefined,
  visits: readonly VisitRef[],
): NewChunks {
  const isFull = (chunk: LastChunk) =>
    chunk.visit_count >= visitsPerChunk || chunk.visits.length >= maxChunkBytes;
  const replaced = last && !isFull(last) ? last : undefined;
  let number = replaced?.number ?? (last ? last.number + 1 : 0);
  let existing = replaced && decodeColumns(replaced.visits);
  let bytes = replaced?.visits.length ?? 0;
  const rows: NewChunks['rows'][number][] = [];
  for (let added = 0; added < visits.length; number += 1) {
    const packed = packChunk(existing, visits, added);
    rows.push({ url_id: urlId, number, ...packed.chunk });
    bytes += packed.chunk.visits.length;
    added += packed.added;
    existing = undefined;
  }
  return { urlId, replaced, rows, bytes };
}

/** Deletes chunks of different URLs. Returns false, and deletes none, when one of them has changed. */
async function deleteUnchanged(
  transaction: WriteTransaction,
  chunks: readonly LastChunk[],
): Promise<boolean> {
  if (chunks.length === 0) return true;
  const keys = chunks.map(
    ({ url_id, number }) => sql`(cast(${url_id} as bigint), cast(${number} as integer))`,
  );
  const isOneOfChunks = sql<boolean>`(url_id, number) in (values ${sql.join(keys)})`;
  const stored = await transaction
    .selectFrom('visit_chunks')
    .select(['url_id', 'visit_count'])
    .where(isOneOfChunks)
    .execute();
  const visitsOf = new Map(stored.map((row) => [row.url_id, row.visit_count]));
  if (chunks.some((chunk) => visitsOf.get(chunk.url_id) !== chunk.visit_count)) return false;
  await transaction.deleteFrom('visit_chunks').where(isOneOfChunks).execute();
  return true;
}
