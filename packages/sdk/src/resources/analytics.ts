import type { ApiPromise } from '../api-promise.js';
import type { RequestOptions } from '../options.js';
import type { AnalyticsOverview, OverviewQuery, VisitExport, VisitExportQuery } from '../types.js';
import { Resource } from './resource.js';

/** Reports on all links of the organization: `shorty.analytics`. */
export class AnalyticsResource extends Resource {
  /**
   * Reads the clicks of all links. The default is the last 30 days, grouped by day. A visitor of two
   * links is one unique click. Rejects with ValidationError for an invalid window or filter.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * const { totals, topUrls } = await shorty.analytics.overview({
   *   since: '2030-11-01',
   *   timezone: 'Europe/Berlin',
   *   country: ['DE', 'AT'],
   * });
   * console.log(totals.totalClicks, topUrls[0]?.shortUrl);
   * ```
   */
  overview(query: OverviewQuery = {}, options?: RequestOptions): ApiPromise<AnalyticsOverview> {
    return this.api.send('GET /api/v1/analytics/overview', { query }, options);
  }

  /**
   * Reads one page of the visits of people as NDJSON: up to 5,000 lines, oldest first. The texts of all
   * pages make the file. Rejects with ValidationError for an invalid window or filter.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * const window = { since: '2030-11-01', until: '2030-12-01' };
   * let page = await shorty.analytics.visits(window);
   * let file = page.text;
   * while (page.nextAfter) {
   *   page = await shorty.analytics.visits({ ...window, after: page.nextAfter });
   *   file += page.text;
   * }
   * console.log(file);
   * ```
   */
  visits(query: VisitExportQuery = {}, options?: RequestOptions): ApiPromise<VisitExport> {
    return this.api.send('GET /api/v1/visits', { query }, options);
  }
}
