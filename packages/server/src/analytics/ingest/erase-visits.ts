import {
  type Database,
  StorageUnavailableError,
  type WriteTransaction,
} from '../../storage/database.js';
import { toChunk, tryToDecode } from './columns-codec.js';
import { eraseInBatches, eraseStoredBatches } from './erase-batches.js';
import { resetCounters, storePeaks } from './erased-counters.js';
import { type ErasedLink, type Erasure, findErasures, finishErasures } from './erasure-marks.js';
import { findCompactionOfBatch, type StoredVisits } from './read-stored-visits.js';
import { allIndexes, filterColumns } from './visit-columns.js';
import { pruneOrganizationChunks, raiseCompleteFrom } from './visit-pruner.js';

// The number of entire chunks that a transaction deletes. Each has up to 2,048 visits: typically 50 KB.
const chunksPerTransaction = 32;
// Visits have the times of their nodes.
const maxClockDifferenceMs = 60_000;

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
  { urlId, organizationId }: ErasedLink,
  now: number,
): Promise<void> {
  const erasure = { urlId, organizationId, until: Number.POSITIVE_INFINITY };
  const compactionOf = await findCompactionOfBatch(transaction);
  await eraseInBatches(transaction, [erasure], compactionOf, new Map(), new Set());
  await transaction.deleteFrom('visit_chunks').where('url_id', '=', urlId).execute();
  await raiseCompleteFrom(transaction, organizationId, now + maxClockDifferenceMs);
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
