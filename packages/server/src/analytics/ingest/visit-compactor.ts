import { isDeepStrictEqual } from 'node:util';
import { type Selectable, sql } from 'kysely';
import type { Clock } from '../../ports.js';
import type { Database, WriteTransaction } from '../../storage/database.js';
import { writeCompactedVisits } from '../../storage/locks.js';
import type { Schema } from '../../storage/schema.js';
import { yieldToEventLoop } from '../../yield-to-event-loop.js';
import {
  type ChunkTable,
  maxChunkBytes,
  packChunk,
  tryToDecode,
  type VisitRef,
  visitsPerChunk,
} from './columns-codec.js';
import { findMissingLinks } from './deleted-links.js';
import {
  areBatches,
  type Batch,
  type Compaction,
  findCompaction,
  findOrganizations,
  readBatches,
} from './read-stored-visits.js';
import { slicesOf } from './slices-of.js';
import type { VisitColumns } from './visit-columns.js';

/** The column that names whose visits a chunk has. */
const ownerColumns = {
  visit_chunks: { column: 'url_id', type: 'bigint' },
  organization_chunks: { column: 'organization_id', type: 'text' },
} as const;

/** The id of a URL or of an organization. */
type Owner = number | string;
type Chunk = Omit<Selectable<Schema['organization_chunks']>, 'organization_id'>;
type LastChunk = Pick<Chunk, 'number' | 'visit_count' | 'visits'>;

/** The chunks with new visits of one owner. */
interface NewChunks<Id extends Owner> {
  readonly owner: Id;
  /** The last chunk, if the first row replaces it. */
  readonly replaced: LastChunk | undefined;
  readonly rows: readonly Chunk[];
  /** The bytes that the transaction writes and deletes. */
  readonly bytes: number;
}

/** What one transaction stores. */
interface Step {
  readonly table: ChunkTable;
  readonly chunks: readonly NewChunks<Owner>[];
  /** The progress after it. */
  readonly next: Compaction;
}

// A compaction starts when this many visits are in batches, or when a batch reaches this age. Larger
// compactions write fewer chunks per visit.
const visitsPerCompaction = 262_144;
// Usually, so many visits have 20 MB. The texts that strangers send may have much more.
const bytesPerCompaction = 64 * 1024 * 1024;
const defaultMaxAgeMs = 60_000;
// The limits of a transaction, which blocks all other writes on SQLite. One transaction stores all
// visits that a compaction has for a URL, so they have a limit of their own.
const maxOwners = 200;
// 240 KB, unless strangers sent long texts.
const visitsPerStep = 2 * visitsPerChunk;
const maxBytes = 1024 * 1024;
const maxBytesOfUrl = 4 * 1024 * 1024;
// The batches that a transaction deletes.
const maxDeletedBytes = 1024 * 1024;

export interface VisitCompactorOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** The age at which a batch is compacted even if few visits wait. */
  readonly maxAgeMs?: number;
}

/**
 * Moves visits from batches, which have visits of many URLs, into chunks, which have visits of one
 * URL, and copies them into chunks of one organization. Reports count each visit exactly once at any
 * moment, and a killed compaction continues later, on any node.
 */
export class VisitCompactor {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #maxAgeMs: number;

  constructor({ database, clock, maxAgeMs = defaultMaxAgeMs }: VisitCompactorOptions) {
    this.#database = database;
    this.#clock = clock;
    this.#maxAgeMs = maxAgeMs;
  }

  /**
   * Continues a compaction that was interrupted, or compacts the batches that are due. Takes
   * seconds, so it yields to the ingest of new visits. When the signal aborts, it ends after the
   * transaction in progress, and a later call continues.
   */
  async compact(signal?: AbortSignal): Promise<void> {
    const { read } = this.#database;
    const running = await findCompaction(read);
    const started = running ?? ((await this.#areDue()) ? await this.#begin() : undefined);
    if (!started || signal?.aborted) return;
    const batches = await readBatches(read, started.batchIds);
    let progress = started;
    for (const steps of [this.#stepsOfUrls, this.#stepsOfOrganizations]) {
      for await (const step of steps.call(this, batches, progress)) {
        // Another process has changed the data. The next call continues from the stored progress.
        if (!(await this.#store(step, progress, batches))) return;
        progress = step.next;
        await yieldToEventLoop();
        if (signal?.aborted) return;
      }
    }
    await this.#finish(progress, batches, signal);
  }

  /** Begins a compaction. Returns undefined when there are no batches, or when another one runs. */
  async #begin(): Promise<Compaction | undefined> {
    const due = await this.#listBatches();
    if (due.length === 0) return undefined;
    const batches = limitBytesOfUrl(await readBatches(this.#database.read, due));
    const progress = { nextUrl: 0, nextOrganization: '', nextVisit: 0 };
    const compaction = { batchIds: batches.map(({ id }) => id), ...progress };
    return this.#write(async (transaction) => {
      if (await findCompaction(transaction)) return undefined;
      await transaction
        .insertInto('visit_compactions')
        .values({
          id: 1,
          batch_ids: JSON.stringify(compaction.batchIds),
          next_url: progress.nextUrl,
          next_organization: progress.nextOrganization,
          next_visit: progress.nextVisit,
        })
        .execute();
      return compaction;
    });
  }

  /** Returns whether many visits wait, or old ones. */
  async #areDue(): Promise<boolean> {
    const { visits, bytes, oldest } = await this.#selectCopied()
      .select(({ fn }) => [
        fn.sum<number | null>('visit_count').as('visits'),
        fn.min<number | null>('created_at').as('oldest'),
      ])
      .select(sql<number | null>`sum(length(visits))`.as('bytes'))
      .executeTakeFirstOrThrow();
    if (oldest === null) return false;
    return (
      Number(visits) >= visitsPerCompaction ||
      Number(bytes) > bytesPerCompaction ||
      oldest <= this.#clock() - this.#maxAgeMs
    );
  }

  /** Lists the first batches, as many as one compaction moves. */
  async #listBatches(): Promise<readonly number[]> {
    const batches = await this.#selectCopied()
      .select(['id', 'visit_count'])
      .select(sql<number>`length(visits)`.as('bytes'))
      .orderBy('id')
      .execute();
    let visits = 0;
    let bytes = 0;
    const rest = batches.findIndex((batch) => {
      visits += batch.visit_count;
      bytes += batch.bytes;
      return visits > visitsPerCompaction || bytes > bytesPerCompaction;
    });
    const ids = batches.map(({ id }) => id);
    return rest < 0 ? ids : ids.slice(0, Math.max(1, rest));
  }

  /** Selects the batches that are not to be copied for webhooks any more. */
  #selectCopied() {
    return this.#database.read
      .selectFrom('visit_batches')
      .where(({ or, eb, not, exists, selectFrom }) =>
        or([eb('to_copy', '=', 0), not(exists(selectFrom('click_feed').select('id')))]),
      );
  }

  #write<Result>(work: (transaction: WriteTransaction) => Promise<Result>): Promise<Result> {
    return writeCompactedVisits(this.#database, work);
  }

  /** Yields the steps that store the chunks of URLs, in ascending order. */
  async *#stepsOfUrls(batches: readonly Batch[], progress: Compaction): AsyncGenerator<Step> {
    const urls = groupByUrl(batches).filter(([urlId]) => urlId >= progress.nextUrl);
    const toStep = (chunks: readonly NewChunks<number>[]): Step => ({
      table: 'visit_chunks',
      chunks,
      next: { ...progress, nextUrl: (chunks.at(-1)?.owner ?? 0) + 1 },
    });
    for (const group of slicesOf(urls, maxOwners)) {
      const ids = group.map(([urlId]) => urlId);
      const lastChunks = await this.#readLastChunks('visit_chunks', ids);
      let chunks: NewChunks<number>[] = [];
      let bytes = 0;
      for (const [urlId, visits] of group) {
        const added = fillChunks('visit_chunks', urlId, lastChunks.get(urlId), visits);
        if (bytes > 0 && bytes + added.bytes > maxBytes) {
          yield toStep(chunks);
          chunks = [];
          bytes = 0;
        }
        chunks.push(added);
        bytes += added.bytes;
      }
      yield toStep(chunks);
    }
  }

  /**
   * Yields the steps that store the chunks of organizations, in ascending order. An organization may
   * have all visits of a compaction, so it may need several steps.
   */
  async *#stepsOfOrganizations(
    batches: readonly Batch[],
    progress: Compaction,
  ): AsyncGenerator<Step> {
    const { nextOrganization, nextVisit } = progress;
    const remaining = (await this.#groupByOrganization(batches)).filter(
      ([id]) => id >= nextOrganization,
    );
    for (const group of slicesOf(remaining, maxOwners)) {
      const ids = group.map(([id]) => id);
      const lastChunks = await this.#readLastChunks('organization_chunks', ids);
      let chunks: NewChunks<string>[] = [];
      let bytes = 0;
      let next = progress;
      for (const [owner, visits] of group) {
        let last = lastChunks.get(owner);
        let start = owner === nextOrganization ? nextVisit : 0;
        while (start < visits.length) {
          const part = visits.slice(start, start + visitsPerStep);
          const added = fillChunks('organization_chunks', owner, last, part);
          start += part.length;
          last = added.rows.at(-1);
          chunks.push(added);
          bytes += added.bytes;
          next = { ...progress, nextOrganization: owner, nextVisit: start };
          // The next part of the organization continues a chunk of this one.
          if (start === visits.length && bytes < maxBytes) continue;
          yield { table: 'organization_chunks', chunks, next };
          chunks = [];
          bytes = 0;
        }
      }
      if (chunks.length > 0) yield { table: 'organization_chunks', chunks, next };
    }
  }

  /** Returns the visits of each organization in the order of their arrival, in ascending order. */
  async #groupByOrganization(
    batches: readonly Batch[],
  ): Promise<[organizationId: string, visits: VisitRef[]][]> {
    const urlIds = batches.flatMap(({ columns }) => [...new Set(columns.urlIds)]);
    const organizations = await findOrganizations(this.#database.read, urlIds);
    const groups = new Map<string, VisitRef[]>();
    for (const { columns } of batches) {
      for (const [index, urlId] of columns.urlIds.entries()) {
        const organizationId = organizations.get(urlId);
        // The link was deleted.
        if (organizationId === undefined) continue;
        const visits = groups.get(organizationId);
        if (visits) visits.push({ columns, index });
        else groups.set(organizationId, [{ columns, index }]);
      }
    }
    return [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
  }

  async #readLastChunks<Id extends Owner>(
    table: ChunkTable,
    owners: readonly Id[],
  ): Promise<ReadonlyMap<Id, LastChunk>> {
    const { column, type } = ownerColumns[table];
    const wanted = sql.join(owners.map((id) => sql`(cast(${id} as ${sql.raw(type)}))`));
    const { rows } = await sql<LastChunk & { readonly owner: Id }>`
      select chunk.${sql.ref(column)} as owner, chunk.number, chunk.visit_count, chunk.visits
      from (values ${wanted}) as wanted
      join ${sql.table(table)} as chunk
        on chunk.${sql.ref(column)} = wanted.column1
        and chunk.number = (select max(number) from ${sql.table(table)}
          where ${sql.ref(column)} = wanted.column1)`.execute(this.#database.read);
    return new Map(rows.map((row) => [row.owner, row]));
  }

  /**
   * Stores chunks and the compaction's progress in one transaction. Returns false, and stores
   * nothing, when another process has continued the compaction, pruned one of the chunks or erased visits.
   */
  #store(
    { table, chunks, next }: Step,
    progress: Compaction,
    batches: readonly Batch[],
  ): Promise<boolean> {
    const { batchIds } = progress;
    return this.#write(async (transaction) => {
      const current = await findCompaction(transaction);
      if (!current || !isDeepStrictEqual(current, progress)) return false;
      // Visits may have been erased from the batches since they were read.
      const visits = batches.reduce((sum, { columns }) => sum + columns.count, 0);
      if ((await countVisits(transaction, batchIds)) !== visits) return false;
      // An organization may have been deleted since the batches were read.
      const isDeleted = await findDeletedOwners(
        transaction,
        chunks.map(({ owner }) => owner),
      );
      const stored = chunks.filter(({ owner }) => !isDeleted(owner));
      if (!(await deleteUnchanged(transaction, table, stored))) return false;
      const { nextUrl, nextOrganization, nextVisit } = next;
      await transaction
        .updateTable('visit_compactions')
        .set({ next_url: nextUrl, next_organization: nextOrganization, next_visit: nextVisit })
        .execute();
      const { column } = ownerColumns[table];
      const rows = stored.flatMap(({ owner, rows }) =>
        rows.map((row) => ({ [column]: owner, ...row })),
      );
      await this.#database.bulkInsert(transaction, table, rows as never[]);
      return true;
    });
  }

  /** Deletes the batches, whose visits are in chunks, and then the compaction. */
  async #finish(
    progress: Compaction,
    batches: readonly Batch[],
    signal: AbortSignal | undefined,
  ): Promise<void> {
    for (const part of partsOf(batches)) {
      const ids = part.map(({ id }) => id);
      await this.#write((transaction) =>
        transaction.deleteFrom('visit_batches').where(areBatches(transaction, ids)).execute(),
      );
      if (signal?.aborted) return;
    }
    await this.#write(async (transaction) => {
      const current = await findCompaction(transaction);
      if (!isDeepStrictEqual(current, progress)) return;
      await transaction.deleteFrom('visit_compactions').execute();
    });
  }
}

async function countVisits(transaction: WriteTransaction, ids: readonly number[]): Promise<number> {
  const { visits } = await transaction
    .selectFrom('visit_batches')
    .select(({ fn }) => fn.sum<number | null>('visit_count').as('visits'))
    .where(areBatches(transaction, ids))
    .executeTakeFirstOrThrow();
  return Number(visits);
}

/** Divides batches into parts, each of which one transaction deletes. */
function* partsOf(batches: readonly Batch[]): Generator<readonly Batch[]> {
  let part: Batch[] = [];
  let bytes = 0;
  for (const batch of batches) {
    if (part.length > 0 && bytes + batch.bytes > maxDeletedBytes) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(batch);
    bytes += batch.bytes;
  }
  if (part.length > 0) yield part;
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

/** Adds visits to the owner's last chunk unless it is full, then to new ones. */
function fillChunks<Id extends Owner>(
  table: ChunkTable,
  owner: Id,
  last: LastChunk | undefined,
  visits: readonly VisitRef[],
): NewChunks<Id> {
  let existing = last && tryToContinue(last);
  const replaced = existing && last;
  let number = replaced?.number ?? (last ? last.number + 1 : 0);
  let bytes = replaced?.visits.length ?? 0;
  const rows: Chunk[] = [];
  for (let added = 0; added < visits.length; number += 1) {
    const packed = packChunk(existing, visits, added, table);
    rows.push({ number, ...packed.chunk });
    bytes += packed.chunk.visits.length;
    added += packed.added;
    existing = undefined;
  }
  return { owner, replaced, rows, bytes };
}

/** Returns the visits of a chunk unless it is full. A damaged chunk, which `doctor` names, gets no more. */
function tryToContinue({ visit_count, visits }: LastChunk): VisitColumns | undefined {
  if (visit_count >= visitsPerChunk || visits.length >= maxChunkBytes) return undefined;
  const columns = tryToDecode(visits);
  return columns?.count === visit_count ? columns : undefined;
}

/** Returns a function that decides whether the owner is deleted, or being deleted. */
async function findDeletedOwners(
  transaction: WriteTransaction,
  owners: readonly Owner[],
): Promise<(owner: Owner) => boolean> {
  const urlIds = owners.filter((owner) => typeof owner === 'number');
  const { deleted } = await findMissingLinks(transaction, new Set(urlIds));
  const organizationIds = owners.filter((owner) => typeof owner === 'string');
  if (organizationIds.length === 0) return (owner) => deleted.has(owner as number);
  const rows = await transaction
    .selectFrom('organizations')
    .select('id')
    .where('id', 'in', organizationIds)
    .where('deletion_started_at', 'is', null)
    .execute();
  const existing = new Set(rows.map(({ id }) => id));
  return (owner) => !existing.has(owner as string);
}

/**
 * Deletes the chunks of different owners that are replaced. Returns false, and deletes none, when one
 * of them has changed.
 */
async function deleteUnchanged(
  transaction: WriteTransaction,
  table: ChunkTable,
  chunks: readonly NewChunks<Owner>[],
): Promise<boolean> {
  const replaced = chunks.flatMap(({ owner, replaced }) =>
    replaced ? [{ owner, ...replaced }] : [],
  );
  if (replaced.length === 0) return true;
  const { column, type } = ownerColumns[table];
  const keys = replaced.map(
    ({ owner, number }) => sql`(cast(${owner} as ${sql.raw(type)}), cast(${number} as integer))`,
  );
  const isOneOfChunks = sql<boolean>`(${sql.ref(column)}, number) in (values ${sql.join(keys)})`;
  const { rows: stored } = await sql<{ owner: Owner; visit_count: number }>`
    select ${sql.ref(column)} as owner, visit_count from ${sql.table(table)}
    where ${isOneOfChunks}`.execute(transaction);
  const visitsOf = new Map(stored.map((row) => [row.owner, row.visit_count]));
  if (replaced.some((chunk) => visitsOf.get(chunk.owner) !== chunk.visit_count)) return false;
  await transaction.deleteFrom(table).where(isOneOfChunks).execute();
  return true;
}
