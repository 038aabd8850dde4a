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
  /** Rows whose slug existed already, with --skip-existing. */
  readonly skipped: number;
  readonly outBytes: number;
  readonly failedOutBytes: number;
}

/** The rows of a completed chunk that have no link, by their index in the file. */
export interface RemainingRows {
  /** Rows that the plan's quota refused. The next run sends them again. */
  readonly postponed: readonly number[];
  readonly failed: readonly number[];
  /** The number of requests so far. Part of the next idempotency key, which must be a new one. */
  readonly attempts: number;
}

interface CompletedChunk extends ImportProgressRecord {
  /** The index of the chunk. Journals of version 0.1.0 lack it and the rows. */
  readonly chunk?: number;
  readonly postponedRows?: readonly number[];
  readonly failedRows?: readonly number[];
}

export interface JournalState extends ImportProgressRecord {
  /** By the index of the chunk. */
  readonly remaining: ReadonlyMap<number, RemainingRows>;
  /** True when the import stopped without a request in flight. */
  readonly isStopped: boolean;
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
  // The import sends its failed rows again.
  | ({ readonly type: 'retry'; readonly at: number } & OutputPaths)
  | ({ readonly type: 'done'; readonly at: number } & CompletedChunk)
  | { readonly type: 'stop'; readonly at: number }
  | { readonly type: 'finish'; readonly at: number };

export const noProgress: ImportProgressRecord = {
  chunksDone: 0,
  rows: 0,
  created: 0,
  failed: 0,
  skipped: 0,
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
  const remaining = new Map<number, RemainingRows>();
  let state: Progress | undefined;
  for (const [index, text] of lines.entries()) {
    const line = parse(text, index, path);
    state = applyProgress(state, line);
    applyRemaining(remaining, line);
  }
  return state && { ...state, remaining };
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
    entry: { at?: number; seed: string } & OutputPaths,
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

  retry(paths: OutputPaths): void {
    this.#append({ type: 'retry', at: this.#now(), ...paths });
  }

  recordDone(chunk: CompletedChunk): void {
    this.#append({ type: 'done', at: this.#now(), ...chunk });
  }

  stop(): void {
    this.#append({ type: 'stop', at: this.#now() });
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

type Progress = Omit<JournalState, 'remaining'>;

function applyProgress(state: Progress | undefined, line: Line): Progress | undefined {
  if (line.type === 'start') {
    const { seed, at, outPath, failedOutPath } = line;
    const times = { startedAt: at, lastAt: at, finishedAt: undefined };
    return { ...noProgress, ...times, seed, outPath, failedOutPath, isStopped: false };
  }
  if (!state) return undefined;
  const { at: lastAt } = line;
  if (line.type === 'finish') return { ...state, lastAt, finishedAt: lastAt };
  if (line.type === 'stop') return { ...state, lastAt, isStopped: true };
  if (line.type === 'done') {
    const { chunksDone, rows, created, failed, skipped = 0, outBytes, failedOutBytes } = line;
    const progress = { chunksDone, rows, created, failed, skipped, outBytes, failedOutBytes };
    return { ...state, ...progress, lastAt, isStopped: false };
  }
  const { outPath, failedOutPath } = line;
  const reopened = { lastAt, finishedAt: undefined, isStopped: false, outPath, failedOutPath };
  if (line.type === 'retry') return { ...state, ...reopened };
  return { ...state, ...noProgress, ...reopened };
}

function applyRemaining(remaining: Map<number, RemainingRows>, line: Line): void {
  if (line.type === 'start' || line.type === 'rewind') remaining.clear();
  if (line.type !== 'done') return;
  const { chunk = line.chunksDone - 1, postponedRows = [], failedRows = [] } = line;
  const attempts = (remaining.get(chunk)?.attempts ?? 0) + 1;
  remaining.set(chunk, { postponed: postponedRows, failed: failedRows, attempts });
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
