import { type Kysely, sql } from 'kysely';
import {
  type Database,
  type Schema,
  StorageUnavailableError,
  type WriteTransaction,
} from '../../storage/database.js';
import { countScansOfCodes, selectSpans, toScannedUrls } from './scans.js';
import { keepVisits, listRows, readRows, UnreadableRowError } from './stored-visits.js';

/** A link that is erased, or whose visits are. */
export interface ErasedLink {
  readonly urlId: number;
  readonly organizationId: string;
}

interface Erasure extends ErasedLink {
  /** Visits of this millisecond are erased, too. */
  readonly until: number;
}

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

export async function isErasurePending(db: Kysely<Schema>, urlId: number): Promise<boolean> {
  const row = await db
    .selectFrom('url_clicks')
    .select('url_id')
    .where('url_id', '=', urlId)
    .where('erasure_pending', '=', 1)
    .executeTakeFirst();
  return row !== undefined;
}

// Each waits for some seconds.
const maxWaits = 4;

/** Repeats `erase` while an erasure is pending, for about 15 seconds. The erasure continues then. */
export async function untilErased(
  isPending: () => Promise<boolean>,
  erase: () => Promise<unknown>,
): Promise<void> {
  for (let waits = 0; await isPending(); waits += 1) {
    if (waits > maxWaits) {
      throw new StorageUnavailableError(
        'the erasure continues: repeat the request with the same Idempotency-Key',
      );
    }
    await erase();
  }
}

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

function findErasure(
  db: Kysely<Schema>,
  failed: ReadonlyMap<number, unknown>,
): Promise<Erasure | undefined> {
  return db
    .selectFrom('url_clicks')
    .innerJoin('urls', 'urls.id', 'url_clicks.url_id')
    .select(['url_id as urlId', 'organization_id as organizationId', 'erased_until as until'])
    .where('erasure_pending', '=', 1)
    .$if(failed.size > 0, (query) => query.where('url_id', 'not in', [...failed.keys()]))
    .orderBy('url_id')
    .limit(1)
    .executeTakeFirst();
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
  const rows = await transaction
    .selectFrom('visits')
    .select(['id', 'visit_count', 'visits'])
    .where('organization_id', '=', organizationId)
    .where('first_url', '<=', urlId)
    .where('last_url', '>=', urlId)
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

/**
 * Sets the counters of a link and its QR codes to the visits that remain. The highest counts are stored,
 * because a threshold that was reached is not sent again.
 */
async function resetCounters(
  transaction: WriteTransaction,
  { urlId, organizationId, until }: Erasure,
): Promise<void> {
  const spans = await selectSpans(transaction).where('qr_codes.url_id', '=', urlId).execute();
  const urls = toScannedUrls(spans);
  const scans = new Map(spans.map(({ qrId }) => [qrId, 0]));
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
    countScansOfCodes(scans, visits, urls);
  }
  await transaction
    .updateTable('url_clicks')
    .set({
      clicks,
      peak_clicks: greatest('peak_clicks', 'clicks'),
      // They stay used if the link has a limit.
      erased_clicks: sql<number>`erased_clicks + clicks - ${clicks}`,
      last_clicked_at: sql<number>`case when last_clicked_at > ${until} then last_clicked_at end`,
    })
    .where('url_id', '=', urlId)
    .execute();
  for (const [qrId, count] of scans) {
    await transaction
      .updateTable('qr_counts')
      .set({ scans: count, peak_scans: greatest('peak_scans', 'scans') })
      .where('qr_id', '=', qrId)
      .execute();
  }
}

// SQLite has no `greatest`.
function greatest(a: string, b: string) {
  const [one, other] = [sql.ref(a), sql.ref(b)];
  return sql<number>`case when ${one} > ${other} then ${one} else ${other} end`;
}
