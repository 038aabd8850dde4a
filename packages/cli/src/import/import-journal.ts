import { closeSync, openSync } from 'node:fs';
import { readFile, rename, truncate, writeFile } from 'node:fs/promises';
import { CliError, systemErrorCode } from '../cli-error.js';
import { writeFully } from './result-file.js';

/** What is known of an import after the chunks that are done. */
export interface ImportProgressRecord {
  readonly chunksDone: number;
  readonly rows: number;
  readonly created: number;
  readonly failed: number;
  readonly outBytes: number;
  readonly failedOutBytes: number;
}

export interface JournalState extends ImportProgressRecord {
  /** Goes into every key; empty unless the import was made anew on purpose. */
  readonly seed: string;
  /** When the first request may have been sent, in milliseconds since the epoch. */
  readonly startedAt: number;
  /** When the last line was written. */
  readonly lastAt: number;
  readonly finishedAt: number | undefined;
  readonly outPath: string | undefined;
  readonly failedOutPath: string | undefined;
}

interface OutputPaths {
  readonly outPath: string | undefined;
  readonly failedOutPath: string | undefined;
}

type Line =
  | ({ readonly type: 'start'; readonly at: number; readonly seed: string } & OutputPaths)
  // The outputs are written anew from the first row on, under the same keys.
  | ({ readonly type: 'rewind'; readonly at: number } & OutputPaths)
  | ({ readonly type: 'done'; readonly at: number } & ImportProgressRecord)
  | { readonly type: 'finish'; readonly at: number };

const nothing: ImportProgressRecord = {
  chunksDone: 0,
  rows: 0,
  created: 0,
  failed: 0,
  outBytes: 0,
  failedOutBytes: 0,
};

/** Reads a journal, or answers undefined where there is none. */
export async function readJournal(path: string): Promise<JournalState | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  // A line without its end was cut off by a crash: what it tells did not happen.
  const lines = text.split('\n').slice(0, -1);
  let state: JournalState | undefined;
  for (const [index, line] of lines.entries()) state = apply(state, parse(line, index, path));
  return state;
}

/** An append-only record of how far an import has come. */
export class ImportJournal {
  readonly #descriptor: number;
  readonly #now: () => number;

  private constructor(descriptor: number, now: () => number) {
    this.#descriptor = descriptor;
    this.#now = now;
  }

  /** Begins a journal; an older one at the same path is replaced in one step. */
  static async start(
    path: string,
    entry: { seed: string } & OutputPaths,
    now: () => number,
  ): Promise<ImportJournal> {
    const fresh = `${path}.new`;
    await writeFile(fresh, serialise({ type: 'start', at: now(), ...entry }), { mode: 0o600 });
    await rename(fresh, path);
    return new ImportJournal(openSync(path, 'a'), now);
  }

  /** Goes on with a journal. A last line that was cut off by a crash is removed. */
  static async reopen(path: string, now: () => number): Promise<ImportJournal> {
    const bytes = await readFile(path);
    await truncate(path, bytes.lastIndexOf('\n') + 1);
    return new ImportJournal(openSync(path, 'a'), now);
  }

  rewind(paths: OutputPaths): void {
    this.#append({ type: 'rewind', at: this.#now(), ...paths });
  }

  recordDone(progress: ImportProgressRecord): void {
    this.#append({ type: 'done', at: this.#now(), ...progress });
  }

  finish(): void {
    this.#append({ type: 'finish', at: this.#now() });
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #append(line: Line): void {
    writeFully(this.#descriptor, Buffer.from(serialise(line)));
  }
}

function apply(state: JournalState | undefined, line: Line): JournalState | undefined {
  if (line.type === 'start') {
    const { seed, at, outPath, failedOutPath } = line;
    const times = { startedAt: at, lastAt: at, finishedAt: undefined };
    return { ...nothing, ...times, seed, outPath, failedOutPath };
  }
  if (!state) return undefined;
  if (line.type === 'finish') return { ...state, lastAt: line.at, finishedAt: line.at };
  if (line.type === 'done') {
    const { type: _, at, ...progress } = line;
    return { ...state, ...progress, lastAt: at };
  }
  const { outPath, failedOutPath } = line;
  return { ...state, ...nothing, lastAt: line.at, finishedAt: undefined, outPath, failedOutPath };
}

function parse(line: string, index: number, path: string): Line {
  try {
    return JSON.parse(line) as Line;
  } catch (error) {
    throw new CliError(`the import journal ${path} is damaged in line ${index + 1}`, {
      hint: 'run with --no-resume to import the whole file again, or remove the journal',
      cause: error,
    });
  }
}

function serialise(line: Line): string {
  return `${JSON.stringify(line)}\n`;
}
