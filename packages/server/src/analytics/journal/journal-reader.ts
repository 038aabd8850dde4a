import { closeSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import { segmentPath, segmentsIn } from './journal-folder.js';
import { checkedText } from './journal-lines.js';

/** A position between two lines of a journal. */
export interface JournalPosition {
  readonly segment: number;
  /** In bytes, at the end of a line. */
  readonly offset: number;
}

export const journalStart: JournalPosition = { segment: 1, offset: 0 };

/** Bytes of a journal that cannot be stored. */
export interface DamagedLine {
  /**
   * `damaged`: the checksum is wrong. `torn`: the process ended while it wrote the line, which no response
   * had waited for. `unknown format`: another version wrote the line. `unknown link`: no link has its id.
   */
  readonly reason: 'damaged' | 'torn' | 'unknown format' | 'unknown link';
  readonly bytes: Buffer;
}

// One transaction stores the lines of a chunk, typically 2,500. On SQLite, it blocks all other writes,
// for about 8 ms. A quarter of it costs 1.4 times as much for each line, because each transaction writes
// most pages of the counters.
const chunkBytes = 1024 * 1024;
const lineFeed = 0x0a;

/**
 * Reads the next lines after a position. Returns the texts of the intact ones, the others, and the
 * position after them; undefined when there are none. At the end of a segment, it continues with the
 * next segment, because the writer appends only to the last one.
 *
 * @param hasEnded the writer has ended, so the last segment gets no further bytes
 */
export function readJournal(folder: string, from: JournalPosition, hasEnded: boolean) {
  const segments = segmentsIn(folder);
  let { segment, offset } = from;
  for (;;) {
    const next = segments.find((number) => number > segment);
    if (segments.includes(segment)) {
      const bytes = readFrom(segmentPath(folder, segment), offset);
      const isWhole = bytes.length < chunkBytes && (hasEnded || next !== undefined);
      const lastEnd = bytes.lastIndexOf(lineFeed) + 1;
      // No intact line is as long as a chunk.
      const isEndless = lastEnd === 0 && bytes.length === chunkBytes;
      const end = isWhole || isEndless ? bytes.length : lastEnd;
      if (end > 0) {
        const lines = splitLines(bytes.subarray(0, end), isWhole && next === undefined);
        return { ...lines, position: { segment, offset: offset + end } };
      }
    }
    if (next === undefined) return undefined;
    segment = next;
    offset = 0;
  }
}

/** `mayBeTorn` tells whether a last line without a line feed is one that its writer has not finished. */
function splitLines(bytes: Buffer, mayBeTorn: boolean) {
  const texts: string[] = [];
  const damaged: DamagedLine[] = [];
  for (let start = 0; start < bytes.length; ) {
    const feed = bytes.indexOf(lineFeed, start);
    const end = feed < 0 ? bytes.length : feed;
    const line = bytes.subarray(start, end);
    const text = checkedText(line);
    if (text !== undefined) texts.push(text);
    else damaged.push({ reason: feed < 0 && mayBeTorn ? 'torn' : 'damaged', bytes: line });
    start = end + 1;
  }
  return { texts, damaged };
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

/** Reads a chunk of a file. */
function readFrom(path: string, offset: number): Buffer {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.allocUnsafe(chunkBytes);
    return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, offset));
  } finally {
    closeSync(file);
  }
}
