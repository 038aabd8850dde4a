import { appendFileSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { DamagedLine, JournalPosition } from './journal-lines.js';

/** Sets aside lines that a writer's journal has after a position. */
export type SetAside = (
  writerId: string,
  after: JournalPosition,
  lines: readonly DamagedLine[],
) => void;

export const damagedLinesName = 'damaged-lines.ndjson';

/** Opens the file of the lines that cannot be stored, beside the folders of the journals. */
export function openDamagedLines(root: string) {
  const path = join(root, damagedLinesName);
  let counted = { changedAt: 0, count: 0 };

  return {
    path,

    /** Returns the number of lines. Reads the file only when it has changed. */
    count(): number {
      const changedAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
      if (counted.changedAt !== changedAt) {
        counted = { changedAt, count: read(path).split('\n').length - 1 };
      }
      return counted.count;
    },

    /**
     * Appends lines. The caller stores the position after them afterwards; if that fails, the repetition
     * appends nothing.
     */
    setAside: ((journal, { segment, offset }, lines) => {
      mkdirSync(root, { recursive: true, mode: 0o700 });
      const known = read(path);
      const added = lines
        // In Latin 1, each byte is a character: nothing is lost, and readable lines can be read.
        .map(({ reason, bytes: line }, index) => {
          const bytes = line.toString('latin1');
          return JSON.stringify({ journal, segment, after: offset, index, reason, bytes });
        })
        .filter((line) => !known.includes(line));
      const text = added.map((line) => `${line}\n`).join('');
      appendFileSync(path, text, { mode: 0o600, flush: true });
    }) satisfies SetAside,
  };
}

function read(path: string): string {
  return statSync(path, { throwIfNoEntry: false }) ? readFileSync(path, 'utf8') : '';
}
