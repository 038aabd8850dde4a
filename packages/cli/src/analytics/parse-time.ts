const spanUnitsMs = { h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

const span = /^(\d{1,6})([hdw])$/;
const plainDate = /^\d{4}-\d\d-\d\d$/;
const zonedTime = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/i;

/** What a time on the command line may be, for people. */
export const timeRule =
  'a timestamp with a zone (2030-11-01T00:00:00Z), a date (2030-11-01) or a span back from now (24h, 7d, 12w)';

/**
 * Milliseconds since the epoch of a timestamp, of the start of a day in UTC, or of a moment so long
 * before `now`; undefined for anything else.
 */
export function parseTime(text: string, now: number): number | undefined {
  const [, count, unit] = span.exec(text) ?? [];
  if (unit === 'h' || unit === 'd' || unit === 'w') {
    const epochMs = now - Number(count) * spanUnitsMs[unit];
    // No link is that old, and such years have no place in a timestamp.
    return epochMs < 0 ? undefined : epochMs;
  }
  if (plainDate.test(text)) return isDate(text) ? Date.parse(text) : undefined;
  const [, date = ''] = zonedTime.exec(text) ?? [];
  const epochMs = isDate(date) ? Date.parse(text.toUpperCase()) : Number.NaN;
  return Number.isNaN(epochMs) ? undefined : epochMs;
}

// Date.parse takes the 30th of February for the 2nd of March.
function isDate(text: string): boolean {
  const epochMs = Date.parse(text);
  return !Number.isNaN(epochMs) && new Date(epochMs).toISOString().startsWith(text);
}
