import { type Kysely, sql } from 'kysely';
import type { Database, Schema, WriteTransaction } from '../../storage/database.js';
import { type ErasedLink, type Erasure, findErasure } from './erasure-marks.js';
import { selectSpans, toScannedUrls } from './scanned-url.js';
import { countScansOfCodes } from './select-visits.js';
import { keepVisits, listRows, readRows, UnreadableRowError } from './stored-visits.js';

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

/**
 * Sets the counters of a link and its QR codes to the visits that remain. The counts before are stored,
 * because a threshold that was reached is not sent again.
 */
async function resetCounters(
  transaction: WriteTransaction,
  { urlId, organizationId, until }: Erasure,
): Promise<void> {
  const spans = await selectSpans(transaction).where('qr_codes.url_id', '=', urlId).execute();
  const url = toScannedUrls(spans).get(urlId);
  const scans = new Map(url?.spans.map(({ qrId }) => [qrId, 0]));
  let clicks = 0;
  const remaining = {
    organizationId,
    since: until + 1,
    until: Number.MAX_SAFE_INTEGER,
    urlIds: Float64Array.of(urlId),
  };
  const rows = await listRows(transaction, remaining);
  for await (const visits of readRows(transaction, rows, remaining)) {
    clicks += visits.count;
    countScansOfCodes(scans, visits, () => url);
  }
  await storePeaks(transaction, urlId);
  await transaction
    .updateTable('url_clicks')
    .set({
      clicks,
      // They stay used if the link has a limit.
      erased_clicks: sql<number>`erased_clicks + clicks - ${clicks}`,
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
