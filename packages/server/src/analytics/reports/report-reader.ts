import type { CompiledQuery, Kysely } from 'kysely';
import type { Database, Schema } from '../../storage/database.js';
import { prepare } from '../../storage/prepared.js';
import {
  type Batch,
  findCompaction,
  firstPendingUrl,
  readBatches,
  readChunks,
} from '../ingest/chunk-repository.js';
import { decodeColumns } from '../ingest/columns-codec.js';
import { type QrSpan, type ScannedUrl, selectSpans, toScannedUrls } from '../ingest/scanned-url.js';
import type { VisitColumns } from '../ingest/visit-columns.js';
import { type ClickReport, clickMeasure } from './click-measure.js';
import { Int32Pool } from './int32-pool.js';
import { parseSummary } from './pruned-days.js';
import type { ReportQuery } from './report-query.js';
import { dayMs } from './report-window.js';
import { type ScanReport, scanMeasure, selectScans } from './scan-measure.js';
import { largest, type Report, type VisitMeasure, VisitTally } from './visit-tally.js';

export interface OverviewReport extends ClickReport {
  /** The URLs with the most clicks. */
  readonly top: readonly (readonly [urlId: number, clicks: number])[];
  readonly totalUrls: number;
  /** URLs that redirect now. */
  readonly activeUrls: number;
  /** QR codes that are not deleted. */
  readonly totalQrs: number;
  readonly totalScans: number;
}

/** Reads reports from storage. It reads many visits, so it runs in a separate thread. */
export class ReportReader {
  readonly #database: Database;
  readonly #pool = new Int32Pool();
  readonly #chunksOfUrl;
  readonly #clickDays;
  readonly #scanDays;
  /** Caches the batches in storage, which never change. */
  #batches: readonly Batch[] = [];

  constructor(database: Database) {
    this.#database = database;
    this.#chunksOfUrl = prepare(
      database.read
        .selectFrom('visit_chunks')
        .select('visits')
        .where('url_id', '=', 0)
        .where('last_at', '>=', 0)
        .where('first_at', '<', 0),
    );
    this.#clickDays = prepare(
      database.read
        .selectFrom('click_days')
        .select('summary')
        .where('url_id', '=', 0)
        .where('day', '>=', 0)
        .where('day', '<=', 0),
    );
    this.#scanDays = prepare(
      database.read
        .selectFrom('scan_days')
        .select('summary')
        .where('qr_id', '=', '')
        .where('day', '>=', 0)
        .where('day', '<=', 0),
    );
  }

  /** Reports the clicks of one URL. */
  readClicks(urlId: number, query: ReportQuery): Promise<ClickReport> {
    const days = this.#clickDays(urlId, query.since, lastDay(query));
    return this.#read(clickMeasure, urlId, query, days);
  }

  /** Reports the scans of one QR code. */
  readScans(
    { urlId, hasSlug }: Pick<ScannedUrl, 'urlId' | 'hasSlug'>,
    span: QrSpan,
    query: ReportQuery,
  ): Promise<ScanReport> {
    const days = this.#scanDays(span.qrId, query.since, lastDay(query));
    return this.#read(scanMeasure(span, hasSlug), urlId, query, days);
  }

  #read<R extends Report>(
    measure: VisitMeasure<R>,
    urlId: number,
    query: ReportQuery,
    prunedDays: CompiledQuery<{ summary: string }>,
  ): Promise<R> {
    const { since, until, limit } = query;
    return this.#database.snapshot(async (db) => {
      const tally = new VisitTally(measure, query, this.#pool);
      await this.#forEachBatch(db, (columns, isPending) =>
        tally.addAccepted(columns, (id) => id === urlId && isPending(id)),
      );
      const { rows: chunks } = await db.executeQuery(this.#chunksOfUrl(urlId, since, until));
      for (const { visits } of chunks) tally.add(urlId, decodeColumns(visits));
      const { rows: days } = await db.executeQuery(prunedDays);
      for (const { summary } of days) addDay(tally, urlId, summary);
      return tally.finish(limit);
    });
  }

  /** Reports the clicks of all URLs of an organization. */
  readOverview(organizationId: string, query: ReportQuery, now: number): Promise<OverviewReport> {
    return this.#database.snapshot(async (db) => {
      const tally = new VisitTally(clickMeasure, query, this.#pool);
      const urls = await db
        .selectFrom('urls')
        .select(['id', 'is_active', 'expires_at'])
        .where('organization_id', '=', organizationId)
        .execute();
      const urlIds = new Set(urls.map(({ id }) => id));
      const spans = await selectSpans(db)
        .where('qr_codes.organization_id', '=', organizationId)
        .execute();
      const scannedUrls = toScannedUrls(spans);
      let totalScans = 0;
      await this.#forEachBatch(db, (columns, isPending) => {
        tally.addAccepted(columns, (id) => urlIds.has(id) && isPending(id));
        if (scannedUrls.size === 0) return;
        const urlAt = (index: number) => {
          const urlId = columns.urlIds?.[index] as number;
          return isPending(urlId) ? scannedUrls.get(urlId) : undefined;
        };
        totalScans += selectScans(columns, query, urlAt).indexes.length;
      });
      for await (const { url_id, visits } of readChunks(db, query)) {
        if (!urlIds.has(url_id)) continue;
        const columns = decodeColumns(visits);
        tally.add(url_id, columns);
        const url = scannedUrls.get(url_id);
        if (url) totalScans += selectScans(columns, query, () => url).indexes.length;
      }
      const days = await db
        .selectFrom('click_days')
        .select(['url_id', 'scans', 'summary'])
        .where('day', '>=', query.since)
        .where('day', '<=', lastDay(query))
        .execute();
      for (const { url_id, scans, summary } of days) {
        if (!urlIds.has(url_id)) continue;
        addDay(tally, url_id, summary);
        totalScans += scans;
      }
      const { totalQrs } = await db
        .selectFrom('qr_codes')
        .select(({ fn }) => fn.countAll<number>().as('totalQrs'))
        .where('organization_id', '=', organizationId)
        .where('deleted_at', 'is', null)
        .executeTakeFirstOrThrow();
      return {
        ...tally.finish(query.limit),
        top: largest(tally.visitsOfUrl, query.limit),
        totalUrls: urls.length,
        activeUrls: urls.filter(
          ({ is_active, expires_at }) =>
            is_active === 1 && (expires_at === null || expires_at > now),
        ).length,
        totalQrs: Number(totalQrs),
        totalScans,
      };
    });
  }

  /** Calls `add` for each batch. A URL is pending while its visits in the batch are not in chunks. */
  async #forEachBatch(
    db: Kysely<Schema>,
    add: (columns: VisitColumns, isPending: (urlId: number) => boolean) => void,
  ): Promise<void> {
    const compaction = await findCompaction(db);
    this.#batches = await this.#readBatches(db);
    for (const { id, columns } of this.#batches) {
      const firstPending = firstPendingUrl(compaction, id);
      add(columns, (urlId) => urlId >= firstPending);
    }
  }

  async #readBatches(db: Kysely<Schema>): Promise<readonly Batch[]> {
    const { oldest } = await db
      .selectFrom('visit_batches')
      .select((expression) => expression.fn.min('id').as('oldest'))
      .executeTakeFirstOrThrow();
    if (oldest === null) return [];
    const cached = this.#batches.filter(({ id }) => id >= oldest);
    return [...cached, ...(await readBatches(db, cached.at(-1)?.id ?? 0))];
  }
}

/** Returns the latest start of a day that is entirely in the window. Reports skip other pruned days. */
function lastDay({ until }: ReportQuery): number {
  return until - dayMs;
}

function addDay<R extends Report>(tally: VisitTally<R>, urlId: number, summary: string): void {
  for (const report of parseSummary<R>(summary)) tally.addDay(urlId, report);
}
