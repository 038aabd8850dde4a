import { type Kysely, sql } from 'kysely';
import {
  type Database,
  type Schema,
  StorageUnavailableError,
  type WriteTransaction,
} from '../../storage/database.js';
import { selectScans } from '../reports/visit-measures.js';
import { encodeColumns, toChunk, tryToDecode } from './columns-codec.js';
import {
  type Compaction,
  type CompactionOfBatch,
  findCompactionOfBatch,
  findOrganizations,
  firstPendingUrl,
  type StoredVisits,
} from './read-stored-visits.js';
import { isWithin, selectSpans, toScannedUrls } from './scanned-url.js';
import {
  allIndexes,
  humanSources,
  type VisitColumns,
  VisitColumnsBuilder,
} from './visit-columns.js';
import { pruneOrganizationChunks, raiseCompleteFrom } from './visit-pruner.js';

/** A link whose visits up to an instant are erased. */
interface Erasure {
  readonly urlId: number;
  readonly organizationId: string;
  /** Visits of this millisecond are erased, too. */
  readonly until: number;
}

// The number of links in one transaction, which holds all write locks. They share the read of the batches.
const urlsPerTransaction = 20;
// The number of entire chunks that a transaction deletes. Each has up to 2,048 visits: typically 50 KB.
const chunksPerTransaction = 32;
// The bytes of batches that a transaction writes again. Usually, so many have 8,000 visits.
const batchBytesPerTransaction = 1024 * 1024;
// Visits have the times of their nodes.
const maxClockDifferenceMs = 60_000;
const allTime = { since: 0, until: Number.POSITIVE_INFINITY };

/**
 * Marks a link for the erasure of its visits up to `now`. From the commit on, no later transaction stores
 * such a visit, whenever its journal is read.
 */
export async function markErased(
  transaction: WriteTransaction,
  urlId: number,
  now: number,
): Promise<void> {
  await transaction
    .insertInto('url_clicks')
    .values({ url_id: urlId, clicks: 0, erased_until: now, erasure_pending: 1 })
    .onConflict((conflict) =>
      conflict.column('url_id').doUpdateSet({
        erasure_pending: 1,
        // The clock of another node may be ahead.
        erased_until: sql<number>`case when url_clicks.erased_until > ${now}
          then url_clicks.erased_until else ${now} end`,
      }),
    )
    .execute();
}

/** Returns the visits without those that an erasure has reached. Costs almost nothing without erasures. */
export async function withoutErased<Visit extends { urlId: number; visitedAt: number }>(
  transaction: WriteTransaction,
  visits: readonly Visit[],
): Promise<readonly Visit[]> {
  if (visits.length === 0) return visits;
  const members = Array.from(new Set(visits.map(({ urlId }) => urlId)), (id) => `"${id}":0`);
  const { rows } = await sql<{ urlId: number; until: number }>`
    select url_id as "urlId", erased_until as until from url_clicks
    where erased_until > 0
      and url_id + 0 in (select cast(key as bigint) from json_each(${`{${members.join()}}`}))`.execute(
    transaction,
  );
  if (rows.length === 0) return visits;
  const erased = new Map(rows.map(({ urlId, until }) => [urlId, until]));
  return visits.filter(({ urlId, visitedAt }) => visitedAt > (erased.get(urlId) ?? -1));
}

/**
 * Erases the visits of the marked links, and their daily sums. Continues what a killed process began.
 * Returns the errors: links whose erasure is not finished retain their marks. When the signal aborts, it
 * returns early, and a later call continues.
 */
export async function eraseVisits(
  database: Database,
  signal?: AbortSignal,
): Promise<readonly Error[]> {
  const damaged = new Set<number>();
  const errors = new Map<string, Error>();
  while (!signal?.aborted) {
    // The lock delays all writes, so it is not taken in vain.
    const marked = await findErasures(database.read, errors);
    if (marked.length === 0) break;
    for (const erasure of marked) await eraseWholeChunks(database, erasure, signal);
    await eraseStoredBatches(database, marked, signal);
    if (signal?.aborted) break;
    // Waits for the transactions that began before the mark.
    const erasures = await database.writeDirectly(
      (transaction) => eraseMarked(database, transaction, errors, damaged),
      'exclusive',
    );
    for (const organizationId of new Set(erasures.map((erasure) => erasure.organizationId))) {
      try {
        await removeUnusedChunks(database, organizationId, signal);
      } catch (error) {
        if (error instanceof StorageUnavailableError) throw error;
        // One organization must not block the others.
        const message = `organization ${organizationId}: copies of erased visits were not deleted`;
        errors.set(organizationId, new Error(message, { cause: error }));
      }
    }
    // Copies remain. The marks let the next call delete them.
    if (signal?.aborted) break;
    const finished = erasures.filter(({ organizationId }) => !errors.has(organizationId));
    await finishErasures(database, finished);
  }
  if (damaged.size === 0) return [...errors.values()];
  const ids = [...damaged].join(', ');
  const message = `batches of visits cannot be read, so they may retain erased visits: ${ids}`;
  return [...errors.values(), new Error(message)];
}

/**
 * Erases all visits of a link in a transaction that holds all write locks: those that came since the
 * erasure of its visits. The caller deletes the link in the same transaction, and then calls
 * `removeUnusedChunks`.
 */
export async function eraseLastVisits(
  transaction: WriteTransaction,
  { urlId, organizationId }: Pick<Erasure, 'urlId' | 'organizationId'>,
  now: number,
): Promise<void> {
  const erasure = { urlId, organizationId, until: Number.POSITIVE_INFINITY };
  const compactionOf = await findCompactionOfBatch(transaction);
  await eraseInBatches(transaction, [erasure], compactionOf, new Map(), new Set());
  await transaction.deleteFrom('visit_chunks').where('url_id', '=', urlId).execute();
  await raiseCompleteFrom(transaction, organizationId, now + maxClockDifferenceMs);
}

/** Returns whether the erasure of a link's visits is not finished. */
export async function isErasurePending(db: Kysely<Schema>, urlId: number): Promise<boolean> {
  const row = await db
    .selectFrom('url_clicks')
    .select('url_id')
    .where('url_id', '=', urlId)
    .where('erasure_pending', '=', 1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Lists marked links, except for those of organizations that failed. */
async function findErasures(
  db: Kysely<Schema>,
  failed: ReadonlyMap<string, unknown>,
): Promise<readonly Erasure[]> {
  return db
    .selectFrom('url_clicks')
    .innerJoin('urls', 'urls.id', 'url_clicks.url_id')
    .select(['url_id as urlId', 'organization_id as organizationId', 'erased_until as until'])
    .where('erasure_pending', '=', 1)
    .$if(failed.size > 0, (query) => query.where('organization_id', 'not in', [...failed.keys()]))
    .orderBy('url_id')
    .limit(urlsPerTransaction)
    .execute();
}

/** Deletes the marks. A link that was marked again meanwhile retains its mark. */
async function finishErasures(database: Database, erasures: readonly Erasure[]): Promise<void> {
  if (erasures.length === 0) return;
  await database.writeDirectly(async (transaction) => {
    for (const { urlId, until } of erasures) {
      await transaction
        .updateTable('url_clicks')
        .set({ erasure_pending: 0 })
        .where('url_id', '=', urlId)
        .where('erased_until', '=', until)
        .execute();
    }
  }, 'exclusive');
}

/**
 * Deletes the chunks of a link that have only erased visits, a few in each transaction: a link may have
 * millions of visits. Until the erasure is finished, the counters still include them.
 */
async function eraseWholeChunks(
  database: Database,
  { urlId, organizationId, until }: Erasure,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (let hasMore = true; hasMore && !signal?.aborted; ) {
    hasMore = await database.writeDirectly(
      async (transaction) => {
        const chunks = await transaction
          .selectFrom('visit_chunks')
          .select('number')
          .where('url_id', '=', urlId)
          .where('last_at', '<=', until)
          .orderBy('number')
          .limit(chunksPerTransaction)
          .execute();
        const last = chunks.at(-1);
        if (!last) return false;
        // `doctor` may correct the counters before the erasure is finished.
        await storePeaks(transaction, urlId);
        // Overviews must not read the copies of these visits.
        await raiseCompleteFrom(transaction, organizationId, until + 1);
        await transaction
          .deleteFrom('visit_chunks')
          .where('url_id', '=', urlId)
          .where('last_at', '<=', until)
          .where('number', '<=', last.number)
          .execute();
        return chunks.length === chunksPerTransaction;
      },
      { visitShard: database.visitShardOf(organizationId) },
    );
  }
}

/** Batches of one shard that have erased visits. */
interface BatchesToErase {
  readonly shard: number;
  readonly ids: number[];
  /** The links that have some of these visits. */
  readonly urlIds: Set<number>;
  bytes: number;
}

/**
 * Writes the batches that have erased visits again, a few in each transaction. Those that transactions
 * store meanwhile, which began before the mark, are left to the last transaction of the erasure.
 */
async function eraseStoredBatches(
  database: Database,
  erasures: readonly Erasure[],
  signal: AbortSignal | undefined,
): Promise<void> {
  for await (const { shard, ids, urlIds } of findBatchesToErase(database, erasures, signal)) {
    await database.writeDirectly(
      async (transaction) => {
        for (const { urlId, organizationId, until } of erasures) {
          if (!urlIds.has(urlId)) continue;
          await storePeaks(transaction, urlId);
          await raiseCompleteFrom(transaction, organizationId, until + 1);
        }
        const compactionOf = await findCompactionOfBatch(transaction);
        await eraseInBatches(transaction, erasures, compactionOf, new Map(), new Set(), ids);
      },
      { visitShard: shard },
    );
  }
}

/** Yields the batches that have erased visits, as many as one transaction writes. Reads without a lock. */
async function* findBatchesToErase(
  database: Database,
  erasures: readonly Erasure[],
  signal: AbortSignal | undefined,
): AsyncGenerator<BatchesToErase> {
  const untilOf = new Map(erasures.map(({ urlId, until }) => [urlId, until]));
  const batches = await database.read
    .selectFrom('visit_batches')
    .select(['id', 'shard'])
    .orderBy('shard')
    .orderBy('id')
    .execute();
  let found: BatchesToErase | undefined;
  for (const { id, shard } of batches) {
    if (signal?.aborted) return;
    const row = await database.read
      .selectFrom('visit_batches')
      .select('visits')
      .where('id', '=', id)
      .executeTakeFirst();
    // Compacted meanwhile, or damaged: the last transaction reports it.
    const columns = row && tryToDecode(row.visits);
    if (!columns) continue;
    const urlIds = columns.urlIds.filter(
      (urlId, index) =>
        (columns.visitedAt[index] as number) <= (untilOf.get(urlId) ?? Number.NEGATIVE_INFINITY),
    );
    if (urlIds.length === 0) continue;
    const bytes = row.visits.length;
    if (found && (found.shard !== shard || found.bytes + bytes > batchBytesPerTransaction)) {
      yield found;
      found = undefined;
    }
    found ??= { shard, ids: [], urlIds: new Set(), bytes: 0 };
    found.ids.push(id);
    found.bytes += bytes;
    for (const urlId of urlIds) found.urlIds.add(urlId);
  }
  if (found && !signal?.aborted) yield found;
}

/** Erases the visits of marked links except for copies. Returns these links. */
async function eraseMarked(
  database: Database,
  transaction: WriteTransaction,
  failed: ReadonlyMap<string, unknown>,
  damaged: Set<number>,
): Promise<readonly Erasure[]> {
  const erasures = await findErasures(transaction, failed);
  const compactionOf = await findCompactionOfBatch(transaction);
  const remaining = new Map<number, StoredVisits[]>(erasures.map(({ urlId }) => [urlId, []]));
  await eraseInBatches(transaction, erasures, compactionOf, remaining, damaged);
  for (const erasure of erasures) {
    const { urlId, until } = erasure;
    const visits = remaining.get(urlId) ?? [];
    visits.push(...(await eraseInChunks(database, transaction, erasure)));
    const qrIds = transaction.selectFrom('qr_codes').select('id').where('url_id', '=', urlId);
    await transaction
      .deleteFrom('click_days')
      .where('url_id', '=', urlId)
      .where('day', '<=', until)
      .execute();
    await transaction
      .deleteFrom('scan_days')
      .where('qr_id', 'in', qrIds)
      .where('day', '<=', until)
      .execute();
    await resetCounters(transaction, erasure, visits);
    await raiseCompleteFrom(transaction, erasure.organizationId, until + 1);
  }
  return erasures;
}

/**
 * Writes batches again without the erased visits: those with the ids `only`, or all. Adds the visits of the
 * links that remain.
 */
async function eraseInBatches(
  transaction: WriteTransaction,
  erasures: readonly Erasure[],
  compactionOf: CompactionOfBatch,
  remaining: ReadonlyMap<number, StoredVisits[]>,
  damaged: Set<number>,
  only?: readonly number[],
): Promise<void> {
  const written = only && new Set(only);
  const untilOf = new Map(erasures.map(({ urlId, until }) => [urlId, until]));
  const progress = new OrganizationProgress(
    compactionOf,
    new Set(erasures.map(({ organizationId }) => organizationId)),
  );
  const batches = await transaction
    .selectFrom('visit_batches')
    .select('id')
    .orderBy('id')
    .execute();
  for (const { id } of batches) {
    const isWritten = written?.has(id) ?? true;
    // The progress depends on the batches before, too.
    if (!isWritten && !progress.dependsOn(id)) continue;
    const { visits } = await transaction
      .selectFrom('visit_batches')
      .select('visits')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    const columns = tryToDecode(visits);
    if (!columns) {
      damaged.add(id);
      continue;
    }
    const isErased = (index: number) =>
      isWritten &&
      (columns.visitedAt[index] as number) <=
        (untilOf.get(columns.urlIds[index] as number) ?? Number.NEGATIVE_INFINITY);
    const firstPending = firstPendingUrl(compactionOf, id);
    for (const [urlId, found] of remaining) {
      // The others are in chunks, too.
      if (urlId < firstPending) continue;
      const indexes = allIndexes(columns).filter(
        (index) => columns.urlIds[index] === urlId && !isErased(index),
      );
      if (indexes.length > 0) found.push({ columns, indexes });
    }
    await progress.add(transaction, id, columns, isErased);
    if (!isWritten) continue;
    const rest = filterColumns(columns, (index) => !isErased(index));
    if (rest.count === columns.count) continue;
    const row = transaction.updateTable('visit_batches').where('id', '=', id);
    await row.set({ visit_count: rest.count, visits: encodeColumns(rest) }).execute();
  }
  await progress.store(transaction);
}

/**
 * The progress of a compaction within an organization is a number of its visits in batches, so it
 * decreases by those that are erased.
 */
class OrganizationProgress {
  readonly #compactionOf: CompactionOfBatch;
  readonly #organizationIds: ReadonlySet<string>;
  /** The visits that are in chunks and that no batch has had yet, and the erased ones. */
  readonly #counts = new Map<Compaction, { stored: number; erased: number }>();

  constructor(compactionOf: CompactionOfBatch, organizationIds: ReadonlySet<string>) {
    this.#compactionOf = compactionOf;
    this.#organizationIds = organizationIds;
  }

  /** Returns whether `add` needs the visits of a batch. */
  dependsOn(batchId: number): boolean {
    const compaction = this.#compactionOf.get(batchId);
    return (
      compaction !== undefined &&
      compaction.nextVisit > 0 &&
      this.#organizationIds.has(compaction.nextOrganization)
    );
  }

  /** Counts the visits of a batch. Batches come in ascending order. */
  async add(
    transaction: WriteTransaction,
    batchId: number,
    { urlIds }: VisitColumns,
    isErased: (index: number) => boolean,
  ): Promise<void> {
    const compaction = this.#compactionOf.get(batchId);
    if (!compaction || !this.#organizationIds.has(compaction.nextOrganization)) return;
    const counts = this.#counts.get(compaction) ?? { stored: compaction.nextVisit, erased: 0 };
    this.#counts.set(compaction, counts);
    if (counts.stored === 0) return;
    const organizations = await findOrganizations(transaction, urlIds);
    for (const [index, urlId] of urlIds.entries()) {
      if (organizations.get(urlId) !== compaction.nextOrganization) continue;
      if (counts.stored === 0) return;
      counts.stored -= 1;
      if (isErased(index)) counts.erased += 1;
    }
  }

  async store(transaction: WriteTransaction): Promise<void> {
    for (const [{ shard, nextVisit }, { erased }] of this.#counts) {
      if (erased === 0) continue;
      await transaction
        .updateTable('visit_compactions')
        .set({ next_visit: nextVisit - erased })
        .where('shard', '=', shard)
        .execute();
    }
  }
}

/** Deletes the chunks of a link, and returns its later visits, which remain. */
async function eraseInChunks(
  database: Database,
  transaction: WriteTransaction,
  { urlId, until }: Erasure,
): Promise<readonly StoredVisits[]> {
  const ofUrl = transaction.deleteFrom('visit_chunks').where('url_id', '=', urlId);
  await ofUrl.where('last_at', '<=', until).execute();
  const mixed = await ofUrl
    .where('first_at', '<=', until)
    .returning(['number', 'visits'])
    .execute();
  const rests = mixed.flatMap(({ number, visits }) => {
    // A chunk that cannot be read is deleted as a whole, because it has erased visits.
    const columns = tryToDecode(visits, urlId);
    if (!columns) return [];
    const rest = filterColumns(columns, (index) => (columns.visitedAt[index] as number) > until);
    return rest.count > 0 ? [{ url_id: urlId, number, ...toChunk(rest) }] : [];
  });
  await database.bulkInsert(transaction, 'visit_chunks', rests);
  const later = await transaction
    .selectFrom('visit_chunks')
    .select('visits')
    .where('url_id', '=', urlId)
    .execute();
  return later.flatMap(({ visits }) => {
    const columns = tryToDecode(visits, urlId);
    return columns ? [{ columns, indexes: allIndexes(columns) }] : [];
  });
}

/**
 * Sets the counters of a link and its QR codes to the visits that remain: those that are stored, and
 * those of later days that were pruned, whose daily sums remain. The counts before are stored,
 * because a threshold that was reached is not sent again.
 */
async function resetCounters(
  transaction: WriteTransaction,
  { urlId, until }: Erasure,
  remaining: readonly StoredVisits[],
): Promise<void> {
  const spans = await selectSpans(transaction).where('qr_codes.url_id', '=', urlId).execute();
  const url = toScannedUrls(spans).get(urlId);
  const scans = new Map(url?.spans.map(({ qrId }) => [qrId, 0]));
  const days = await transaction
    .selectFrom('click_days')
    .select('clicks')
    .where('url_id', '=', urlId)
    .execute();
  const scanDays = await transaction
    .selectFrom('scan_days')
    .select(['qr_id', 'scans'])
    .where(
      'qr_id',
      'in',
      transaction.selectFrom('qr_codes').select('id').where('url_id', '=', urlId),
    )
    .execute();
  for (const day of scanDays) {
    scans.set(day.qr_id, (scans.get(day.qr_id) ?? 0) + Number(day.scans));
  }
  let clicks = days.reduce((sum, day) => sum + Number(day.clicks), 0);
  for (const visits of remaining) {
    const { columns, indexes } = visits;
    const isHuman = humanSources(columns);
    const { codes } = columns.dictionaries.source;
    for (const index of indexes) {
      if (isHuman[codes[index] as number] === 1) clicks += 1;
    }
    for (const index of selectScans(visits, allTime, () => url).indexes) {
      const at = columns.visitedAt[index] as number;
      for (const span of url?.spans ?? []) {
        if (isWithin(span, at)) scans.set(span.qrId, (scans.get(span.qrId) ?? 0) + 1);
      }
    }
  }
  await storePeaks(transaction, urlId);
  await transaction
    .updateTable('url_clicks')
    .set({
      clicks,
      // They stay used if the link has a limit.
      erased_clicks: sql<number>`erased_clicks + clicks - ${clicks}`,
      // The last click may be pruned.
      last_clicked_at: sql<number>`case when last_clicked_at > ${until} then last_clicked_at end`,
    })
    .where('url_id', '=', urlId)
    .execute();
  for (const [qrId, count] of scans) {
    await transaction
      .updateTable('qr_counts')
      .set({ scans: count })
      .where('qr_id', '=', qrId)
      .execute();
  }
}

/** Stores the highest counts of a link and its QR codes, before the counters decrease. */
async function storePeaks(transaction: WriteTransaction, urlId: number): Promise<void> {
  await transaction
    .updateTable('url_clicks')
    .set({ peak_clicks: greatest('peak_clicks', 'clicks') })
    .where('url_id', '=', urlId)
    .execute();
  await transaction
    .updateTable('qr_counts')
    .set({ peak_scans: greatest('peak_scans', 'scans') })
    .where(
      'qr_id',
      'in',
      transaction.selectFrom('qr_codes').select('id').where('url_id', '=', urlId),
    )
    .execute();
}

// SQLite has no `greatest`.
function greatest(a: string, b: string) {
  const [one, other] = [sql.ref(a), sql.ref(b)];
  return sql<number>`case when ${one} > ${other} then ${one} else ${other} end`;
}

/** Deletes the visits in the chunks of an organization that no overview reads any more. */
export async function removeUnusedChunks(
  database: Database,
  organizationId: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const organization = await database.read
    .selectFrom('organizations')
    .select('chunks_complete_from as completeFrom')
    .where('id', '=', organizationId)
    .executeTakeFirst();
  if (!organization) return;
  const { completeFrom } = organization;
  const errors: unknown[] = [];
  await pruneOrganizationChunks(database, completeFrom, errors, signal, organizationId);
  if (errors.length > 0) throw new AggregateError(errors, 'some chunks were not pruned');
}

function filterColumns(columns: VisitColumns, isWanted: (index: number) => boolean): VisitColumns {
  const builder = new VisitColumnsBuilder(columns.count);
  for (let index = 0; index < columns.count; index += 1) {
    if (isWanted(index)) builder.addFrom(columns, index);
  }
  return builder.finish();
}
