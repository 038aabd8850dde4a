import { type CellOptions, type CellValue, type ParseCell, quoteCell } from './cell-values.js';
import { unguardFormula } from './write-csv.js';

const localTime = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?))?$/;

/**
 * Parses a date as spreadsheets write it, or a time without a zone, which is in the zone of the options.
 * The server reads and checks other forms.
 */
export const parseTime: ParseCell = (cell, options) => readTime(cell, options, false);

/** Parses the time when something ends: a date ends with its day. */
export const parseEnd: ParseCell = (cell, options) => readTime(cell, options, true);

/** Parses a time of another shortener: as `parseTime`, or in seconds or milliseconds since 1970. */
export const parseInstant: ParseCell = (cell, options) =>
  toInstant(cell, readTime(cell, options, false));

export const parseEndInstant: ParseCell = (cell, options) =>
  toInstant(cell, readTime(cell, options, true));

function toInstant(cell: string, read: CellValue): CellValue {
  if (read.error !== undefined) return read;
  const text = /^\d{10}(\d{3})?$/.test(cell) ? Number(cell.padEnd(13, '0')) : String(read.value);
  const time = typeof text === 'number' || /^\d{4}-/.test(text) ? new Date(text).getTime() : NaN;
  if (!Number.isNaN(time)) return { value: new Date(time).toISOString() };
  return { error: `must be a time such as 2030-12-31T23:59:59Z, not ${quoteCell(cell)}` };
}

function readTime(cell: string, options: CellOptions = {}, isEnd: boolean): CellValue {
  const text = toIsoDate(cell, options.dates);
  if (text === undefined) {
    return { error: `is ${quoteCell(cell)}: --dates dmy or --dates mdy tells day and month apart` };
  }
  const [, date = '', time] = localTime.exec(text) ?? [];
  const wallTime = Date.parse(`${date}T${time ?? (isEnd ? '23:59:59' : '00:00:00')}Z`);
  // Date.parse accepts 30 February as 2 March.
  const isTime = !Number.isNaN(wallTime) && new Date(wallTime).toISOString().startsWith(date);
  if (!isTime && date !== '') {
    return { error: `is ${quoteCell(cell)}: there is no such date or time` };
  }
  if (!isTime) return { value: unguardFormula(text) };
  const instant = new Date(instantOf(wallTime, options.timeZone)).toISOString();
  if (isEnd && time === undefined) options.onEndOfDay?.(cell, instant);
  return { value: instant };
}

/** Returns `31.12.2026` and `12/31/2026` as `2026-12-31`; undefined if the order is not known. */
export function toIsoDate(cell: string, dates?: CellOptions['dates']): string | undefined {
  const found = /^(\d{1,2})([./])(\d{1,2})\2(\d{4})(?![^ T])/.exec(cell);
  if (!found) return cell;
  const [start, first = '', sign, second = '', year] = found;
  const order = sign === '.' ? 'dmy' : dates;
  if (order === undefined) return undefined;
  const [day, month] = order === 'dmy' ? [first, second] : [second, first];
  return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}${cell.slice(start.length)}`;
}

/** Returns the instant when clocks of a time zone show a time, which is given as if it were in UTC. */
function instantOf(wallTime: number, timeZone = 'UTC'): number {
  if (timeZone === 'UTC') return wallTime;
  // Sweden formats times nearly as ISO 8601 does.
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'medium',
  });
  const offsetAt = (instant: number) =>
    Date.parse(`${format.format(instant).replace(' ', 'T')}Z`) - Math.floor(instant / 1000) * 1000;
  // The second step corrects the offset near a change of clocks.
  return wallTime - offsetAt(wallTime - offsetAt(wallTime));
}
