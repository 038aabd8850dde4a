import type { z } from 'zod';
import { validationError } from '../../contract/api-error.js';
import { type clicksQuery, defaultWindowMs } from './clicks-contract.js';
import { bucketsOf, maxBuckets, type ReportWindow } from './report-window.js';

export interface ReportQuery extends ReportWindow {
  /** The maximum number of entries in each breakdown. */
  readonly limit: number;
}

/**
 * Fills in the defaults of a query. Throws VALIDATION_FAILED when the window is empty or has too
 * many buckets.
 */
export function parseReportQuery(query: z.output<typeof clicksQuery>, now: number): ReportQuery {
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

function instant(ms: number): string {
  return new Date(ms).toISOString();
}
