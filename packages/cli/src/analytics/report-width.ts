import { type OutputStream, terminalColumns } from '../io.js';

const usual = 80;
const widest = 200;
const narrowest = 32;

/** Returns the width of a report on this stream, in columns. */
export function reportWidth(stream: Pick<OutputStream, 'isTTY' | 'columns'>): number {
  return stream.isTTY ? Math.max(narrowest, Math.min(widest, terminalColumns(stream))) : usual;
}
