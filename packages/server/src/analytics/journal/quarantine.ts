import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { quarantineName } from './journal-folder.js';
import type { JournalPosition } from './journal-reader.js';

/** A line of a journal that could not be stored. */
export interface QuarantinedLine {
  /**
   * `damaged`: bytes that are no intact line; they may have been several. `torn`: the process ended
   * while it wrote the line, which no response had waited for. `unknown format`: an intact line of
   * another version. `unknown link`: an intact line with an id that no link has.
   */
  readonly reason: 'damaged' | 'torn' | 'unknown format' | 'unknown link';
  /** The bytes in base64; for an intact line, those of its text. */
  readonly bytes: string;
  /** True while a repair stores the line. */
  readonly isBeingStored?: boolean;
}

/** Saves lines that a writer's journal has after a position. */
export type SaveLines = (
  writerId: string,
  at: JournalPosition,
  lines: readonly QuarantinedLine[],
) => void;

const extension = '.ndjson';

/** Opens the quarantine of the journals in a folder: one file for each chunk that had such lines. */
export function openQuarantine(root: string) {
  const folder = join(root, quarantineName);
  let counted = { changedAt: 0, count: 0 };

  /** Lists the paths of the files. */
  function files(): string[] {
    if (!existsSync(folder)) return [];
    const names = readdirSync(folder).filter((name) => name.endsWith(extension));
    return names.sort().map((name) => join(folder, name));
  }

  return {
    files,

    /** Returns the number of lines. Reads the files only when one was added, changed or removed. */
    count(): number {
      const changedAt = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0;
      if (counted.changedAt !== changedAt) {
        counted = { changedAt, count: files().reduce((sum, path) => sum + countLines(path), 0) };
      }
      return counted.count;
    },

    /**
     * Saves lines that were read after a position of a journal. The caller stores the position of the
     * next lines afterwards; if that fails, the repetition replaces the same file.
     */
    save: ((writerId, at, lines) => {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeLines(join(folder, `${writerId}-${at.segment}-${at.offset}${extension}`), lines);
    }) satisfies SaveLines,
  };
}

/** Returns the name of a file of a quarantine, which identifies its lines. */
export function nameOf(path: string): string {
  return basename(path, extension);
}

export function readLines(path: string): QuarantinedLine[] {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line));
}

/** Does not parse the lines, because the disk may have damaged them, too. */
function countLines(path: string): number {
  return readFileSync(path, 'latin1').split('\n').length - 1;
}

/** Replaces the lines of a file, or removes the file if there are none. Either happens as a whole. */
export function writeLines(path: string, lines: readonly QuarantinedLine[]): void {
  if (lines.length === 0) {
    rmSync(path, { force: true });
    return;
  }
  const temporaryPath = `${path}.tmp`;
  const file = openSync(temporaryPath, 'w', 0o600);
  try {
    writeSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporaryPath, path);
}
