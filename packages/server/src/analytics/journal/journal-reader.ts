import { closeSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import { segmentPath, segmentsIn } from './journal-folder.js';
import { type ByteRange, type FrameScan, scanFrames } from './journal-frames.js';

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
const startBytes = 16;
const lineFeed = 0x0a;

/** Bytes of a segment that belong to no intact line. */
export interface DamagedBytes extends ByteRange {
  /** `torn` when the process ended while it wrote a line, which no response had waited for. */
  readonly reason: 'damaged' | 'torn';
  readonly bytes: Buffer;
}

/**
 * Reads the next lines after a position. Returns their texts, the damaged bytes between them, and the
 * position after them; undefined when there are none. At the end of a segment, it continues with the
 * next segment, because the writer appends only to the last one.
 *
 * @param hasEnded the writer has ended, so an incomplete line at the end of the last segment is torn
 */
export function readJournal(folder: string, from: JournalPosition, hasEnded: boolean) {
  const segments = segmentsIn(folder);
  let { segment, offset } = from;
  for (;;) {
    const next = segments.find((number) => number > segment);
    if (segments.includes(segment)) {
      const { start, bytes } = readFrom(segmentPath(folder, segment), offset);
      const { texts, damaged, end } = hasBareLines(start) ? scanLines(bytes) : scanFrames(bytes);
      const found: DamagedBytes[] = damaged.map((range) => ({
        ...toAbsolute(range, offset),
        reason: 'damaged',
        bytes: bytes.subarray(range.start, range.end),
      }));
      const isWhole = bytes.length < chunkBytes && (hasEnded || next !== undefined);
      if (isWhole && end < bytes.length) {
        found.push({
          ...toAbsolute({ start: end, end: bytes.length }, offset),
          reason: next === undefined ? 'torn' : 'damaged',
          bytes: bytes.subarray(end),
        });
      }
      const read = isWhole ? bytes.length : end;
      if (read > 0) {
        return { texts, damaged: found, position: { segment, offset: offset + read } };
      }
    }
    if (next === undefined) return undefined;
    segment = next;
    offset = 0;
  }
}

function toAbsolute({ start, end }: ByteRange, offset: number): ByteRange {
  return { start: offset + start, end: offset + end };
}

/** Returns true for a segment of version 0.1.0, whose lines are texts without frames. */
function hasBareLines(start: Buffer): boolean {
  return /^(?:1|download|call)\t/.test(start.toString('latin1'));
}

function scanLines(bytes: Buffer): FrameScan {
  const end = bytes.lastIndexOf(lineFeed) + 1;
  if (end > 0) return { texts: bytes.toString('utf8', 0, end - 1).split('\n'), damaged: [], end };
  // No valid line is this long.
  const isDamaged = bytes.length === chunkBytes;
  const damaged = isDamaged ? [{ start: 0, end: bytes.length }] : [];
  return { texts: [], damaged, end: isDamaged ? bytes.length : 0 };
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

/** Reads the start of a file, and a chunk at an offset. */
function readFrom(
  path: string,
  offset: number,
): { readonly start: Buffer; readonly bytes: Buffer } {
  const file = openSync(path, 'r');
  try {
    const read = (bytes: Buffer, position: number): Buffer =>
      bytes.subarray(0, readSync(file, bytes, 0, bytes.length, position));
    return {
      start: read(Buffer.allocUnsafe(startBytes), 0),
      bytes: read(Buffer.allocUnsafe(chunkBytes), offset),
    };
  } finally {
    closeSync(file);
  }
}
