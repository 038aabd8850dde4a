import type { z } from 'zod';
import type { Clock } from '../../ports.js';
import type { ShortUrl } from '../../urls/short-url.js';
import type { UrlService } from '../../urls/url-service.js';
import { questionOf } from './click-question.js';
import type { ClicksQuestion, OverviewReport } from './click-reader.js';
import type { ClickReports } from './click-reports.js';
import type { ClickReport } from './click-tally.js';
import type { clicksQuery } from './clicks-contract.js';

type ClicksQuery = z.output<typeof clicksQuery>;

export interface ClickServiceOptions {
  readonly urls: Pick<UrlService, 'get'>;
  readonly reports: ClickReports;
  readonly clock: Clock;
}

/** Reports on clicks, for whom they belong to. */
export class ClickService {
  readonly #options: ClickServiceOptions;

  constructor(options: ClickServiceOptions) {
    this.#options = options;
  }

  async urlClicks(
    organizationId: string,
    urlId: number,
    query: ClicksQuery,
  ): Promise<{ url: ShortUrl; question: ClicksQuestion; report: ClickReport }> {
    const { urls, reports, clock } = this.#options;
    const question = questionOf(query, clock());
    const url = await urls.get(organizationId, urlId);
    return { url, question, report: await reports.readUrl(organizationId, url.id, question) };
  }

  async overview(
    organizationId: string,
    query: ClicksQuery,
  ): Promise<{
    question: ClicksQuestion;
    report: OverviewReport;
    topUrls: readonly { url: ShortUrl; clicks: number }[];
  }> {
    const { urls, reports, clock } = this.#options;
    const question = questionOf(query, this.#options.clock());
    const report = await reports.readOrganization(organizationId, question, clock());
    const topUrls = await Promise.all(
      report.top.map(async ([id, clicks]) => ({ url: await urls.get(organizationId, id), clicks })),
    );
    return { question, report, topUrls };
  }
}
