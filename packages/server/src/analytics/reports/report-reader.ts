import { type Kysely, sql } from 'kysely';
import type { Database, Schema } from '../../storage/database.js';
import { prepare } from '../../storage/prepared.js';
import { decodeColumns } from '../ingest/columns-codec.js';
import {
  type Batch,
  firstPendingUrl,
  readBatches,
  type StoredVisits,
} from '../ingest/read-stored-visits.js';
import { type QrSpan, type ScannedUrl, selectSpans, toScannedUrls } from '../ingest/scanned-url.js';
import { allIndexes, type VisitColumns } from '../ingest/visit-columns.js';
import { dayMs } from './durations.js';
import { Int32Pool } from './int32-pool.js';
import { type PrunedClicks, parseSummary } from './pruned-days.js';
import {
  chunkRows,
  clickDayRows,
  pagesOf,
  readPageRows,
  readScanDays,
  readUrlRows,
  type UrlPage,
} from './read-url-rows.js';
import { PrunedVisitsError, ReportClock } from './report-limits.js';
import type { ReportQuery, Window } from './report-window.js';
import { hasFilter, type UrlFilter, urlCondition } from './url-filter.js';
import { filterVisits } from './visit-filter.js';
import { clickMeasure, scanMeasure, selectScans } from './visit-measures.js';
import { type Report, type VisitMeasure, VisitTally } from './visit-tally.js';

/** A batch in the snapshot of a report. The visits of URLs below `firstPending` are in chunks. */
interface PendingBatch {
  readonly columns: VisitColumns;
  readonly firstPending: number;
}

/** A report that is being read. */
interface ReportRun<R extends Report> {
  /** The snapshot that the report reads. */
  readonly db: Kysely<Schema>;
  readonly tally: VisitTally<R>;
  readonly clock: ReportClock;
}

const urlsPerPage = 4_096;

/** Reads reports from storage. It reads many visits, so it runs in a separate thread. */
export class ReportReader {
  readonly #database: Database;
  readonly #storedBatches;
  readonly #pool: Int32Pool;
  /** A cache of the stored batches by id. Only the deletion of an organization changes one. */
  #batches: ReadonlyMap<number, Batch> = new Map();

  /** The reports that run at once share the memory of a pool. */
  constructor(database: Database, pool = new Int32Pool()) {
    this.#database = database;
    this.#storedBatches = prepare(selectStoredBatches(database.read));
    this.#pool = pool;
  }

  readClicks(urlId: number, query: ReportQuery) {
    return this.#report(clickMeasure, query, (run) =>
      this.#addUrl(run, urlId, query, readUrlRows(run.db, clickDayRows, [urlId], query)),
    );
  }

  readScans(
    { urlId, hasSlug }: Pick<ScannedUrl, 'urlId' | 'hasSlug'>,
    span: QrSpan,
    query: ReportQuery,
  ) {
    return this.#report(scanMeasure(span, hasSlug), query, (run) =>
      this.#addUrl(run, urlId, query, readScanDays(run.db, span.qrId, query)),
    );
  }

  readOverview(organizationId: string, query: ReportQuery, now: number, filter: UrlFilter = {}) {
    return this.#report(clickMeasure, query, async (run) => {
      const { db, tally } = run;
      const { urlIds, activeUrls, importedClicks } = await readUrlIds(
        run,
        organizationId,
        now,
        filter,
      );
      let totalScans = 0;
      let provenScans = 0;
      const add = (visits: StoredVisits, scannedUrls: ReadonlyMap<number, ScannedUrl>) => {
        tally.add(visits);
        if (scannedUrls.size === 0) return;
        const { columns } = visits;
        const selected = filterVisits(columns.dictionaries, visits.indexes, query.conditions);
        const urlAt = (index: number) => scannedUrls.get(columns.urlIds[index] as number);
        const { indexes, proven } = selectScans({ columns, indexes: selected }, query, urlAt);
        totalScans += indexes.length;
        provenScans += proven.length;
      };
      for (const { columns, firstPending } of await this.#readBatches(db)) {
        const indexes = indexesOf(columns, (id) => id >= firstPending && contains(urlIds, id));
        add({ columns, indexes }, await findScannedUrls(db, pagesOfVisits(columns, indexes)));
        await run.clock.pause();
      }
      for (const page of pagesOf(urlIds)) {
        const scannedUrls = await findScannedUrls(db, [page]);
        for await (const visits of readChunks(run, readPageRows(db, chunkRows, page, query))) {
          add(visits, scannedUrls);
        }
        const days = readPageRows(db, clickDayRows, page, query);
        for await (const { url_id, position, scans, summary } of days) {
          const reports = await addDay<PrunedClicks>(run, url_id, position, summary);
          if (!reports) continue;
          totalScans += scans;
          if (scannedUrls.get(url_id)?.hasSlug) provenScans += scans;
          else for (const report of reports) provenScans += report.provenScans ?? 0;
        }
      }
      const totalQrs = await countQrs(db, organizationId, filter);
      return {
        /** The URLs with the most clicks. */
        top: tally.largestUrls(query.limit),
        totalUrls: urlIds.length,
        activeUrls,
        importedClicks,
        totalQrs,
        totalScans,
        provenScans,
        inferredScans: totalScans - provenScans,
      };
    });
  }

  /** Creates a report from the visits that `read` adds. Calls `read` twice if a count is not exact. */
  #report<R extends Report, More>(
    measure: VisitMeasure<R>,
    query: ReportQuery,
    read: (run: ReportRun<R>) => Promise<More>,
  ): Promise<R & More & Pick<VisitTally<R>, 'uniquesAre' | 'prunedDays'>> {
    return this.#database.snapshot(async (db) => {
      const tally = new VisitTally(measure, query, this.#pool);
      const run = { db, tally, clock: new ReportClock() };
      try {
        let more = await read(run);
        const { uniquesAre, prunedDays, lastPrunedDay } = tally;
        const [condition] = query.conditions ?? [];
        if (condition && prunedDays.included > 0) {
          const firstPossible = lastPrunedDay + dayMs;
          throw new PrunedVisitsError(
            condition.parameter,
            firstPossible < query.until ? new Date(firstPossible) : undefined,
          );
        }
        if (tally.startSecondPass()) more = await read(run);
        return { uniquesAre, prunedDays, ...tally.finish(query.limit), ...more };
      } finally {
        tally.release();
      }
    });
  }

  /** Adds the visits of one URL, and its pruned days. */
  async #addUrl<R extends Report>(
    run: ReportRun<R>,
    urlId: number,
    window: Window,
    days: AsyncIterable<{ readonly position: number; readonly summary: string }>,
  ): Promise<void> {
    for (const { columns, firstPending } of await this.#readBatches(run.db)) {
      const indexes = urlId < firstPending ? noIndexes : indexesOf(columns, (id) => id === urlId);
      if (indexes.length > 0) run.tally.add({ columns, indexes });
      await run.clock.pause();
    }
    const rows = readUrlRows(run.db, chunkRows, [urlId], window);
    for await (const visits of readChunks(run, rows)) run.tally.add(visits);
    for await (const { position, summary } of days) await addDay(run, urlId, position, summary);
  }

  async #readBatches(db: Kysely<Schema>): Promise<readonly PendingBatch[]> {
    const { rows: stored } = await db.executeQuery(this.#storedBatches());
    const firstMissing = stored.find(({ id }) => !this.#batches.has(id));
    const cached = this.#batches;
    const read = firstMissing ? await readBatches(db, firstMissing.id - 1) : [];
    const added = new Map(read.map((batch) => [batch.id, batch]));
    const batches = stored.map(({ id }) => (added.get(id) ?? cached.get(id)) as Batch);
    this.#batches = new Map(batches.map((batch) => [batch.id, batch]));
    return batches.map(({ id, columns }, index) => {
      const { upToBatch, nextUrl } = stored[index] as NonNullable<(typeof stored)[number]>;
      const compaction =
        upToBatch === null || nextUrl === null ? undefined : { upToBatch, nextUrl };
      return { columns, firstPending: firstPendingUrl(compaction, id) };
    });
  }
}

/** Selects the ids of the stored batches, each with the running compaction, if there is one. */
function selectStoredBatches(db: Kysely<Schema>) {
  return db
    .selectFrom('visit_batches')
    .leftJoin('visit_compactions', (join) => join.onTrue())
    .select(['visit_batches.id', 'up_to_batch as upToBatch', 'next_url as nextUrl'])
    .orderBy('visit_batches.id');
}

const noIndexes = new Uint32Array();

/** Returns the indexes of the visits of wanted URLs. */
function indexesOf(
  { count, urlIds }: VisitColumns,
  isWanted: (urlId: number) => boolean,
): Uint32Array {
  const indexes = new Uint32Array(count);
  let found = 0;
  for (let index = 0; index < count; index += 1) {
    if (!isWanted(urlIds[index] as number)) continue;
    indexes[found] = index;
    found += 1;
  }
  return indexes.subarray(0, found);
}

/** Searches a number in an array in ascending order. */
function contains(numbers: Float64Array, wanted: number): boolean {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] as number) < wanted) low = middle + 1;
    else high = middle;
  }
  return numbers[low] === wanted;
}

/** Returns the pages with the URLs of visits. */
function pagesOfVisits({ urlIds }: VisitColumns, indexes: Uint32Array): Iterable<UrlPage> {
  const visited = new Set<number>();
  for (const index of indexes) visited.add(urlIds[index] as number);
  return pagesOf(Float64Array.from(visited).sort());
}

/** Returns the URLs that have, or had, QR codes. */
async function findScannedUrls(
  db: Kysely<Schema>,
  pages: Iterable<UrlPage>,
): Promise<ReadonlyMap<number, ScannedUrl>> {
  const found: (readonly [number, ScannedUrl])[] = [];
  for (const { urlIds, isRange } of pages) {
    const [first = 0, last = first] = [urlIds[0], urlIds.at(-1)];
    const spans = isRange
      ? selectSpans(db).where((each) => each.between('qr_codes.url_id', first, last))
      : selectSpans(db).where('qr_codes.url_id', 'in', urlIds);
    found.push(...toScannedUrls(await spans.execute()));
  }
  return new Map(found);
}

async function* readChunks(
  { clock }: Pick<ReportRun<never>, 'clock'>,
  rows: AsyncIterable<{ readonly url_id: number; readonly visits: Uint8Array }>,
): AsyncGenerator<StoredVisits> {
  for await (const { url_id, visits } of rows) {
    const columns = decodeColumns(visits, url_id);
    yield { columns, indexes: allIndexes(columns) };
    await clock.pause();
  }
}

/** Counts the QR codes that exist now: all of the organization, or those of the selected URLs. */
async function countQrs(
  db: Kysely<Schema>,
  organizationId: string,
  filter: UrlFilter,
): Promise<number> {
  const all = db
    .selectFrom('qr_codes')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('qr_codes.organization_id', '=', organizationId)
    .where('qr_codes.deleted_at', 'is', null);
  const query = hasFilter(filter)
    ? all.innerJoin('urls', 'urls.id', 'qr_codes.url_id').where(urlCondition(filter))
    : all;
  return (await query.executeTakeFirstOrThrow()).count;
}

/**
 * Reads the ids of an organization's selected URLs in ascending order, and counts those that redirect
 * now, and their imported clicks. The database joins the ids of a page, which takes a fifth of the time of rows.
 */
async function readUrlIds(
  { db, clock }: Pick<ReportRun<never>, 'db' | 'clock'>,
  organizationId: string,
  now: number,
  filter: UrlFilter,
): Promise<{ urlIds: Float64Array; activeUrls: number; importedClicks: number }> {
  const urlIds: number[] = [];
  let activeUrls = 0;
  let importedClicks = 0;
  let last = { createdAt: -1, id: 0 };
  for (;;) {
    // Reads the same number of rows for each page, however few of them the filter selects.
    const { rows } = await sql<UrlIdPage>`
      select string_agg(cast(case when is_selected = 1 then id else -id end as text), ','
          order by created_at, id) as ids,
        max(created_at) as "createdAt",
        sum(case when is_selected = 1 then imported_clicks else 0 end) as imported,
        sum(case when is_selected = 1 and is_active = 1
          and (expires_at is null or expires_at > ${now}) then 1 else 0 end) as active
      from (
        select id, created_at, is_active, expires_at, imported_clicks,
          case when ${urlCondition(filter)} then 1 else 0 end as is_selected
        from urls
        where organization_id = ${organizationId}
          and (created_at, id) > (${last.createdAt}, ${last.id})
        order by created_at, id limit ${urlsPerPage}
      ) as page`.execute(db);
    const page = rows[0] as UrlIdPage;
    const ids = JSON.parse(`[${page.ids ?? ''}]`) as number[];
    for (const id of ids) if (id > 0) urlIds.push(id);
    activeUrls += Number(page.active);
    importedClicks += Number(page.imported);
    await clock.pause();
    if (ids.length < urlsPerPage) break;
    last = { createdAt: page.createdAt, id: Math.abs(ids.at(-1) as number) };
  }
  return { urlIds: Float64Array.from(urlIds).sort(), activeUrls, importedClicks };
}

interface UrlIdPage {
  /** Separated by commas, negative if the filter does not select them; null if the page is empty. */
  readonly ids: string | null;
  /** Of the last URL. */
  readonly createdAt: number;
  readonly active: number | null;
  readonly imported: number | null;
}

/**
 * Adds a pruned day. Returns its reports, one for each time that it was pruned, or undefined if the
 * window does not contain it entirely.
 */
async function addDay<R extends Report>(
  { tally, clock }: ReportRun<R>,
  urlId: number,
  day: number,
  summary: string,
): Promise<readonly R[] | undefined> {
  const reports = parseSummary<R>(summary);
  const isCounted = tally.addDay(urlId, day, reports);
  await clock.pause();
  return isCounted ? reports : undefined;
}
