import { exportTexts } from '../export-texts.js';
import { GeneratedAnalyticsResource } from '../generated/resources.js';
import type { RequestOptions } from '../options.js';
import type { VisitExportQuery } from '../types.js';

/** Reports on all links: `shorty.analytics`. */
export class AnalyticsResource extends GeneratedAnalyticsResource {
  /**
   * Reads all pages of the visits, and yields their texts, which make one file of NDJSON.
   *
   * @example
   * ```ts
   * import { writeFile } from 'node:fs/promises';
   *
   * await writeFile('visits.ndjson', shorty.analytics.exportAllVisits({ since: '2030-11-01' }));
   * ```
   */
  exportAllVisits(
    query: VisitExportQuery = {},
    options?: RequestOptions,
  ): AsyncGenerator<string, void, undefined> {
    return exportTexts(query, (each) => this.visits(each, options));
  }
}
