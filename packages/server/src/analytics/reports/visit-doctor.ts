import { type Kysely, type Selectable, sql } from 'kysely';
import type { Database, Schema } from '../../storage/database.js';
import { readInBatches } from '../../storage/read-in-batches.js';
import { tryToDecode } from '../ingest/columns-codec.js';
import {
  findCompactionOfBatch,
  firstPendingUrl,
  type StoredVisits,
} from '../ingest/read-stored-visits.js';
import { addScans } from '../ingest/scan-counter.js';
import { isWithin, selectSpans, toScannedUrls } from '../ingest/scanned-url.js';
import { allIndexes, kindOf, timeRange, type VisitColumns } from '../ingest/visit-columns.js';
import { addClicks } from '../ingest/visit-repository.js';
import { allTime } from './report-window.js';
import { selectScans } from './visit-measures.js';

/** A counter of a URL's clicks or of a QR code's scans. */
export interface WrongCounter<Id> {
  readonly id: Id;
  readonly counted: number;
  /** The clicks or scans in visits and in pruned days. */
  readonly actual: number;
}

/** Stored visits that cannot be read. */
export interface DamagedVisits {
  /** Undefined for a batch, which has visits of many URLs. */
  readonly urlId: number | undefined;
  /** The number of the URL's chunk, or the id of the batch. */
  readonly number: number;
  readonly visits: number;
  /** The time range of the visits. Of a batch, it is the time at which it was stored. */
  readonly since: number;
  readonly until: number;
}

/** Finds the stored visits that cannot be read. */
export function findDamagedVisits(database: Database): Promise<readonly DamagedVisits[]> {
  return database.snapshot(async (db) => {
    const damaged: DamagedVisits[] = [];
    const visits = readVisits(db, damaged);
    while (!(await visits.next()).done);
    return damaged;
  });
}

/** Deletes stored visits that cannot be read. */
export async function discardVisits(
  database: Database,
  { urlId, number }: Pick<DamagedVisits, 'urlId' | 'number'>,
): Promise<void> {
  await database.writeDirectly(
    (transaction) =>
      urlId === undefined
        ? transaction.deleteFrom('visit_batches').where('id', '=', number).execute()
        : transaction
            .deleteFrom('visit_chunks')
            .where('url_id', '=', urlId)
            .where('number', '=', number)
            .execute(),
    'exclusive',
  );
}

/** Counts clicks visit by visit, and compares the counters. */
export function diagnoseClicks(database: Database) {
  return database.snapshot(async (db) => {
    const clicks = new Map<number, number>();
    const damaged: DamagedVisits[] = [];
    let visits = 0;
    for await (const stored of readVisits(db, damaged)) {
      const { urlIds, dictionaries } = stored.columns;
      const { values, codes } = dictionaries.source;
      for (const index of stored.indexes) {
        const source = values[codes[index] as number] as string;
        if (kindOf(source) === 'human') increase(clicks, urlIds[index] as number, 1);
      }
      visits += stored.indexes.length;
    }
    const days = await db.selectFrom('click_days').select(['url_id', 'clicks']).execute();
    for (const day of days) increase(clicks, day.url_id, day.clicks);
    const counters = db.selectFrom('url_clicks').select(['url_id as id', 'clicks as counted']);
    const { ids: links, total, wrongCounters } = compare(await counters.execute(), clicks);
    // The clicks of other links are known.
    const isErased = new Set((await findErased(db).execute()).map(({ id }) => id));
    const isKnown = (id: number) =>
      !isErased.has(id) && damaged.every(({ urlId }) => urlId !== undefined && urlId !== id);
    return {
      links,
      visits,
      clicks: total,
      wrongCounters: wrongCounters.filter(({ id }) => isKnown(id)),
      damaged,
    };
  });
}

/** Counts scans visit by visit, and compares the counters. */
export function diagnoseScans(database: Database) {
  return database.snapshot(async (db) => {
    const scans = new Map<string, number>();
    const damaged: DamagedVisits[] = [];
    const urls = toScannedUrls(await selectSpans(db).execute());
    for await (const stored of readVisits(db, damaged)) {
      const { urlIds, visitedAt } = stored.columns;
      const urlAt = (index: number) => urls.get(urlIds[index] as number);
      for (const index of selectScans(stored, allTime, urlAt).indexes) {
        const time = visitedAt[index] as number;
        for (const span of urlAt(index)?.spans ?? []) {
          if (isWithin(span, time)) increase(scans, span.qrId, 1);
        }
      }
    }
    const days = await db.selectFrom('scan_days').select(['qr_id', 'scans']).execute();
    for (const day of days) increase(scans, day.qr_id, day.scans);
    const counters = db.selectFrom('qr_counts').select(['qr_id as id', 'scans as counted']);
    const { ids: codes, total, wrongCounters } = compare(await counters.execute(), scans);
    const erased = db.selectFrom('qr_codes').select('id').where('url_id', 'in', findErased(db));
    const isErased = new Set((await erased.execute()).map(({ id }) => id));
    return {
      codes,
      scans: total,
      // A URL with damaged visits may have any code.
      wrongCounters: damaged.length > 0 ? [] : wrongCounters.filter(({ id }) => !isErased.has(id)),
    };
  });
}

/** The links whose visits are being erased. The counters change when the last visit is deleted. */
function findErased(db: Kysely<Schema>) {
  return db.selectFrom('url_clicks').select('url_id as id').where('erasure_pending', '=', 1);
}

/** Adds the difference to each counter, so clicks since the diagnosis are not lost. */
export async function repairClickCounters(
  database: Database,
  wrongCounters: readonly WrongCounter<number>[],
): Promise<void> {
  const missing = wrongCounters.map(
    ({ id, counted, actual }) => [id, { count: actual - counted, lastAt: null }] as const,
  );
  await database.writeDirectly(
    (transaction) => addClicks(transaction, new Map(missing)),
    'exclusive',
  );
}

/** Adds the difference to each counter, so scans since the diagnosis are not lost. */
export async function repairScanCounters(
  database: Database,
  wrongCounters: readonly WrongCounter<string>[],
): Promise<void> {
  await database.writeDirectly(async (transaction) => {
    for (const { id, counted, actual } of wrongCounters) {
      await addScans(transaction, [id], actual - counted);
    }
  }, 'exclusive');
}

type Rows = { readonly [Table in 'visit_batches' | 'visit_chunks']: Selectable<Schema[Table]> };

/** Reads each stored visit once. Adds those that cannot be read to `damaged`. */
export async function* readVisits(
  db: Kysely<Schema>,
  damaged: DamagedVisits[],
): AsyncGenerator<StoredVisits> {
  const compactionOf = await findCompactionOfBatch(db);
  const batches = sql`from visit_batches as own where true`;
  for await (const rows of readInBatches<Rows['visit_batches']>(db, batches, ['id'])) {
    for (const row of rows) {
      const { id, created_at: storedAt, visit_count: visits } = row;
      const columns = decodeUndamaged(row.visits, visits);
      if (columns) {
        const firstPending = firstPendingUrl(compactionOf, id);
        const isPending = (index: number) => (columns.urlIds[index] as number) >= firstPending;
        yield { columns, indexes: allIndexes(columns).filter(isPending) };
      } else {
        const range = { since: storedAt, until: storedAt };
        damaged.push({ urlId: undefined, number: id, visits, ...range });
      }
    }
  }
  const chunks = sql`from visit_chunks as own where true`;
  const key = ['url_id', 'number'];
  for await (const rows of readInBatches<Rows['visit_chunks']>(db, chunks, key)) {
    for (const row of rows) {
      const { url_id: urlId, number, visit_count: visits, first_at, last_at } = row;
      const columns = decodeUndamaged(row.visits, visits, urlId);
      if (columns && isInRange(columns, row)) yield { columns, indexes: allIndexes(columns) };
      else damaged.push({ urlId, number, visits, since: first_at, until: last_at });
    }
  }
}

/** Returns undefined if the bytes are not those of `count` visits. */
export function decodeUndamaged(
  stored: Uint8Array,
  count: number,
  urlId?: number,
): VisitColumns | undefined {
  const columns = tryToDecode(stored, urlId);
  if (columns?.count !== count) return undefined;
  const haveValues = Object.values(columns.dictionaries).every(({ codes, values }) =>
    codes.subarray(0, count).every((code) => code < values.length),
  );
  return haveValues ? columns : undefined;
}

export function isInRange(
  columns: VisitColumns,
  { first_at, last_at }: Pick<Rows['visit_chunks'], 'first_at' | 'last_at'>,
): boolean {
  const range = timeRange(columns);
  return range.first_at === first_at && range.last_at === last_at;
}

/** Compares counters with the actual counts. Wrong ones are in ascending order of their ids. */
function compare<Id extends string | number>(
  counters: readonly { readonly id: Id; readonly counted: number }[],
  actual: ReadonlyMap<Id, number>,
) {
  const counted = new Map(counters.map((row) => [row.id, row.counted]));
  const ids = [...new Set([...actual.keys(), ...counted.keys()])].sort((a, b) => (a < b ? -1 : 1));
  return {
    ids: ids.length,
    total: sum(actual.values()),
    wrongCounters: ids
      .map((id) => ({ id, counted: counted.get(id) ?? 0, actual: actual.get(id) ?? 0 }))
      .filter((each) => each.counted !== each.actual),
  };
}

function increase<Id>(counts: Map<Id, number>, id: Id, by: number): void {
  counts.set(id, (counts.get(id) ?? 0) + by);
}

function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const each of numbers) total += each;
  return total;
}
