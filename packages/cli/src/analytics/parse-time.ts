import { UsageError } from '../cli-error.js';

const spanUnitsMs = { h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

const span = /^(\d{1,6})([hdw])$/;
const plainDate = /^\d{4}-\d\d-\d\d$/;
const zonedTime = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/i;

const timeRule =
  'use a timestamp with a time zone (2030-11-01T00:00:00Z), a date (2030-11-01), or a duration before now (24h, 7d, 12w)';

/**
 * Parses a timestamp, a date (its start in UTC), or a duration before `now`. Returns milliseconds
 * since the epoch, or undefined for other text.
 */
export function parseTime(text: string, now: number): number | undefined {
  const [, count, unit] = span.exec(text) ?? [];
  if (unit === 'h' || unit === 'd' || unit === 'w') {
    const epochMs = now - Number(count) * spanUnitsMs[unit];
    // A time before 1970 is not useful, and toISOString could not format very old years.
    return epochMs < 0 ? undefined : epochMs;
  }
  if (plainDate.test(text)) return isDate(text) ? Date.parse(text) : undefined;
  const [, date = ''] = zonedTime.exec(text) ?? [];
  const epochMs = isDate(date) ? Date.parse(text.toUpperCase()) : Number.NaN;
  return Number.isNaN(epochMs) ? undefined : epochMs;
}

/** Returns the milliseconds of a time, or throws a UsageError that names the option or the field. */
export function readTime(name: string, text: string, now: number): number {
  const epochMs = parseTime(text, now);
  if (epochMs === undefined) throw new UsageError(`${name} ${text}: invalid time`, timeRule);
  return epochMs;
}

// Date.parse accepts 30 February as 2 March.
function isDate(text: string): boolean {
  const epochMs = Date.parse(text);
  return !Number.isNaN(epochMs) && new Date(epochMs).toISOString().startsWith(text);
}
