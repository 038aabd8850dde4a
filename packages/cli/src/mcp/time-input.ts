import { z } from 'zod';
import { readTime } from '../analytics/parse-time.js';

/** An optional point in time. */
export function timeInput(description: string) {
  const forms =
    'an instant (ISO 8601), a date, a duration before now such as 7d or 24h, or today, yesterday, this-week, last-week, this-month or last-month';
  return z.string().describe(`${description}: ${forms}`).exactOptional();
}

/** Returns the given times as instants. */
export function toInstants<Name extends string>(
  times: { readonly [K in Name]?: string | undefined },
  now: number,
): { [K in Name]?: string } {
  const given = Object.entries<string | undefined>(times).flatMap(([name, text]) =>
    text === undefined ? [] : [[name, new Date(readTime(name, text, now)).toISOString()]],
  );
  return Object.fromEntries(given);
}
