import { closeSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import { segmentPath, segmentsIn } from './journal-folder.js';

/** A position between two lines of a journal. */
export interface JournalPosition {
  readonly segment: number;
  /** In bytes, at the end of a line. */
  readonly offset: number;
}

export const journalStart: JournalPosition = { segment: 1, offset: 0 };

// One transaction stores the lines of a chunk, which are at most 6,000 and typically 2,500. On SQLite,
// it blocks all other writes, for about 8 ms. A quarter of it costs 1.4 times as much for each line,
// because each transaction writes most pages of the counters.
const chunkBytes = 256 * 1024;
const lineFeed = 0x0a;

/**
 * Reads the next complete lines after a position. Returns them with the position after them, or
 * undefined when there are none. At the end of a segment, it continues with the next segment, because
 * the writer appends only to the last one.
 */
export function readJournal(folder: string, from: JournalPosition) {
  const segments = segmentsIn(folder);
  let { segment, offset } = from;
  for (;;) {
    if (segments.includes(segment)) {
      const bytes = readFrom(segmentPath(folder, segment), offset);
      const end = bytes.lastIndexOf(lineFeed) + 1;
      if (end > 0) {
        const lines = bytes.toString('utf8', 0, end - 1).split('\n');
        return { lines, position: { segment, offset: offset + end } };
      }
      // No valid line is this long, so its line feed would never follow.
      if (bytes.length === chunkBytes) {
        throw new Error(
          `${segmentPath(folder, segment)}: a line is longer than ${chunkBytes} bytes`,
        );
      }
    }
    const next = segments.find((number) => number > segment);
    if (next === undefined) return undefined;
    segment = next;
    offset = 0;
  }
}

export function findJournalEnd(folder: string): JournalPosition {
  const segment = segmentsIn(folder).at(-1);
  if (segment === undefined) return journalStart;
  return { segment, offset: statSync(segmentPath(folder, segment)).size };
}

export function isBefore(first: JournalPosition, second: JournalPosition): boolean {
  return (
    first.segment < second.segment ||
    (first.segment === second.segment && first.offset < second.offset)
  );
}

export function removeReadSegments(folder: string, position: JournalPosition): void {
  for (const segment of segmentsIn(folder)) {
    if (segment < position.segment) rmSync(segmentPath(folder, segment), { force: true });
  }
}

function readFrom(path: string, offset: number): Buffer {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.allocUnsafe(chunkBytes);
    const length = readSync(file, bytes, 0, chunkBytes, offset);
    return bytes.subarray(0, length);
  } finally {
    closeSync(file);
  }
}
