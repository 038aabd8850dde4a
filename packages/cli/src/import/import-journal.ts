import { closeSync, openSync } from 'node:fs';
import { readFile, rename, truncate, writeFile } from 'node:fs/promises';
import { CliError, systemErrorCode } from '../cli-error.js';
import { writeFully } from './result-file.js';

/** The counts of an import after its completed chunks. */
export interface ImportProgressRecord {
  readonly chunksDone: number;
  readonly rows: number;
  readonly created: number;
  readonly failed: number;
  readonly outBytes: number;
  readonly failedOutBytes: number;
}

export interface JournalState extends ImportProgressRecord {
  /** Part of every idempotency key. Empty unless the import was started with --no-resume. */
  readonly seed: string;
  /** The earliest time of the first request, in milliseconds since the epoch. */
  readonly startedAt: number;
  /** The time of the last journal line. */
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
  // The import repeats from the first row with the same keys, and rewrites the output files.
  | ({ readonly type: 'rewind'; readonly at: number } & OutputPaths)
  | ({ readonly type: 'done'; readonly at: number } & ImportProgressRecord)
  | { readonly type: 'finish'; readonly at: number };

const noProgress: ImportProgressRecord = {
  chunksDone: 0,
  rows: 0,
  created: 0,
  failed: 0,
  outBytes: 0,
  failedOutBytes: 0,
};

/** Returns the state of a journal, or undefined when the file does not exist. */
export async function readJournal(path: string): Promise<JournalState | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  // A crash can truncate the last line. The chunk of a truncated line counts as not completed.
  const lines = text.split('\n').slice(0, -1);
  let state: JournalState | undefined;
  for (const [index, line] of lines.entries()) state = apply(state, parse(line, index, path));
  return state;
}

/** An append-only log of the completed chunks of an import. */
export class ImportJournal {
  readonly #descriptor: number;
  readonly #now: () => number;

  private constructor(descriptor: number, now: () => number) {
    this.#descriptor = descriptor;
    this.#now = now;
  }

  /** Creates a journal. Atomically replaces an older one at the same path. */
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

  /** Opens an existing journal for appending. Removes a truncated last line. */
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
    return { ...noProgress, ...times, seed, outPath, failedOutPath };
  }
  if (!state) return undefined;
  if (line.type === 'finish') return { ...state, lastAt: line.at, finishedAt: line.at };
  if (line.type === 'done') {
    const { type: _, at, ...progress } = line;
    return { ...state, ...progress, lastAt: at };
  }
  const { outPath, failedOutPath } = line;
  return {
    ...state,
    ...noProgress,
    lastAt: line.at,
    finishedAt: undefined,
    outPath,
    failedOutPath,
  };
}

function parse(line: string, index: number, path: string): Line {
  try {
    return JSON.parse(line) as Line;
  } catch (error) {
    throw new CliError(`line ${index + 1} of the import journal ${path} is not valid JSON`, {
      hint: 'run with --no-resume to import the whole file again, or delete the journal',
      cause: error,
    });
  }
}

function serialise(line: Line): string {
  return `${JSON.stringify(line)}\n`;
}
