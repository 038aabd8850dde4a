import type { z } from 'zod';
import type { Clock } from '../../ports.js';
import { questionOf } from './click-question.js';
import type { ClicksQuestion, OverviewReport } from './click-reader.js';
import type { ClickReport } from './click-report.js';
import type { ClickReports } from './click-reports.js';
import type { clicksQuery } from './clicks-contract.js';

type ClicksQuery = z.output<typeof clicksQuery>;

/** A URL as reports show it. */
export interface ReportUrl {
  readonly id: number;
  readonly shortCode: string;
  readonly shortUrl: string;
}

/** Finds a URL of an organization. Throws NOT_FOUND when there is none. */
export type GetReportUrl = (organizationId: string, urlId: number) => Promise<ReportUrl>;

export interface ClickServiceOptions {
  readonly getUrl: GetReportUrl;
  readonly reports: ClickReports;
  readonly clock: Clock;
}

/** Reads an organization's click reports. */
export class ClickService {
  readonly #options: ClickServiceOptions;

  constructor(options: ClickServiceOptions) {
    this.#options = options;
  }

  /** Returns the clicks of one URL. */
  async urlClicks(
    organizationId: string,
    urlId: number,
    query: ClicksQuery,
  ): Promise<{ url: ReportUrl; question: ClicksQuestion; report: ClickReport }> {
    const { getUrl, reports, clock } = this.#options;
    const question = questionOf(query, clock());
    const url = await getUrl(organizationId, urlId);
    return { url, question, report: await reports.readUrl(organizationId, url.id, question) };
  }

  /** Returns the clicks of all URLs, and the URLs with the most clicks. */
  async overview(
    organizationId: string,
    query: ClicksQuery,
  ): Promise<{
    question: ClicksQuestion;
    report: OverviewReport;
    topUrls: readonly { url: ReportUrl; clicks: number }[];
  }> {
    const { getUrl, reports, clock } = this.#options;
    const question = questionOf(query, clock());
    const report = await reports.readOrganization(organizationId, question, clock());
    const topUrls = await Promise.all(
      report.top.map(async ([id, clicks]) => ({ url: await getUrl(organizationId, id), clicks })),
    );
    return { question, report, topUrls };
  }
}
