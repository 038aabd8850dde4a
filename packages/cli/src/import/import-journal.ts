import { type FileHandle, open, readFile, rename, writeFile } from 'node:fs/promises';
import { CliError, systemErrorCode } from '../cli-error.js';

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

type Line =
  | {
      readonly type: 'start';
      readonly at: number;
      readonly seed: string;
      readonly outPath?: string | undefined;
      readonly failedOutPath?: string | undefined;
    }
  // The outputs are written anew from the first row on, under the same keys.
  | {
      readonly type: 'rewind';
      readonly at: number;
      readonly outPath?: string | undefined;
      readonly failedOutPath?: string | undefined;
    }
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
  readonly #file: FileHandle;
  readonly #now: () => number;

  private constructor(file: FileHandle, now: () => number) {
    this.#file = file;
    this.#now = now;
  }

  /** Begins a journal; an older one at the same path is replaced in one step. */
  static async start(
    path: string,
    entry: { seed: string; outPath: string | undefined; failedOutPath: string | undefined },
    now: () => number,
  ): Promise<ImportJournal> {
    const fresh = `${path}.new`;
    await writeFile(fresh, serialise({ type: 'start', at: now(), ...entry }), { mode: 0o600 });
    await rename(fresh, path);
    return ImportJournal.reopen(path, now);
  }

  static async reopen(path: string, now: () => number): Promise<ImportJournal> {
    const file = await open(path, 'r+');
    const text = await file.readFile('utf8');
    const whole = Buffer.byteLength(text.slice(0, text.lastIndexOf('\n') + 1));
    await file.truncate(whole);
    await file.close();
    return new ImportJournal(await open(path, 'a', 0o600), now);
  }

  rewind(paths: { outPath: string | undefined; failedOutPath: string | undefined }): Promise<void> {
    return this.#append({ type: 'rewind', at: this.#now(), ...paths });
  }

  recordDone(progress: ImportProgressRecord): Promise<void> {
    return this.#append({ type: 'done', at: this.#now(), ...progress });
  }

  finish(): Promise<void> {
    return this.#append({ type: 'finish', at: this.#now() });
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  async #append(line: Line): Promise<void> {
    await this.#file.appendFile(serialise(line));
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
