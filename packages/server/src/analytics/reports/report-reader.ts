import type { Kysely } from 'kysely';
import type { Database, Schema } from '../../storage/database.js';
import {
  type ScannedUrl,
  type ScannedUrls,
  selectProven,
  selectScans,
  selectSpans,
  toScannedUrls,
} from '../ingest/scans.js';
import { listRows, readRows, type WantedVisits } from '../ingest/stored-visits.js';
import type { VisitColumns } from '../ingest/visit-columns.js';
import { countUrls, hasFilter, readUrlIds, type UrlFilter, urlCondition } from './count-urls.js';
import { checkMemory, defaultMaxBytes, ReportClock } from './report-limits.js';
import type { ReportQuery } from './report-window.js';
import { largestCounts } from './value-counts.js';
import { type VisitPage, VisitPageBuilder, type VisitPageQuery } from './visit-page.js';
import {
  clickMeasure,
  type Report,
  scanMeasure,
  type VisitMeasure,
  VisitTally,
} from './visit-tally.js';

interface ReportRun<R extends Report> {
  readonly db: Kysely<Schema>;
  readonly tally: VisitTally<R>;
  /** Reads visits. Fails without reading if they need too much memory. */
  readonly read: (wanted: WantedVisits) => AsyncGenerator<VisitColumns>;
}

/** Reads reports from storage. It reads many visits, so it runs in a separate thread. */
export class ReportReader {
  readonly #database: Database;
  readonly #maxBytes: number;

  constructor(database: Database, maxBytes = defaultMaxBytes) {
    this.#database = database;
    this.#maxBytes = maxBytes;
  }

  readClicks(organizationId: string, urlId: number, query: ReportQuery) {
    return this.#reportLink(clickMeasure, organizationId, urlId, query);
  }

  /** Reads the scans of the QR codes of a URL. */
  readScans(organizationId: string, url: ScannedUrl, query: ReportQuery) {
    return this.#reportLink(scanMeasure(url), organizationId, url.urlId, query);
  }

  /** Reads the visits of the selected links of an organization: of all links without a filter. */
  readOverview(organizationId: string, query: ReportQuery, now: number, filter: UrlFilter = {}) {
    return this.#report(clickMeasure, query, async (run) => {
      const { db, tally } = run;
      const selected = hasFilter(filter)
        ? await readUrlIds(db, organizationId, now, filter)
        : { ...(await countUrls(db, organizationId, now)), urlIds: undefined };
      const { urlIds, ...urls } = selected;
      const scannedUrls = await findScannedUrls(db, organizationId);
      const visitsOfUrl = new Map<number, number>();
      let totalScans = 0;
      let provenScans = 0;
      for await (const visits of run.read({ ...query, organizationId, urlIds })) {
        const counted = tally.add(visits);
        countByUrl(visitsOfUrl, counted.urlIds);
        if (scannedUrls.size === 0) continue;
        const scans = selectScans(counted, scannedUrls);
        totalScans += scans.count;
        provenScans += selectProven(scans).count;
      }
      return {
        top: largestCounts(visitsOfUrl, query.limit),
        urls,
        qrs: {
          totalQrs: await countQrs(db, organizationId, filter),
          totalScans,
          provenScans,
          inferredScans: totalScans - provenScans,
        },
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
      const clock = new ReportClock();
      const page = new VisitPageBuilder(query);
      const urlIds = hasFilter(filter)
        ? (await readUrlIds(db, organizationId, now, filter)).urlIds
        : undefined;
      const scannedUrls = await findScannedUrls(db, organizationId);
      const wanted: WantedVisits = { ...page.window, organizationId, urlIds };
      const rows = await listRows(db, wanted);
      for (const row of rows) {
        // The window shrinks while visits are added. Rows come in the order of their first visit.
        if (row.first_at >= page.window.until) break;
        if (row.last_at < page.window.since) continue;
        const window = { ...wanted, ...page.window };
        for await (const visits of readRows(db, [row], window)) page.add(visits, scannedUrls);
        await clock.pause();
      }
      return page.finish(db);
    });
  }

  #reportLink<R extends Report>(
    measure: VisitMeasure<R>,
    organizationId: string,
    urlId: number,
    query: ReportQuery,
  ) {
    const wanted = { ...query, organizationId, urlIds: Float64Array.of(urlId) };
    return this.#report(measure, query, async ({ tally, read }) => {
      for await (const visits of read(wanted)) tally.add(visits);
    });
  }

  /** Creates a report from the visits that `add` adds. Calls `add` again if a count is not exact. */
  #report<R extends Report, More>(
    measure: VisitMeasure<R>,
    query: ReportQuery,
    add: (run: ReportRun<R>) => Promise<More>,
  ): Promise<R & More> {
    return this.#database.snapshot(async (db) => {
      const clock = new ReportClock();
      const tally = new VisitTally(measure, query);
      const maxBytes = this.#maxBytes;
      async function* read(wanted: WantedVisits) {
        const rows = await listRows(db, wanted);
        const visits = rows.reduce((sum, { visit_count }) => sum + visit_count, 0);
        checkMemory(visits, maxBytes);
        tally.reserve(visits);
        for await (const each of readRows(db, rows, wanted)) {
          yield each;
          await clock.pause();
        }
      }
      const run = { db, tally, read };
      let more = await add(run);
      if (tally.startSecondPass()) more = await add(run);
      return { ...tally.finish(query.limit), ...more };
    });
  }
}

/** Counts the visits of each URL. Merged visits are sorted by URL. */
function countByUrl(counts: Map<number, number>, urlIds: Float64Array): void {
  for (let from = 0, to = 0; from < urlIds.length; from = to) {
    const urlId = urlIds[from] as number;
    while (to < urlIds.length && urlIds[to] === urlId) to += 1;
    counts.set(urlId, (counts.get(urlId) ?? 0) + to - from);
  }
}

/** Returns all URLs of an organization that have, or had, QR codes. */
async function findScannedUrls(db: Kysely<Schema>, organizationId: string): Promise<ScannedUrls> {
  const spans = selectSpans(db).where('qr_codes.organization_id', '=', organizationId);
  // Each condition has an index.
  const existing = await spans.where('qr_codes.deleted_at', 'is', null).execute();
  const deleted = await spans.where('qr_codes.deleted_at', 'is not', null).execute();
  return toScannedUrls([...existing, ...deleted]);
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
