import { type ParseCell, quoteCell } from './cell-values.js';

/** Parses a time in ISO 8601 or in seconds or milliseconds since 1970. A time without a zone is in UTC. */
export const parseInstant: ParseCell = (cell) => {
  const isNumber = /^\d{10}(\d{3})?$/.test(cell);
  const isZoned = /(Z|[+-]\d\d:?\d\d)$/i.test(cell);
  const isDate = /^\d{4}-\d\d-\d\d$/.test(cell);
  const time = isNumber
    ? Number(cell.padEnd(13, '0'))
    : Date.parse(isZoned || isDate ? cell : `${cell.replace(' ', 'T')}Z`);
  if (!/^\d{4}-\d\d-\d\d|^\d+$/.test(cell) || Number.isNaN(time)) {
    return { error: `must be a time such as 2030-12-31T23:59:59Z, not ${quoteCell(cell)}` };
  }
  return { value: new Date(time).toISOString() };
};
