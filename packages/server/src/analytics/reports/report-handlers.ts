import { LRUCache } from 'lru-cache';
import { notFound, validationError } from '../../contract/api-error.js';
import type { LinkOwner } from '../../contract/caller.js';
import type { Position } from '../../contract/fields.js';
import { joinJson } from '../../contract/json-text.js';
import { minuteMs } from '../../durations.js';
import type { HandlersOf } from '../../http/handlers.js';
import { openPage } from '../../http/open-page.js';
import type { Clock } from '../../ports.js';
import type { Database } from '../../storage/database.js';
import { isOfLinkWithin, isWithin } from '../../storage/link-restriction.js';
import { selectSpans } from '../ingest/scans.js';
import { clickDimensions, type Dimensions, scanDimensions } from './dimensions.js';
import type { reportRoutes, WindowInput } from './report-contract.js';
import type { ReportReader } from './report-reader.js';
import type { Reports } from './report-thread.js';
import { parseReportQuery, type ReportQuery, toWindowFields } from './report-window.js';
import { utc } from './time-zone.js';
import { toConditions } from './visit-filter.js';
import { maxSkipped } from './visit-page.js';

export interface ReportSources {
  /** Returns a URL of an owner. Throws NOT_FOUND when it does not exist. */
  readonly getUrl: (
    owner: LinkOwner,
    urlId: number,
  ) => Promise<{
    readonly id: number;
    readonly shortCode: string;
    readonly createdAt: number;
    readonly importedClicks: number;
  }>;
  /** Returns those of these URLs of an owner that exist, in their order. */
  readonly findUrls: (
    owner: LinkOwner,
    urlIds: readonly number[],
  ) => Promise<
    readonly { readonly id: number; readonly shortCode: string; readonly shortUrl: string }[]
  >;
  readonly database: Database;
  readonly reports: Reports;
  readonly clock: Clock;
  readonly countriesDate: () => string | null;
  /** The first instant whose visits the retention setting retains; undefined without it. */
  readonly retainedSince: () => number | undefined;
}

/** Scans can be selected by all facts about a visit, also by those that have no breakdown. */
const scanFilters = { ...clickDimensions, ...scanDimensions };

// An overview that took longer is remembered for a minute.
const slowMs = 500;

export function reportHandlers({
  getUrl,
  findUrls,
  database,
  reports,
  clock,
  countriesDate,
  retainedSince,
}: ReportSources): HandlersOf<typeof reportRoutes> {
  /** Returns the first instant whose visits are retained; 0 if none were deleted. */
  async function firstRetained(organizationId: string): Promise<number> {
    const { visits_deleted_until: deletedUntil } = await database.read
      .selectFrom('organizations')
      .select('visits_deleted_until')
      .where('id', '=', organizationId)
      .executeTakeFirstOrThrow();
    return Math.max(retainedSince() ?? 0, deletedUntil);
  }

  /**
   * Returns the query of a report on a record that was created at `createdAt`, without the time whose
   * visits are deleted, and the fields with which each report begins.
   */
  async function prepare(
    organizationId: string,
    dimensions: Dimensions,
    input: WindowInput & Pick<ReportQuery, 'limit'>,
    createdAt: number,
  ) {
    const now = clock();
    const window = parseReportQuery(input, now, createdAt);
    const { since, until, timezone } = window;
    const retainedFrom = await firstRetained(organizationId);
    const query: ReportQuery = {
      ...window,
      since: Math.max(since, Math.min(retainedFrom, until)),
      limit: input.limit,
      conditions: toConditions(dimensions, input),
    };
    const head = {
      ...toWindowFields(window),
      timezone: timezone ?? utc,
      countriesDate: countriesDate(),
      retainedSince: retainedFrom === 0 ? null : new Date(retainedFrom).toISOString(),
    };
    return { query, head };
  }

  /** Returns when the organization, or its oldest link, was created. An imported link may be older. */
  async function firstRecordAt({ organizationId, restriction }: LinkOwner): Promise<number> {
    const { created, firstUrl } = await database.read
      .selectFrom('organizations')
      .select(['created_at as created'])
      .select(({ selectFrom }) =>
        selectFrom('urls')
          .select(({ fn }) => fn.min('created_at').as('first'))
          .where('organization_id', '=', organizationId)
          .where(isWithin(restriction))
          .as('firstUrl'),
      )
      .where('id', '=', organizationId)
      .executeTakeFirstOrThrow();
    return Math.min(created, firstUrl ?? created);
  }

  /** Overviews that took long. Each says until when its visits were counted. */
  const slowOverviews = new LRUCache<string, ReadOverview>({
    max: 32,
    ttl: minuteMs,
    ttlResolution: 0,
    perf: { now: clock },
  });
  interface ReadOverview {
    readonly head: Awaited<ReturnType<typeof prepare>>['head'];
    readonly report: Awaited<ReturnType<ReportReader['readOverview']>>;
  }

  return {
    async getUrlClicks({ caller, params, query: input }) {
      const { organizationId } = caller;
      const { id, shortCode, createdAt, importedClicks } = await getUrl(caller, params.id);
      const { query, head } = await prepare(organizationId, clickDimensions, input, createdAt);
      const record = { urlId: String(id), shortCode, createdAt: new Date(createdAt).toISOString() };
      const own = { ...record, ...head, importedClicks };
      const report = await reports.read('readClicks', organizationId, id, query);
      return { status: 200, json: joinJson(own, report) };
    },

    async getQrScans({ caller: { organizationId, restriction }, params, query: input }) {
      const qrCode = await selectSpans(database.read)
        .where('qr_codes.id', '=', params.id)
        .where('qr_codes.organization_id', '=', organizationId)
        .where(isOfLinkWithin(restriction))
        .executeTakeFirst();
      if (!qrCode) throw notFound('QR code', params.id);
      const { urlId, slug, ...span } = qrCode;
      const { query, head } = await prepare(organizationId, scanFilters, input, span.from);
      const ids = { qrCodeId: params.id, urlId: urlId === null ? null : String(urlId) };
      const own = { ...ids, createdAt: new Date(span.from).toISOString(), ...head };
      // The scans of a standalone QR code are unknown, because it contains its target and not a short URL.
      // No visit has the id 0.
      const url = { urlId: urlId ?? 0, hasSlug: slug !== null, spans: [span] };
      const report = await reports.read('readScans', organizationId, url, query);
      return { status: 200, json: joinJson(own, report) };
    },

    async exportVisits({ caller: { organizationId, restriction }, query: input }) {
      const { filter, describe } = openPage(input, 'integer');
      const now = clock();
      const { since, until, timezone, limit, tag, domainId, urlId } = input;
      const days = { since, until, timezone, groupBy: 'day' } as const;
      // The export has no series.
      const window = parseReportQuery(days, now, Number.POSITIVE_INFINITY);
      const query = {
        since: Math.max(window.since, await firstRetained(organizationId)),
        until: window.until,
        conditions: toConditions(scanFilters, input),
        limit,
        after: readPosition(filter.after),
      };
      const urls = { tag, domainId, urlId, restriction };
      const page = await reports.read('readVisits', organizationId, query, now, urls);
      const { count, next } = page;
      const { nextAfter } = describe({ total: 0, count, next: next && [next.at, next.skipped] });
      const head = JSON.stringify({ ...toWindowFields(window), timezone, count, nextAfter });
      return { status: 200, json: `${head.slice(0, -1)},"text":${page.text}}` };
    },

    async getAnalyticsOverview({ caller, query: input }) {
      const { organizationId, restriction } = caller;
      const { tag, domainId, urlId } = input;
      const createdAt = await firstRecordAt(caller);
      const prepared = await prepare(organizationId, clickDimensions, input, createdAt);
      const { query } = prepared;
      const urls = { tag, domainId, urlId, restriction };
      const now = clock();
      const key = JSON.stringify([organizationId, restriction, input]);
      const known = slowOverviews.get(key);
      const { head, report } = known ?? {
        head: prepared.head,
        report: await reports.read('readOverview', organizationId, query, now, urls),
      };
      // Another window would not say until when its visits were counted.
      if (!known && input.until === undefined && clock() - now > slowMs) {
        slowOverviews.set(key, { head, report }, { start: now });
      }
      const { top, totals, breakdowns, timeseries } = report;
      const { importedClicks, ...urlTotals } = report.urls;
      const clicksOf = new Map(top);
      // A link that was erased after the visits were counted is left out.
      const topUrls = await findUrls(caller, [...clicksOf.keys()]);
      return {
        status: 200,
        data: {
          ...head,
          importedClicks,
          totals: { ...urlTotals, ...totals, ...report.qrs },
          topUrls: topUrls.map(({ id, shortCode, shortUrl }) => ({
            urlId: String(id),
            shortCode,
            shortUrl,
            clicks: clicksOf.get(id) as number,
          })),
          breakdowns,
          timeseries,
        },
      };
    },
  };
}

// The last instant that a Date can have, in milliseconds.
const maxTime = 8.64e15;

/** Returns the position that a cursor of visits has. */
function readPosition(position: Position | undefined) {
  if (position === undefined) return undefined;
  const [at, skipped] = position.map(Number) as [number, number];
  if (at >= 0 && at <= maxTime && skipped >= 1 && skipped <= maxSkipped) return { at, skipped };
  const message = `is not a cursor of visits: it skips ${skipped} visits of one millisecond, and must skip 1 to ${maxSkipped}`;
  throw validationError([{ path: 'after', message }]);
}
