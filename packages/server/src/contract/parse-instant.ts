/**
 * The forms of an instant in a request: a date, or a date and a time of ISO 8601. Seconds and zone may be
 * missing, and a space may replace the T, as many languages print it.
 */
// A space may also replace the plus of a zone: in a query, a plus that is not escaped is a space.
export const instantPattern =
  /^\d{4}-\d{2}-\d{2}(?:[Tt ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?: ?[Zz]|(?: ?[+-]| )\d{2}(?::?\d{2})?)?)?$/;

const dateLength = 'YYYY-MM-DD'.length;
const minuteMs = 60_000;

/**
 * Returns the instant of a text in milliseconds since 1970, or undefined if the text is not one of the
 * forms or not a real date. Without a zone, the text is in UTC, unless `toInstant` converts the time on
 * the clocks, in milliseconds as if it were in UTC.
 */
export function parseInstant(
  text: string,
  toInstant: (wallTime: number) => number = (wallTime) => wallTime,
): number | undefined {
  if (!instantPattern.test(text)) return undefined;
  const timeAndZone = text.slice(dateLength + 1);
  const time = /^(\d{2}:\d{2})(:\d{2})?(?:[.,](\d{1,9}))?/.exec(timeAndZone);
  const [, minutes = '00:00', seconds = ':00', fraction = ''] = time ?? [];
  const milliseconds = fraction.padEnd(3, '0').slice(0, 3);
  const full = `${text.slice(0, dateLength)}T${minutes}${seconds}.${milliseconds}Z`;
  const local = new Date(full);
  // The parser of dates turns 2030-02-30 into March 2.
  if (Number.isNaN(local.getTime()) || local.toISOString() !== full) return undefined;
  const zone = timeAndZone.slice(time?.[0].length);
  const offset = zone === '' ? undefined : offsetMsOf(zone);
  if (Number.isNaN(offset)) return undefined;
  const at = offset === undefined ? toInstant(local.getTime()) : local.getTime() - offset;
  // Other years have a longer form.
  return at >= firstInstant && at <= lastInstant ? at : undefined;
}

const firstInstant = Date.parse('0000-01-01T00:00:00.000Z');
const lastInstant = Date.parse('9999-12-31T23:59:59.999Z');

/** Returns the offset of a zone, such as `+02`, `-0330` or `Z`; NaN if it is not a real one. */
function offsetMsOf(zone: string): number {
  const [, sign, hours, minutes = '00'] = /([+ -])(\d{2}):?(\d{2})?$/.exec(zone) ?? [];
  if (hours === undefined) return 0;
  if (Number(hours) > 23 || Number(minutes) > 59) return Number.NaN;
  const offset = (Number(hours) * 60 + Number(minutes)) * minuteMs;
  return sign === '-' ? -offset : offset;
}
