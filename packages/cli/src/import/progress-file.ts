import { createHash, randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ImportChunk, ImportRow } from '@shorty/import';
import { createPrivateFolder } from '../app-folders.js';
import { systemErrorCode } from '../cli-error.js';

/** The rows of a chunk by what became of them. */
export interface ChunkCounts {
  readonly created: number;
  readonly failed: number;
  /** Rows whose slug existed already, with --skip-existing. */
  readonly skipped: number;
  /** The indexes of rows that the plan's quota refused. The next run sends them again. */
  readonly postponed: readonly number[];
}

type Line =
  | { readonly startedAt: number; readonly seed: string }
  | { readonly files: readonly string[] }
  | { readonly writing: number }
  | { readonly sent: number; readonly at: number }
  | ({ readonly done: number } & ChunkCounts);

interface ChunkState {
  /** When its request was sent last; undefined if it never was. */
  sentAt?: number;
  /** The responses so far. The first one is for all of its rows, later ones for postponed rows. */
  readonly responses: ChunkCounts[];
  /** The files that have its rows. */
  readonly files: Set<string>;
}

// The server stores keys for 24 hours. The margin is for requests that are still being retried.
const keyLifetimeMs = (24 * 60 - 15) * 60 * 1000;

/** The progress of an import: a line before each request, and one after each response. */
export class ProgressFile {
  /** When the first run of the import started, in milliseconds since the epoch. */
  readonly startedAt: number;
  /** Whether an earlier run exists. */
  readonly isContinued: boolean;
  /**
   * Whether this run sends every chunk again, because the server still has all responses. A run after
   * one that reached the quota sends postponed rows with other keys instead.
   */
  readonly isReplay: boolean;
  readonly #path: string;
  readonly #identity: string;
  readonly #files = new Set<string>();
  /** The files of the run that is read or continued. */
  #current: readonly string[] = [];
  /** The chunk whose rows a run has begun to write, but may not have written. */
  #cut: number | undefined;
  readonly #chunks = new Map<number, ChunkState>();
  readonly #now: () => number;

  private constructor(path: string, lines: readonly Line[], identity: string, now: () => number) {
    this.#path = path;
    this.#now = now;
    const first = lines.findLast((line) => 'startedAt' in line);
    this.startedAt = first?.startedAt ?? now();
    this.#identity = `${identity}${first?.seed ?? ''}`;
    for (const line of lines) this.#apply(line);
    this.isContinued = this.#chunks.size > 0;
    const wasPostponed = lines.some((line) => 'done' in line && line.postponed.length > 0);
    this.isReplay = now() - this.startedAt < keyLifetimeMs && !wasPostponed;
  }

  /** `restart`: the import begins again, with other keys. */
  static async open(
    folder: string,
    identity: string,
    { now, restart }: { readonly now: () => number; readonly restart: boolean },
  ): Promise<ProgressFile> {
    await createPrivateFolder(folder, 'SHORTY_STATE_DIR');
    const path = join(folder, `${identity}.ndjson`);
    if (restart) await rm(path, { force: true });
    const lines = await readLines(path);
    // Dry runs have sent nothing.
    if (!lines.some((line) => 'sent' in line)) {
      const start = { startedAt: now(), seed: restart ? randomUUID() : '' };
      append(path, start);
      lines.push(start);
    }
    return new ProgressFile(path, lines, identity, now);
  }

  /** Whether earlier runs have finished a chunk, so that it needs no request. */
  isFinished(chunk: ImportChunk): boolean {
    return this.earlier(chunk).at(-1)?.postponed.length === 0;
  }

  /** What became of the rows of a chunk that this run does not send again. */
  earlier({ index }: ImportChunk): readonly ChunkCounts[] {
    return this.isReplay ? [] : (this.#chunks.get(index)?.responses ?? []);
  }

  /** Whether the request of a chunk was sent, so long ago that the server cannot tell if it arrived. */
  isUncertain({ index }: ImportChunk): boolean {
    const { sentAt, responses = [] } = this.#chunks.get(index) ?? {};
    return sentAt !== undefined && !responses.length && this.#now() - sentAt >= keyLifetimeMs;
  }

  /** Returns the rows of a chunk to send: all, or those that the quota has refused. */
  rowsToSend({ index, rows }: ImportChunk): readonly ImportRow[] {
    const last = this.isReplay ? undefined : this.#chunks.get(index)?.responses.at(-1);
    return last ? rows.filter((row) => last.postponed.includes(row.index)) : rows;
  }

  /** Returns the Idempotency-Key of the next request for rows of a chunk. */
  keyOf({ index }: ImportChunk, items: readonly unknown[]): string {
    const attempt = this.isReplay ? 0 : (this.#chunks.get(index)?.responses.length ?? 0);
    return createHash('sha256')
      .update(JSON.stringify([this.#identity, index, attempt, items]))
      .digest('hex');
  }

  /** Whether an earlier run of this import, or a dry run, has written to a file. */
  hasWritten(path: string): boolean {
    return this.#files.has(path);
  }

  /** Whether an earlier run has written the rows of a chunk to a file, and this run gets them again. */
  isWritten(chunk: number, path: string): boolean {
    return this.isReplay && this.#chunks.get(chunk)?.files.has(path) === true;
  }

  /** Whether a run was killed while it wrote the rows of a chunk. */
  isCut(chunk: number): boolean {
    return this.#cut === chunk;
  }

  /** Records the files that this run writes. */
  recordFiles(files: readonly string[]): void {
    this.#append({ files });
  }

  recordWriting({ index }: ImportChunk): void {
    append(this.#path, { writing: index });
  }

  recordSent({ index }: ImportChunk): void {
    this.#append({ sent: index, at: this.#now() });
  }

  recordDone({ index }: ImportChunk, counts: ChunkCounts): void {
    this.#append({ done: index, ...counts });
  }

  #append(line: Line): void {
    append(this.#path, line);
    this.#apply(line);
  }

  #apply(line: Line): void {
    if ('startedAt' in line) return;
    if ('files' in line) {
      this.#current = line.files;
      for (const file of line.files) this.#files.add(file);
      return;
    }
    if ('writing' in line) {
      this.#cut = line.writing;
      return;
    }
    const index = 'sent' in line ? line.sent : line.done;
    const state = this.#chunks.get(index) ?? { responses: [], files: new Set() };
    this.#chunks.set(index, state);
    if ('sent' in line) {
      state.sentAt = line.at;
      return;
    }
    if (this.#cut === index) this.#cut = undefined;
    state.responses.push(line);
    for (const file of this.#current) state.files.add(file);
  }
}

function append(path: string, line: Line): void {
  appendFileSync(path, `${JSON.stringify(line)}\n`, { mode: 0o600 });
}

async function readLines(path: string): Promise<Line[]> {
  let text = '';
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw error;
  }
  return text.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line) as Line];
    } catch {
      // A crash can truncate the last line. What it recorded then counts as not done.
      return [];
    }
  });
}
