import { type Kysely, sql } from 'kysely';
import type { Database, Schema, WriteTransaction } from '../../storage/database.js';
import { resetCounters } from './erased-counters.js';
import { type ErasedLink, type Erasure, findErasure } from './erasure-marks.js';
import { keepVisits, UnreadableRowError } from './stored-visits.js';

// The rows that a transaction reads and writes again: typically 3 MB.
const rowsPerTransaction = 32;

/** Why the visits of links are not erased, by their ids. */
export type ErasureFailures = ReadonlyMap<number, string>;

/**
 * Erases the visits of the marked links. Continues what a killed process began. Returns why others are not
 * erased: they retain their marks. Ends early when the signal aborts.
 */
export async function eraseVisits(
  database: Database,
  signal?: AbortSignal,
): Promise<ErasureFailures> {
  const failed = new Map<number, string>();
  while (!signal?.aborted) {
    const erasure = await findErasure(database.read, failed);
    if (!erasure) break;
    const { urlId } = erasure;
    try {
      await eraseLink(database, erasure, signal);
    } catch (error) {
      if (!(error instanceof UnreadableRowError)) throw error;
      failed.set(urlId, `the visits of link ${urlId} are not erased: ${error.message}`);
    }
  }
  return failed;
}

/**
 * Erases the visits of a link, a few rows in each transaction. Rows that a merge writes meanwhile have
 * greater ids. A transaction that stores visits has either counted them before the mark was set, or has
 * seen the mark and stored no erased visit.
 */
async function eraseLink(
  database: Database,
  erasure: Erasure,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { organizationId } = erasure;
  for (let last: number | undefined = 0; last !== undefined && !signal?.aborted; ) {
    const after: number = last;
    last = await database.writeDirectly(
      async (transaction) => {
        const rows = await eraseRows(transaction, erasure, after);
        if (rows > after) return rows;
        await finish(transaction, erasure);
        return undefined;
      },
      { organizationId },
    );
  }
}

/** Erases visits in the next rows after an id. Returns the id of the last one, or the same id without rows. */
async function eraseRows(
  transaction: WriteTransaction,
  { urlId, organizationId, until }: Erasure,
  after: number,
): Promise<number> {
  const rows = await selectOfLink(transaction, { urlId, organizationId })
    .where('first_at', '<=', until)
    .where('id', '>', after)
    .orderBy('id')
    .limit(rowsPerTransaction)
    .execute();
  for (const row of rows) {
    await keepVisits(
      transaction,
      row,
      ({ urlIds, visitedAt }, index) =>
        urlIds[index] !== urlId || (visitedAt[index] as number) > until,
    );
  }
  return rows.at(-1)?.id ?? after;
}

/** Sets the counters to the visits that remain, and deletes the mark unless the link was marked again. */
async function finish(transaction: WriteTransaction, erasure: Erasure): Promise<void> {
  const { urlId, until } = erasure;
  // Waits for the transactions that have counted visits, so that these are stored.
  await sql`update url_clicks set erasure_pending = erasure_pending where url_id = ${urlId}`.execute(
    transaction,
  );
  await resetCounters(transaction, erasure);
  await transaction
    .updateTable('url_clicks')
    .set({ erasure_pending: 0 })
    .where('url_id', '=', urlId)
    .where('erased_until', '=', until)
    .execute();
}

/** Erases the visits of a link that came since the erasure. The caller has the organization's lock. */
export async function eraseLastVisits(
  transaction: WriteTransaction,
  link: ErasedLink,
): Promise<void> {
  const erasure = { ...link, until: Number.MAX_SAFE_INTEGER };
  for (let last = 0; ; ) {
    const next = await eraseRows(transaction, erasure, last);
    if (next === last) return;
    last = next;
  }
}

function selectOfLink(db: Kysely<Schema>, { urlId, organizationId }: ErasedLink) {
  return db
    .selectFrom('visits')
    .select(['id', 'visit_count', 'visits'])
    .where('organization_id', '=', organizationId)
    .where('first_url', '<=', urlId)
    .where('last_url', '>=', urlId);
}
