import {
  type Database,
  StorageUnavailableError,
  type WriteTransaction,
} from '../../storage/database.js';
import { writeCompactedVisits } from '../../storage/locks.js';
import { toChunk, tryToDecode } from './columns-codec.js';
import { eraseInBatches, eraseStoredBatches } from './erase-batches.js';
import { resetCounters, storePeaks } from './erased-counters.js';
import { type ErasedLink, type Erasure, findErasures, finishErasures } from './erasure-marks.js';
import { findCompactionOfBatch, nameOfRow, type StoredVisits } from './read-stored-visits.js';
import { allIndexes, filterColumns, type VisitColumns } from './visit-columns.js';
import { pruneOrganizationChunks, raiseCompleteFrom } from './visit-pruner.js';

// The number of entire chunks that a transaction deletes. Each has up to 2,048 visits: typically 50 KB.
const chunksPerTransaction = 32;
// Visits have the times of their nodes.
const maxClockDifferenceMs = 60_000;

/** The visits of a link are not erased, because a row that may have some of them cannot be read. */
export class UnreadableVisitsError extends Error {
  readonly urlId: number;

  constructor(urlId: number, rows: readonly string[]) {
    const [is, have] = rows.length === 1 ? ['row', 'it'] : ['rows', 'they'];
    super(
      `the visits of link ${urlId} are not erased: the ${is} ${rows.join(', ')} cannot be read, and ${have} may have some of them; see shorty-server doctor --check`,
    );
    this.urlId = urlId;
  }
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
  const errors = new Map<string, Error>();
  const unreadable = new Map<number, UnreadableVisitsError>();
  while (!signal?.aborted) {
    // The lock delays all writes, so it is not taken in vain.
    const marked = await findErasures(database.read, errors, unreadable);
    if (marked.length === 0) break;
    for (const erasure of marked) await eraseWholeChunks(database, erasure, signal);
    await eraseStoredBatches(database, marked, signal);
    if (signal?.aborted) break;
    // Waits for the transactions that began before the mark.
    const erasures = await database.writeDirectly(
      (transaction) => eraseMarked(database, transaction, errors, unreadable),
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
  return [...errors.values(), ...unreadable.values()];
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
    hasMore = await writeCompactedVisits(database, async (transaction) => {
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
    });
  }
}

/** Erases the visits of marked links except for copies. Returns these links, without the unreadable ones. */
async function eraseMarked(
  database: Database,
  transaction: WriteTransaction,
  failed: ReadonlyMap<string, unknown>,
  unreadable: Map<number, UnreadableVisitsError>,
): Promise<readonly Erasure[]> {
  const erasures = await findErasures(transaction, failed, unreadable);
  const damaged = new Set<number>();
  const compactionOf = await findCompactionOfBatch(transaction);
  const remaining = new Map<number, StoredVisits[]>(erasures.map(({ urlId }) => [urlId, []]));
  await eraseInBatches(transaction, erasures, compactionOf, remaining, damaged);
  const batches = [...damaged].map((id) => nameOfRow({ number: id }));
  const erased: Erasure[] = [];
  for (const erasure of erasures) {
    const { urlId, until } = erasure;
    const visits = remaining.get(urlId) ?? [];
    const chunks = await readMixedAndLater(transaction, erasure);
    const rows = [...batches, ...chunks.flatMap((each) => (each.columns ? [] : [each.row]))];
    if (rows.length > 0) {
      unreadable.set(urlId, new UnreadableVisitsError(urlId, rows));
      continue;
    }
    visits.push(...(await eraseInChunks(database, transaction, erasure, chunks)));
    erased.push(erasure);
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
  return erased;
}

/** A chunk of a link with visits that remain. Without columns, it cannot be read. */
interface RemainingChunk {
  readonly row: string;
  readonly number: number;
  readonly hasErased: boolean;
  readonly columns: VisitColumns | undefined;
}

async function readMixedAndLater(
  transaction: WriteTransaction,
  { urlId, until }: Erasure,
): Promise<readonly RemainingChunk[]> {
  const chunks = await transaction
    .selectFrom('visit_chunks')
    .select(['number', 'first_at', 'visits'])
    .where('url_id', '=', urlId)
    .where('last_at', '>', until)
    .execute();
  return chunks.map(({ number, first_at, visits }) => ({
    row: nameOfRow({ urlId, number }),
    number,
    hasErased: first_at <= until,
    columns: tryToDecode(visits, urlId),
  }));
}

/** Deletes the erased visits in the chunks of a link, and returns its later visits, which remain. */
async function eraseInChunks(
  database: Database,
  transaction: WriteTransaction,
  { urlId, until }: Erasure,
  chunks: readonly RemainingChunk[],
): Promise<readonly StoredVisits[]> {
  const ofUrl = transaction.deleteFrom('visit_chunks').where('url_id', '=', urlId);
  await ofUrl.where('first_at', '<=', until).execute();
  const rests = chunks.flatMap(({ columns, ...chunk }) => {
    if (!columns) return [];
    const isLater = (index: number) => (columns.visitedAt[index] as number) > until;
    return [{ ...chunk, rest: chunk.hasErased ? filterColumns(columns, isLater) : columns }];
  });
  const rewritten = rests
    .filter(({ hasErased, rest }) => hasErased && rest.count > 0)
    .map(({ number, rest }) => ({ url_id: urlId, number, ...toChunk(rest) }));
  await database.bulkInsert(transaction, 'visit_chunks', rewritten);
  return rests.map(({ rest }) => ({ columns: rest, indexes: allIndexes(rest) }));
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
