import type { z } from 'zod';
import { ApiError } from '../../contract/api-error.js';
import type { Clock } from '../../ports.js';
import type { FoundQrCode } from '../ingest/scanned-url.js';
import type { ClickReport } from './click-measure.js';
import type { clicksQuery } from './clicks-contract.js';
import type { Reports } from './open-reports.js';
import { ReportTooLargeError } from './report-limits.js';
import { parseReportQuery, type ReportQuery } from './report-query.js';
import type { OverviewReport } from './report-reader.js';
import { type ScanReport, scanMeasure } from './scan-measure.js';
import { VisitTally } from './visit-tally.js';

type ClicksQuery = z.output<typeof clicksQuery>;

/** A URL in a report. */
export interface ReportUrl {
  readonly id: number;
  readonly shortCode: string;
  readonly shortUrl: string;
}

/** Returns a URL of an organization. Throws NOT_FOUND when it does not exist. */
export type GetReportUrl = (organizationId: string, urlId: number) => Promise<ReportUrl>;

export interface ReportServiceOptions {
  readonly getUrl: GetReportUrl;
  readonly findQrCode: (organizationId: string, qrId: string) => Promise<FoundQrCode | undefined>;
  readonly reports: Reports;
  readonly clock: Clock;
}

/** Reads an organization's reports on clicks and scans. */
export class ReportService {
  readonly #options: ReportServiceOptions;

  constructor(options: ReportServiceOptions) {
    this.#options = options;
  }

  /** Returns the clicks of one URL. */
  async getUrlClicks(
    organizationId: string,
    urlId: number,
    clicksQuery: ClicksQuery,
  ): Promise<{ url: ReportUrl; query: ReportQuery; report: ClickReport }> {
    const { getUrl, reports, clock } = this.#options;
    const query = parseReportQuery(clicksQuery, clock());
    const url = await getUrl(organizationId, urlId);
    return {
      url,
      query,
      report: await orUnavailable(reports.readClicks(organizationId, url.id, query)),
    };
  }

  /** Returns the scans of one QR code, which may be deleted. */
  async getQrScans(
    organizationId: string,
    qrId: string,
    clicksQuery: ClicksQuery,
  ): Promise<{ urlId: number | null; query: ReportQuery; report: ScanReport }> {
    const { findQrCode, reports, clock } = this.#options;
    const query = parseReportQuery(clicksQuery, clock());
    const qrCode = await findQrCode(organizationId, qrId);
    if (!qrCode) throw new ApiError('NOT_FOUND', 'There is no such QR code in this organization');
    const { url, span } = qrCode;
    // The scans of a standalone QR code are unknown, because it contains its target and not a short URL.
    const report = url
      ? await orUnavailable(reports.readScans(organizationId, url, span, query))
      : new VisitTally(scanMeasure(span, false), query).finish(query.limit);
    return { urlId: url?.urlId ?? null, query, report };
  }

  /** Returns the clicks of all URLs, and the URLs with the most clicks. */
  async getOverview(
    organizationId: string,
    clicksQuery: ClicksQuery,
  ): Promise<{
    query: ReportQuery;
    report: OverviewReport;
    topUrls: readonly { url: ReportUrl; clicks: number }[];
  }> {
    const { getUrl, reports, clock } = this.#options;
    const query = parseReportQuery(clicksQuery, clock());
    const report = await orUnavailable(reports.readOverview(organizationId, query, clock()));
    const topUrls = await Promise.all(
      report.top.map(async ([id, clicks]) => ({ url: await getUrl(organizationId, id), clicks })),
    );
    return { query, report, topUrls };
  }
}

/** Converts a ReportTooLargeError to an ApiError with the same message. */
async function orUnavailable<T>(report: Promise<T>): Promise<T> {
  try {
    return await report;
  } catch (error) {
    if (!(error instanceof ReportTooLargeError)) throw error;
    throw new ApiError('UNAVAILABLE', error.message, { cause: error });
  }
}
