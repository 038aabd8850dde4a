import type { OutputStream } from '../io.js';

const widest = 80;
const narrowest = 40;

/** Returns the width of a report on this stream, in columns. */
export function reportWidth({ columns = widest }: Pick<OutputStream, 'columns'>): number {
  return Math.max(narrowest, Math.min(widest, columns));
}
