import type { OutputStream } from '../io.js';

const usual = 80;
const widest = 200;
const narrowest = 32;

/** Returns the width of a report on this stream, in columns. */
export function reportWidth({
  isTTY,
  columns = usual,
}: Pick<OutputStream, 'isTTY' | 'columns'>): number {
  return isTTY ? Math.max(narrowest, Math.min(widest, columns)) : usual;
}
