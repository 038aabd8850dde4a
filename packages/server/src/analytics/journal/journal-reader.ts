import { closeSync, openSync, readSync, rmSync } from 'node:fs';
import { segmentPath, segmentsIn } from './journal-folder.js';

/** How far a journal has been read. */
export interface JournalPosition {
  readonly segment: number;
  /** Bytes, to the end of a line. */
  readonly offset: number;
}

export interface JournalChunk {
  readonly lines: readonly string[];
  /** Behind the lines. */
  readonly position: JournalPosition;
}

const chunkBytes = 1024 * 1024;
const lineFeed = 0x0a;

/**
 * The next whole lines behind a position; undefined when there are none yet. A segment that has a
 * successor gets no more lines: at its end the position moves on.
 */
export function readJournal(folder: string, from: JournalPosition): JournalChunk | undefined {
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
      // Longer than any line that we write: waiting for its end would be waiting for ever.
      if (bytes.length === chunkBytes) throw new Error(`a line of ${folder} does not end`);
    }
    const next = segments.find((number) => number > segment);
    if (next === undefined) return undefined;
    segment = next;
    offset = 0;
  }
}

/** Removes the segments that lie behind a position. */
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
