import { type Kysely, type Selectable, sql } from 'kysely';
import { readInBatches } from '../../storage/batches.js';
import type { Database, Schema } from '../../storage/database.js';
import { addScans } from '../ingest/scan-counter.js';
import { countScansOfCodes, selectSpans, toScannedUrls } from '../ingest/scans.js';
import { decodeRow } from '../ingest/stored-visits.js';
import type { VisitColumns } from '../ingest/visit-columns.js';
import { addClicks } from '../ingest/visit-repository.js';

export interface WrongCounter<Id> {
  readonly id: Id;
  readonly counted: number;
  /** The clicks or scans in stored visits. */
  readonly actual: number;
}

export type DamagedVisits = Pick<
  Selectable<Schema['visits']>,
  'id' | 'organization_id' | 'visit_count' | 'first_at' | 'last_at' | 'first_url' | 'last_url'
>;

export async function countDamagedVisits(database: Database): Promise<number> {
  const damaged: DamagedVisits[] = [];
  for await (const _ of readVisits(database.read, damaged));
  return damaged.length;
}

/** Deletes a row of visits that cannot be read, and returns it. Returns undefined if there is none. */
export function discardVisits(database: Database, id: number): Promise<DamagedVisits | undefined> {
  return database.writeDirectly(async (transaction) => {
    const visits = transaction.selectFrom('visits').selectAll().where('id', '=', id);
    const row = await visits.executeTakeFirst();
    if (!row || decodeUndamaged(row)) return undefined;
    await transaction.deleteFrom('visits').where('id', '=', id).execute();
    return row;
  }, 'exclusive');
}

/** Counts clicks and scans visit by visit, and compares the counters. */
export function diagnoseVisits(database: Database) {
  return database.snapshot(async (db) => {
    const clicks = new Map<number, number>();
    const scans = new Map<string, number>();
    const damaged: DamagedVisits[] = [];
    const scannedUrls = toScannedUrls(await selectSpans(db).execute());
    for await (const visits of readVisits(db, damaged)) {
      for (const urlId of visits.urlIds) clicks.set(urlId, (clicks.get(urlId) ?? 0) + 1);
      countScansOfCodes(scans, visits, scannedUrls);
    }
    const links = await selectLinkCounters(db).execute();
    const codes = await selectCodeCounters(db).execute();
    // The visits of a link may be in damaged rows, or deleted because they are old.
    const isUnknown = (urlId: number) =>
      damaged.some(({ first_url, last_url }) => first_url <= urlId && urlId <= last_url);
    return {
      links: links.length,
      clicks: [...clicks.values()].reduce(add, 0),
      scans: [...scans.values()].reduce(add, 0),
      damaged,
      wrongLinks: links.flatMap((row) =>
        isUnknown(row.id) ? [] : findWrong(row, clicks.get(row.id) ?? 0),
      ),
      wrongCodes: codes.flatMap((row) =>
        isUnknown(row.urlId ?? 0) ? [] : findWrong(row, scans.get(row.id) ?? 0),
      ),
    };
  });
}

interface Counter<Id> {
  readonly id: Id;
  readonly counted: number;
  readonly createdAt: number;
  readonly deletedUntil: number;
}

function findWrong<Id>(counter: Counter<Id>, actual: number): WrongCounter<Id>[] {
  const { id, counted, createdAt, deletedUntil } = counter;
  // Some of its visits may be deleted because they are old.
  const isWrong = createdAt < deletedUntil ? counted < actual : counted !== actual;
  return isWrong ? [{ id, counted, actual }] : [];
}

/** Selects the counters of links, except for those whose visits are being erased. */
function selectLinkCounters(db: Kysely<Schema>) {
  return db
    .selectFrom('urls')
    .leftJoin('url_clicks', 'url_id', 'urls.id')
    .innerJoin('organizations', 'organizations.id', 'urls.organization_id')
    .select(['urls.id', 'urls.created_at as createdAt', 'visits_deleted_until as deletedUntil'])
    .select(sql<number>`coalesce(clicks, 0)`.as('counted'))
    .where(sql<boolean>`coalesce(erasure_pending, 0) = 0`)
    .orderBy('urls.id');
}

function selectCodeCounters(db: Kysely<Schema>) {
  return db
    .selectFrom('qr_counts')
    .innerJoin('qr_codes', 'qr_codes.id', 'qr_id')
    .leftJoin('url_clicks', 'url_clicks.url_id', 'qr_codes.url_id')
    .innerJoin('organizations', 'organizations.id', 'qr_codes.organization_id')
    .select(['qr_id as id', 'scans as counted', 'qr_codes.url_id as urlId'])
    .select(['qr_codes.created_at as createdAt', 'visits_deleted_until as deletedUntil'])
    .where(sql<boolean>`coalesce(erasure_pending, 0) = 0`)
    .orderBy('qr_id');
}

/** Adds the difference to each counter, so clicks and scans since the diagnosis are not lost. */
export async function repairVisitCounters(
  database: Database,
  wrongLinks: readonly WrongCounter<number>[],
  wrongCodes: readonly WrongCounter<string>[],
): Promise<void> {
  const clicks = wrongLinks.map(({ id, counted, actual }) => {
    return [id, { count: actual - counted, lastAt: null, excluded: 0 }] as const;
  });
  const scans = wrongCodes.map(({ id, counted, actual }) => [id, actual - counted] as const);
  await database.writeDirectly(async (transaction) => {
    if (clicks.length > 0) await addClicks(transaction, new Map(clicks));
    await addScans(transaction, new Map(scans));
  }, 'exclusive');
}

/** Reads each stored visit once. Adds the rows that cannot be read to `damaged`. */
async function* readVisits(
  db: Kysely<Schema>,
  damaged: DamagedVisits[],
): AsyncGenerator<VisitColumns> {
  const all = sql`from visits as own where true`;
  for await (const rows of readInBatches<Selectable<Schema['visits']>>(db, all, ['id'])) {
    for (const row of rows) {
      const columns = decodeUndamaged(row);
      if (columns) yield columns;
      else damaged.push(row);
    }
  }
}

/** Returns undefined if the bytes are not those of the row's visits. */
function decodeUndamaged(row: Selectable<Schema['visits']>): VisitColumns | undefined {
  try {
    const columns = decodeRow(row, { isRewritten: true });
    const { urlIds, visitedAt } = columns;
    const isRange = (values: Float64Array, first: number, last: number) =>
      values.every((value) => first <= value && value <= last);
    const isValid =
      isRange(urlIds, row.first_url, row.last_url) && isRange(visitedAt, row.first_at, row.last_at);
    return isValid ? columns : undefined;
  } catch {
    return undefined;
  }
}

const add = (total: number, each: number) => total + each;
