import type { Kysely } from 'kysely';
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
import { Int32Pool } from './int32-pool.js';
import { parseSummary } from './pruned-days.js';
import {
  chunkRows,
  clickDayRows,
  readScanDays,
  readUrlRows,
  urlsPerQuery,
} from './read-url-rows.js';
import { ReportClock } from './report-limits.js';
import type { ReportQuery, Window } from './report-window.js';
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
  /** A cache of the stored batches by id. A stored batch never changes. */
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

  readOverview(organizationId: string, query: ReportQuery, now: number) {
    return this.#report(clickMeasure, query, async (run) => {
      const { db, tally } = run;
      const { urlIds, activeUrls, importedClicks } = await readUrlIds(run, organizationId, now);
      const batches = await this.#readBatches(db);
      let totalScans = 0;
      for (let start = 0; start < urlIds.length; start += urlsPerQuery) {
        const page = Array.from(urlIds.subarray(start, start + urlsPerQuery));
        const spans = selectSpans(db).where('qr_codes.url_id', 'in', page);
        const scannedUrls = toScannedUrls(await spans.execute());
        for await (const visits of this.#readVisits(run, batches, page, query)) {
          tally.add(visits);
          if (scannedUrls.size === 0) continue;
          const { urlIds: visited } = visits.columns;
          const urlAt = (index: number) => scannedUrls.get(visited[index] as number);
          totalScans += selectScans(visits, query, urlAt).indexes.length;
        }
        const days = readUrlRows(db, clickDayRows, page, query);
        for await (const { url_id, scans, summary } of days) {
          await addDay(run, url_id, summary);
          totalScans += scans;
        }
      }
      const { totalQrs } = await db
        .selectFrom('qr_codes')
        .select(({ fn }) => fn.countAll<number>().as('totalQrs'))
        .where('organization_id', '=', organizationId)
        .where('deleted_at', 'is', null)
        .executeTakeFirstOrThrow();
      return {
        /** The URLs with the most clicks. */
        top: tally.largestUrls(query.limit),
        totalUrls: urlIds.length,
        activeUrls,
        importedClicks,
        totalQrs,
        totalScans,
      };
    });
  }

  /** Creates a report from the visits that `read` adds. Calls `read` twice if a count is not exact. */
  #report<R extends Report, More>(
    measure: VisitMeasure<R>,
    query: ReportQuery,
    read: (run: ReportRun<R>) => Promise<More>,
  ): Promise<R & More & Pick<VisitTally<R>, 'uniquesAre'>> {
    return this.#database.snapshot(async (db) => {
      const tally = new VisitTally(measure, query, this.#pool);
      const run = { db, tally, clock: new ReportClock() };
      try {
        let more = await read(run);
        if (tally.startSecondPass()) more = await read(run);
        return { uniquesAre: tally.uniquesAre, ...tally.finish(query.limit), ...more };
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
    days: AsyncIterable<{ readonly summary: string }>,
  ): Promise<void> {
    const batches = await this.#readBatches(run.db);
    for await (const visits of this.#readVisits(run, batches, [urlId], window)) {
      run.tally.add(visits);
    }
    for await (const { summary } of days) await addDay(run, urlId, summary);
  }

  /** Reads each visit of the URLs once, from batches and chunks that may have visits in a window. */
  async *#readVisits(
    { db, clock }: Pick<ReportRun<never>, 'db' | 'clock'>,
    batches: readonly PendingBatch[],
    urlIds: readonly number[],
    window: Window,
  ): AsyncGenerator<StoredVisits> {
    for (const { columns, firstPending } of batches) {
      const indexes = indexesOf(
        columns,
        urlIds.filter((id) => id >= firstPending),
      );
      if (indexes.length > 0) yield { columns, indexes };
      await clock.pause();
    }
    for await (const { url_id, visits } of readUrlRows(db, chunkRows, urlIds, window)) {
      const columns = decodeColumns(visits, url_id);
      yield { columns, indexes: allIndexes(columns) };
      await clock.pause();
    }
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

/** Returns the indexes of the visits of URLs, whose ids are in ascending order. */
function indexesOf({ count, urlIds }: VisitColumns, wanted: readonly number[]): Uint32Array {
  const first = wanted[0] ?? Number.POSITIVE_INFINITY;
  const last = wanted.at(-1) ?? 0;
  const isWanted = new Set(wanted);
  const indexes = new Uint32Array(count);
  let found = 0;
  for (let index = 0; index < count; index += 1) {
    const urlId = urlIds[index] as number;
    if (urlId < first || urlId > last || !isWanted.has(urlId)) continue;
    indexes[found] = index;
    found += 1;
  }
  return indexes.subarray(0, found);
}

/**
 * Reads the ids of an organization's URLs in ascending order, and counts those that redirect now, and
 * their imported clicks.
 */
async function readUrlIds(
  { db, clock }: Pick<ReportRun<never>, 'db' | 'clock'>,
  organizationId: string,
  now: number,
): Promise<{ urlIds: Float64Array; activeUrls: number; importedClicks: number }> {
  const urlIds: number[] = [];
  let activeUrls = 0;
  let importedClicks = 0;
  let last = { created_at: -1, id: 0 };
  for (;;) {
    const rows = await db
      .selectFrom('urls')
      .select(['id', 'created_at', 'is_active', 'expires_at', 'imported_clicks'])
      .where('organization_id', '=', organizationId)
      .where(({ eb, refTuple, tuple }) =>
        eb(refTuple('created_at', 'id'), '>', tuple(last.created_at, last.id)),
      )
      .orderBy('created_at')
      .orderBy('id')
      .limit(urlsPerPage)
      .execute();
    for (const { id, is_active, expires_at, imported_clicks } of rows) {
      urlIds.push(id);
      importedClicks += imported_clicks;
      if (is_active === 1 && (expires_at === null || expires_at > now)) activeUrls += 1;
    }
    await clock.pause();
    const end = rows.at(-1);
    if (!end || rows.length < urlsPerPage) break;
    last = end;
  }
  return { urlIds: Float64Array.from(urlIds).sort(), activeUrls, importedClicks };
}

async function addDay<R extends Report>(
  { tally, clock }: ReportRun<R>,
  urlId: number,
  summary: string,
): Promise<void> {
  for (const report of parseSummary<R>(summary)) tally.addDay(urlId, report);
  await clock.pause();
}
