import { parseTime as parseCell, parseEnd, toIsoDate } from '@shorty/import';
import { InvalidArgumentError } from 'commander';
import { UsageError } from '../cli-error.js';
import type { OptionRows } from '../command.js';

const unitsMs = { h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** The option of commands that read dates. */
export const timeZoneOption: OptionRows = {
  '--time-zone <name>': {
    text: 'time zone of dates, such as Europe/Berlin (default: UTC)',
    parse: parseTimeZone,
  },
};

/**
 * Returns a timestamp, a date or a duration before `now` for the server, which checks dates and timestamps and
 * reads them in the time zone. Throws a UsageError that names the option or the field for other text.
 */
export function readTime(name: string, given: string, now: number): string {
  const text = toIsoDate(given) ?? given;
  const span = spanOf(text);
  // A time before 1970 is not useful, and toISOString could not format very old years.
  if (span !== undefined && span <= now) return new Date(now - span).toISOString();
  if (/^\d{4}-/.test(text)) return text;
  throw new UsageError(
    `${name} ${text}: invalid time`,
    'use a timestamp (2030-11-01T00:00:00Z), a date (2030-11-01 or 1.11.2030) or a duration before now (24h, 7d, 12w)',
  );
}

/** Returns the length of `24h`, `7d` or `12w` in milliseconds; undefined for other text. */
function spanOf(text: string): number | undefined {
  const [, count, unit] = /^(\d{1,6})([hdw])$/.exec(text) ?? [];
  return unit === undefined ? undefined : Number(count) * unitsMs[unit as keyof typeof unitsMs];
}

/** Checks the name of a time zone. */
export function parseTimeZone(name: string): string {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return name;
  } catch {
    throw new InvalidArgumentError('It must be an IANA name, such as Europe/Berlin.');
  }
}

/**
 * Returns the start of the last whole days of `7d`, today included, or of the last whole hours of `24h`;
 * undefined for other text.
 */
export function firstBucket(
  text: string,
  now: number,
  groupBy: 'hour' | 'day',
  timezone = 'UTC',
): string | undefined {
  const span = spanOf(text);
  if (!span || span > now) return undefined;
  if (groupBy === 'hour') {
    const nextHour = (Math.floor(now / unitsMs.h) + 1) * unitsMs.h;
    return new Date(nextHour - span).toISOString();
  }
  if (text.endsWith('h')) return undefined;
  // Sweden formats dates as ISO 8601 does.
  const today = Date.parse(new Intl.DateTimeFormat('sv-SE', { timeZone: timezone }).format(now));
  return new Date(today + unitsMs.d - span).toISOString().slice(0, 10);
}

/**
 * Returns the time of an option that is in the future for `30d`, and the end of the day for a date with
 * `isEnd`. The server reads and checks other forms.
 */
export function readFuture(
  option: string,
  text: string,
  now: number,
  timeZone?: string,
  isEnd = false,
): string {
  const span = spanOf(text);
  if (span !== undefined) return new Date(now + span).toISOString();
  const read = (isEnd ? parseEnd : parseCell)(text, { timeZone });
  if (read.error === undefined) return String(read.value);
  throw new UsageError(
    `${option} ${text}: invalid time`,
    'write a date as 2026-12-31 or 31.12.2026, or a duration such as 30d',
  );
}
