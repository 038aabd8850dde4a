import type { z } from 'zod';
import { validationError } from '../../contract/api-error.js';
import type { ClicksQuestion } from './click-reader.js';
import { type clicksQuery, defaultWindowMs } from './clicks-contract.js';
import { bucketsOf, maxBuckets } from './report-window.js';

/** What a query asks for, now. Throws VALIDATION_FAILED for a window that makes no sense. */
export function questionOf(query: z.output<typeof clicksQuery>, now: number): ClicksQuestion {
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
