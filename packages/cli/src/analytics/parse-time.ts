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

const timeRule =
  'use a timestamp (2030-11-01T00:00:00Z), a date (2030-11-01 or 1.11.2030), a duration before now (24h, 7d, 12w), or today, yesterday, this-week, last-week, this-month, last-month';

/** The first day of a named period and of the period after it, from the date of today. */
const periods: Readonly<Record<string, (today: Date) => readonly [Date, Date?]>> = {
  today: (today) => [today],
  yesterday: (today) => [addDays(today, -1), today],
  'this-week': (today) => [mondayOf(today)],
  'last-week': (today) => [addDays(mondayOf(today), -7), mondayOf(today)],
  'this-month': (today) => [firstOfMonth(today, 0)],
  'last-month': (today) => [firstOfMonth(today, -1), firstOfMonth(today, 0)],
};

/**
 * Parses a timestamp, a date, a duration before `now`, or the name of a period, which is its first day.
 * Returns the text for the server, or undefined for other text. The server checks dates and timestamps,
 * and reads them in the time zone.
 */
export function parseTime(given: string, now: number, timezone = 'UTC'): string | undefined {
  const text = toIsoDate(given) ?? given;
  const span = spanOf(text);
  if (span !== undefined) {
    // A time before 1970 is not useful, and toISOString could not format very old years.
    return span > now ? undefined : new Date(now - span).toISOString();
  }
  if (Object.hasOwn(periods, text)) return periodOf(text, now, timezone)?.since;
  return /^\d{4}-/.test(text) ? text : undefined;
}

/** Returns the first day of a named period and, if the period is over, the day after it. */
export function periodOf(
  name: string,
  now: number,
  timezone = 'UTC',
): { readonly since: string; readonly until?: string } | undefined {
  const find = Object.hasOwn(periods, name) ? periods[name] : undefined;
  if (!find) return undefined;
  const [since, until] = find(todayIn(timezone, now));
  return { since: dateOf(since), ...(until && { until: dateOf(until) }) };
}

/** Returns a time for the server, or throws a UsageError that names the option or the field. */
export function readTime(name: string, text: string, now: number, timezone?: string): string {
  const time = parseTime(text, now, timezone);
  if (time === undefined) throw new UsageError(`${name} ${text}: invalid time`, timeRule);
  return time;
}

/** Returns the length of `24h`, `7d` or `12w` in milliseconds; undefined for other text. */
function spanOf(text: string): number | undefined {
  const [, count, unit] = /^(\d{1,6})([hdw])$/.exec(text) ?? [];
  return unit === undefined ? undefined : Number(count) * unitsMs[unit as keyof typeof unitsMs];
}

/** Returns the date in a time zone as a midnight in UTC. */
function todayIn(timezone: string, now: number): Date {
  if (timezone === 'UTC') return new Date(new Date(now).toISOString().slice(0, 10));
  // Sweden formats dates as ISO 8601 does.
  return new Date(new Intl.DateTimeFormat('sv-SE', { timeZone: timezone }).format(now));
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
  return dateOf(addDays(todayIn(timezone, now), 1 - span / unitsMs.d));
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

/** Weeks begin on Monday (ISO 8601). */
function mondayOf(day: Date): Date {
  return addDays(day, -((day.getUTCDay() + 6) % 7));
}

function addDays(day: Date, count: number): Date {
  return new Date(day.getTime() + count * unitsMs.d);
}

function firstOfMonth(day: Date, offset: number): Date {
  return new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + offset, 1));
}

function dateOf(day: Date): string {
  return day.toISOString().slice(0, 10);
}
