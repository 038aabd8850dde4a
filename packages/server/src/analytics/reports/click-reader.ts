import type { Kysely } from 'kysely';
import type { Database, Schema } from '../../storage/database.js';
import { prepare } from '../../storage/prepared.js';
import { type Batch, findCompaction, readBatches } from '../ingest/chunk-repository.js';
import { decodeColumns } from '../ingest/columns-codec.js';
import { type QrSpan, type ScannedUrl, selectSpans, toScannedUrls } from '../ingest/scanned-url.js';
import type { VisitColumns } from '../ingest/visit-columns.js';
import { type ClickReport, clicks } from './click-report.js';
import { NumberPool } from './number-pool.js';
import { dayMs, type ReportWindow } from './report-window.js';
import { readScanDays } from './scan-days.js';
import { type ScanReport, scansOf } from './scan-report.js';
import { selectScans } from './select-scans.js';
import { largest, VisitTally } from './visit-tally.js';

export interface ClicksQuestion extends ReportWindow {
  /** Entries in each breakdown. */
  readonly limit: number;
}

export interface OverviewReport extends ClickReport {
  /** The links that were clicked most: their ids and their clicks. */
  readonly top: readonly (readonly [urlId: number, clicks: number])[];
  readonly totalUrls: number;
  /** Those that redirect now. */
  readonly activeUrls: number;
  /** QR codes that are not deleted. */
  readonly totalQrs: number;
  readonly totalScans: number;
}

// Chunks in one read of an overview: 40 MB at most.
const chunksAtOnce = 512;

/** Answers reports out of storage. It reads much, so it belongs into a thread of its own. */
export class ClickReader {
  readonly #database: Database;
  readonly #pool = new NumberPool();
  readonly #chunksOfUrl;
  readonly #daysOfUrl;
  /** Batches that are not sorted into chunks yet. They never change, so each is read once. */
  #recent: readonly Batch[] = [];

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
    // Days that lie in the window as a whole: of a part, nothing is known any more.
    this.#daysOfUrl = prepare(
      database.read
        .selectFrom('click_days')
        .select('summary')
        .where('url_id', '=', 0)
        .where('day', '>=', 0)
        .where('day', '<=', 0),
    );
  }

  /** The clicks of a link. */
  readUrl(urlId: number, question: ClicksQuestion): Promise<ClickReport> {
    return this.#database.snapshot(async (db) => {
      const { rows } = await db.executeQuery(
        this.#chunksOfUrl(urlId, question.since, question.until),
      );
      const tally = new VisitTally<ClickReport>(clicks, question, this.#pool);
      await this.#eachBatch(db, (columns, isNew) =>
        tally.addAccepted(columns, (id) => id === urlId && isNew(id)),
      );
      for (const { visits } of rows) tally.add(urlId, decodeColumns(visits));
      const { rows: days } = await db.executeQuery(
        this.#daysOfUrl(urlId, question.since, question.until - dayMs),
      );
      for (const { summary } of days) addSummary(tally, urlId, summary);
      return tally.finish(question.limit);
    });
  }

  /** The scans of a code of a link. */
  readScans(
    { urlId, hasSlug }: Pick<ScannedUrl, 'urlId' | 'hasSlug'>,
    span: QrSpan,
    question: ClicksQuestion,
  ): Promise<ScanReport> {
    return this.#database.snapshot(async (db) => {
      const tally = new VisitTally<ScanReport>(scansOf(span, hasSlug), question, this.#pool);
      await this.#eachBatch(db, (columns, isNew) =>
        tally.addAccepted(columns, (id) => id === urlId && isNew(id)),
      );
      const { since, until, limit } = question;
      const { rows } = await db.executeQuery(this.#chunksOfUrl(urlId, since, until));
      for (const { visits } of rows) tally.add(urlId, decodeColumns(visits));
      for (const day of await readScanDays(db, span.qrId, question)) tally.addDay(urlId, day);
      return tally.finish(limit);
    });
  }

  /** The clicks of all links of an organization. */
  readOrganization(
    organizationId: string,
    question: ClicksQuestion,
    now: number,
  ): Promise<OverviewReport> {
    return this.#database.snapshot(async (db) => {
      const tally = new VisitTally<ClickReport>(clicks, question, this.#pool);
      const urls = await db
        .selectFrom('urls')
        .select(['id', 'is_active', 'expires_at'])
        .where('organization_id', '=', organizationId)
        .execute();
      const own = new Set(urls.map(({ id }) => id));
      const codes = await selectSpans(db)
        .where('qr_codes.organization_id', '=', organizationId)
        .execute();
      const scannedUrls = toScannedUrls(codes);
      let totalScans = 0;
      await this.#eachBatch(db, (columns, isNew) => {
        tally.addAccepted(columns, (id) => own.has(id) && isNew(id));
        totalScans += countScansOfMany(columns, question, scannedUrls, isNew);
      });
      for await (const { url_id, visits } of chunksWithin(db, question)) {
        if (!own.has(url_id)) continue;
        const columns = decodeColumns(visits);
        tally.add(url_id, columns);
        const scannedUrl = scannedUrls.get(url_id);
        if (scannedUrl)
          totalScans += selectScans(columns, question, () => scannedUrl).places.length;
      }
      const days = await db
        .selectFrom('click_days')
        .select(['url_id', 'scans', 'summary'])
        .where('day', '>=', question.since)
        .where('day', '<=', question.until - dayMs)
        .execute();
      for (const { url_id, scans: prunedScans, summary } of days) {
        if (!own.has(url_id)) continue;
        addSummary(tally, url_id, summary);
        totalScans += prunedScans;
      }
      const { totalQrs } = await db
        .selectFrom('qr_codes')
        .select(({ fn }) => fn.countAll<number>().as('totalQrs'))
        .where('organization_id', '=', organizationId)
        .where('deleted_at', 'is', null)
        .executeTakeFirstOrThrow();
      return {
        ...tally.finish(question.limit),
        top: largest(tally.visitsOfUrl, question.limit),
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

  /**
   * Passes each batch to `add`, with a function that tells whether a URL's visits in the batch are
   * not in chunks yet.
   */
  async #eachBatch(
    db: Kysely<Schema>,
    add: (columns: VisitColumns, isNew: (urlId: number) => boolean) => void,
  ): Promise<void> {
    const compaction = await findCompaction(db);
    this.#recent = await this.#readRecent(db);
    for (const { id, columns } of this.#recent) {
      const firstNewUrl = compaction && id <= compaction.upToBatch ? compaction.nextUrl : 0;
      add(columns, (urlId) => urlId >= firstNewUrl);
    }
  }

  async #readRecent(db: Kysely<Schema>): Promise<readonly Batch[]> {
    const { oldest } = await db
      .selectFrom('visit_batches')
      .select((expression) => expression.fn.min('id').as('oldest'))
      .executeTakeFirstOrThrow();
    if (oldest === null) return [];
    const kept = this.#recent.filter(({ id }) => id >= oldest);
    return [...kept, ...(await readBatches(db, kept.at(-1)?.id ?? 0))];
  }
}

function countScansOfMany(
  columns: VisitColumns,
  window: ReportWindow,
  urls: ReadonlyMap<number, ScannedUrl>,
  isNew: (urlId: number) => boolean,
): number {
  if (urls.size === 0) return 0;
  const urlIds = columns.urlIds as Float64Array;
  const urlAt = (at: number) => {
    const url = urls.get(urlIds[at] as number);
    return url && isNew(url.urlId) ? url : undefined;
  };
  return selectScans(columns, window, urlAt).places.length;
}

function addSummary(tally: VisitTally<ClickReport>, urlId: number, summary: string): void {
  for (const report of JSON.parse(summary) as ClickReport[]) tally.addDay(urlId, report);
}

/** Chunks that may have visits of the window, in the order of their links, some at a time. */
export async function* chunksWithin(
  db: Kysely<Schema>,
  { since, until }: Pick<ReportWindow, 'since' | 'until'>,
): AsyncGenerator<{ url_id: number; visits: Uint8Array }> {
  let last = { url_id: 0, number: -1 };
  for (;;) {
    const rows = await db
      .selectFrom('visit_chunks')
      .select(['url_id', 'number', 'visits'])
      .where(({ eb, refTuple, tuple }) =>
        eb(refTuple('url_id', 'number'), '>', tuple(last.url_id, last.number)),
      )
      .where('last_at', '>=', since)
      .where('first_at', '<', until)
      .orderBy('url_id')
      .orderBy('number')
      .limit(chunksAtOnce)
      .execute();
    yield* rows;
    const end = rows.at(-1);
    if (!end || rows.length < chunksAtOnce) return;
    last = end;
  }
}
