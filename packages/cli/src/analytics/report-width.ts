import type { OutputStream } from '../io.js';

const widest = 80;
const narrowest = 40;

/** How many columns a report takes on this stream. */
export function reportWidth({ columns = widest }: Pick<OutputStream, 'columns'>): number {
  return Math.max(narrowest, Math.min(widest, columns));
}
