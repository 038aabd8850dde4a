import type { Kysely } from 'kysely';
import type { Database, Schema } from '../../storage/database.js';
import type { StoredVisits } from '../ingest/read-stored-visits.js';
import type { QrSpan, ScannedUrl } from '../ingest/scanned-url.js';
import { countUrls, readUrlIds, type UrlTotals } from './count-urls.js';
import { countScans, readChunks, type ScanCounts } from './count-visits.js';
import { dayMs } from './durations.js';
import { findScannedUrls, findScannedUrlsOf } from './find-scanned-urls.js';
import {
  findCompleteFrom,
  listOrganizationChunks,
  readOrganizationChunks,
} from './organization-chunks.js';
import { PendingVisits } from './pending-visits.js';
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
import { PrunedVisitsError, ReportClock, VisitMemory } from './report-limits.js';
import type { ReportQuery, Window } from './report-window.js';
import { hasFilter, type UrlFilter, urlCondition } from './url-filter.js';
import { clickMeasure, scanMeasure, selectScanned, selectWindow } from './visit-measures.js';
import { type VisitPage, VisitPageBuilder, type VisitPageQuery } from './visit-page.js';
import { type Report, type VisitMeasure, VisitTally } from './visit-tally.js';

/** A report that is being read. */
interface ReportRun<R extends Report> {
  /** The snapshot that the report reads. */
  readonly db: Kysely<Schema>;
  readonly tally: VisitTally<R>;
  readonly clock: ReportClock;
  /** Adds visits to the tally. */
  readonly add: (visits: StoredVisits) => void;
}

/** Reads reports from storage. It reads many visits, so it runs in a separate thread. */
export class ReportReader {
  readonly #database: Database;
  readonly #pending: PendingVisits;
  readonly #memory: VisitMemory;

  /** The reports that run at once share the memory. */
  constructor(database: Database, memory = new VisitMemory()) {
    this.#database = database;
    this.#pending = new PendingVisits(database.read);
    this.#memory = memory;
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

  /**
   * Reads the visits of all links of an organization from its own chunks, as far as they are complete.
   * Reads earlier visits, and those of selected links, from the chunks of the links.
   */
  readOverview(organizationId: string, query: ReportQuery, now: number, filter: UrlFilter = {}) {
    return this.#report(clickMeasure, query, async (run) => {
      const { db, tally } = run;
      const scans: ScanCounts = { total: 0, proven: 0 };
      const completeFrom = hasFilter(filter)
        ? query.until
        : await findCompleteFrom(db, organizationId);
      const split = Math.max(query.since, Math.min(query.until, completeFrom));
      /** Adds visits of a part of the window. */
      const add = (
        visits: StoredVisits,
        part: Window,
        scannedUrls: ReadonlyMap<number, ScannedUrl>,
      ) => {
        const isWhole = part.since === query.since && part.until === query.until;
        const indexes = isWhole ? visits.indexes : selectWindow(visits, part);
        const inPart = { columns: visits.columns, indexes };
        run.add(inPart);
        countScans(inPart, query, scannedUrls, scans);
      };
      const addOfUrls = async (urlIds: Float64Array, part: Window) => {
        const isSelected = (id: number) => contains(urlIds, id);
        for await (const visits of this.#pending.ofUrls(db, isSelected)) {
          add(visits, part, await findScannedUrls(db, pagesOfVisits(visits)));
          await run.clock.pause();
        }
        for (const page of pagesOf(urlIds)) {
          const scannedUrls = await findScannedUrls(db, [page]);
          for await (const visits of readChunks(run, readPageRows(db, chunkRows, page, part))) {
            add(visits, part, scannedUrls);
          }
          for await (const day of readPageRows(db, clickDayRows, page, part)) {
            const { url_id, position, summary } = day;
            const reports = await addDay<PrunedClicks>(run, url_id, position, summary);
            if (!reports) continue;
            scans.total += day.scans;
            if (scannedUrls.get(url_id)?.hasSlug) scans.proven += day.scans;
            else for (const report of reports) scans.proven += report.provenScans ?? 0;
          }
        }
      };
      const addOfOrganization = async (part: Window) => {
        const known = await findScannedUrlsOf(db, organizationId);
        const findUrls = async (visits: StoredVisits) =>
          known ?? (await findScannedUrls(db, pagesOfVisits(selectScanned(visits, part))));
        for await (const visits of this.#pending.ofOrganization(db, organizationId)) {
          add(visits, part, await findUrls(visits));
          await run.clock.pause();
        }
        const stored = await listOrganizationChunks(db, organizationId, part);
        for await (const visits of readChunks(
          run,
          readOrganizationChunks(db, organizationId, stored),
        )) {
          add(visits, part, await findUrls(visits));
        }
      };
      let counts: UrlTotals;
      if (query.since < split) {
        const urls = await readUrlIds(run, organizationId, now, filter);
        counts = urls;
        await addOfUrls(urls.urlIds, { since: query.since, until: split });
      } else counts = await countUrls(db, organizationId, now);
      if (split < query.until) await addOfOrganization({ since: split, until: query.until });
      const { totalUrls, activeUrls, importedClicks } = counts;
      return {
        /** The URLs with the most clicks. */
        top: tally.largestUrls(query.limit),
        totalUrls,
        activeUrls,
        importedClicks,
        totalQrs: await countQrs(db, organizationId, filter),
        totalScans: scans.total,
        provenScans: scans.proven,
        inferredScans: scans.total - scans.proven,
      };
    });
  }

  /** Reads one page of the visits to an organization's selected links. */
  readVisits(
    organizationId: string,
    query: VisitPageQuery,
    now: number,
    filter: UrlFilter,
  ): Promise<VisitPage> {
    return this.#database.snapshot(async (db) => {
      const run = { db, clock: new ReportClock() };
      const page = new VisitPageBuilder(query);
      // Shrinks while visits are added, also for the next rows of the same URLs.
      const window: Window = {
        get since() {
          return page.window.since;
        },
        get until() {
          return page.window.until;
        },
      };
      const { urlIds } = await readUrlIds(run, organizationId, now, filter);
      const isSelected = (id: number) => contains(urlIds, id);
      for await (const visits of this.#pending.ofUrls(db, isSelected)) {
        page.add(visits, await findScannedUrls(db, pagesOfVisits(visits)));
        await run.clock.pause();
      }
      for (const urls of pagesOf(urlIds)) {
        const scannedUrls = await findScannedUrls(db, [urls]);
        const rows = readPageRows(db, chunkRows, urls, window);
        for await (const visits of readChunks(run, rows)) page.add(visits, scannedUrls);
      }
      return page.finish(db);
    });
  }

  /** Creates a report from the visits that `read` adds. Calls `read` again if a count is not exact. */
  #report<R extends Report, More>(
    measure: VisitMeasure<R>,
    query: ReportQuery,
    read: (run: ReportRun<R>) => Promise<More>,
  ): Promise<R & More & Pick<VisitTally<R>, 'uniquesAre' | 'prunedDays'>> {
    return this.#database.snapshot(async (db) => {
      const clock = new ReportClock();
      const tally = new VisitTally(measure, query);
      const memory = this.#memory.open();
      const add = (visits: StoredVisits) => {
        memory.reserve(visits.indexes.length);
        tally.add(visits);
      };
      try {
        let more = await read({ db, tally, clock, add });
        const { uniquesAre, prunedDays, lastPrunedDay } = tally;
        const [condition] = query.conditions ?? [];
        if (condition && prunedDays.included > 0) {
          const firstPossible = lastPrunedDay + dayMs;
          throw new PrunedVisitsError(
            condition.parameter,
            firstPossible < query.until ? new Date(firstPossible) : undefined,
          );
        }
        if (tally.startSecondPass()) {
          more = await read({ db, tally, clock, add: (visits) => tally.add(visits) });
        }
        return { uniquesAre, prunedDays, ...tally.finish(query.limit), ...more };
      } finally {
        memory.release();
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
    for await (const visits of this.#pending.ofUrls(run.db, (id) => id === urlId)) {
      run.add(visits);
      await run.clock.pause();
    }
    const rows = readUrlRows(run.db, chunkRows, [urlId], window);
    for await (const visits of readChunks(run, rows)) run.add(visits);
    for await (const { position, summary } of days) await addDay(run, urlId, position, summary);
  }
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
function pagesOfVisits({ columns, indexes }: StoredVisits): Iterable<UrlPage> {
  const visited = new Set<number>();
  for (const index of indexes) visited.add(columns.urlIds[index] as number);
  return pagesOf(Float64Array.from(visited).sort());
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
