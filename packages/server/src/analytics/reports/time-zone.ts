import { dayMs, minuteMs } from '../../durations.js';

/** Returns the offset of a time zone from UTC at an instant. Both are in milliseconds. */
export type OffsetAt = (at: number) => number;

export interface OffsetSpan {
  readonly from: number;
  /** The first instant after it. */
  readonly until: number;
  readonly offset: number;
}

export const utc = 'UTC';

export const timezoneRule = 'it must be the IANA name of a time zone, such as Europe/Berlin';

/** Returns the offsets of an IANA time zone, or undefined if the platform does not know its name. */
export function findOffsets(timezone: string): OffsetAt | undefined {
  if (timezone === utc) return () => 0;
  // The platform also takes offsets, such as +02:00, which are no names of zones.
  if (!/^[a-z]/i.test(timezone)) return undefined;
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', { timeZone: timezone, timeZoneName: 'longOffset' });
  } catch {
    return undefined;
  }
  return (at) => parseOffset(format.format(at));
}

/** Reads the offset at the end of a text, such as `1/1/1970, GMT-00:44:30`. */
function parseOffset(text: string): number {
  const [, sign, hours, minutes, seconds = 0] = /GMT([+-])(\d+):(\d+)(?::(\d+))?$/.exec(text) ?? [];
  if (sign === undefined) return 0;
  const offset = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  return sign === '-' ? -offset : offset;
}

/**
 * Returns the spans of a time range in ascending order. No zone changes its offset twice within a day
 * and back again, so one reading of each day finds all changes.
 */
export function offsetSpans(offsetAt: OffsetAt, from: number, until: number): OffsetSpan[] {
  const spans: OffsetSpan[] = [];
  let start = from;
  let offset = offsetAt(from);
  for (let at = from; at < until; ) {
    const next = Math.min(at + dayMs, until);
    if (offsetAt(next) === offset) {
      at = next;
      continue;
    }
    const change = firstChange(offsetAt, at, next);
    spans.push({ from: start, until: change, offset });
    start = change;
    offset = offsetAt(change);
    at = change;
  }
  if (start < until) spans.push({ from: start, until, offset });
  return spans;
}

/** Returns the first instant after `from` at which the offset differs. It differs at `until`. */
function firstChange(offsetAt: OffsetAt, from: number, until: number): number {
  const offset = offsetAt(from);
  let before = from;
  let after = until;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (offsetAt(middle) === offset) before = middle;
    else after = middle;
  }
  return after;
}

/**
 * Returns the first instant at which the clocks of a zone show a time or a later one: the end of the
 * gap for a time that is skipped, and the first of two for a time that is repeated. `wallTime` is the
 * time on the clocks, in milliseconds as if it were in UTC.
 */
export function instantOf(offsetAt: OffsetAt, wallTime: number): number {
  // An offset is shorter than a day.
  const spans = offsetSpans(offsetAt, wallTime - 2 * dayMs, wallTime + 2 * dayMs);
  for (const { from, until, offset } of spans) {
    const at = Math.max(from, wallTime - offset);
    if (at < until) return at;
  }
  throw new RangeError(`${wallTime}: no instant has this local time`);
}

/** Formats an instant with the offset of its time zone: `2030-11-01T00:00:00.000+01:00`. */
export function formatInstant(at: number, offset: number): string {
  // Before 1972, offsets of some zones had seconds, which the format does not allow.
  const minutes = Math.floor(offset / minuteMs);
  const local = new Date(at + minutes * minuteMs).toISOString();
  // Years before 0 and after 9999 have a longer form.
  if (minutes === 0 || local.length !== '2030-11-01T00:00:00.000Z'.length) {
    return new Date(at).toISOString();
  }
  const size = Math.abs(minutes);
  const twoDigits = (number: number) => String(number).padStart(2, '0');
  const zone = `${minutes < 0 ? '-' : '+'}${twoDigits(Math.floor(size / 60))}:${twoDigits(size % 60)}`;
  return `${local.slice(0, -1)}${zone}`;
}
