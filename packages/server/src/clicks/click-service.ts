import type { z } from 'zod';
import { validationError } from '../contract/api-error.js';
import type { Clock } from '../ports.js';
import type { ShortUrl } from '../urls/short-url.js';
import type { UrlService } from '../urls/url-service.js';
import type { ClicksQuestion, OverviewReport } from './click-reader.js';
import type { ClickReports } from './click-reports.js';
import type { ClickReport } from './click-tally.js';
import { bucketsOf, maxBuckets } from './click-window.js';
import { type clicksQuery, defaultWindowMs } from './clicks-contract.js';

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
    const question = this.#question(query);
    const url = await this.#options.urls.get(organizationId, urlId);
    return { url, question, report: await this.#options.reports.readUrl(url.id, question) };
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
    const question = this.#question(query);
    const report = await reports.readOrganization(organizationId, question, clock());
    const topUrls = await Promise.all(
      report.top.map(async ([id, clicks]) => ({ url: await urls.get(organizationId, id), clicks })),
    );
    return { question, report, topUrls };
  }

  #question(query: ClicksQuery): ClicksQuestion {
    const now = this.#options.clock();
    const { groupBy, limit } = query;
    const since = query.since === undefined ? now - defaultWindowMs : Date.parse(query.since);
    const until = query.until === undefined ? now : Date.parse(query.until);
    if (since >= until) {
      throw validationError([
        {
          path: 'since',
          message: `must lie before until: it is ${instant(since)}, and until is ${instant(until)}`,
        },
      ]);
    }
    const { count } = bucketsOf({ since, until, groupBy });
    if (count > maxBuckets) {
      throw validationError([
        {
          path: 'since',
          message: `makes ${count} buckets of one ${groupBy}: a report has at most ${maxBuckets}`,
        },
      ]);
    }
    return { since, until, groupBy, limit };
  }
}

function instant(ms: number): string {
  return new Date(ms).toISOString();
}
