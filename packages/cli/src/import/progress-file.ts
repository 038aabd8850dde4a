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
  | { readonly out: string }
  | { readonly sent: number; readonly at: number }
  | ({ readonly done: number } & ChunkCounts);

interface ChunkState {
  /** When its request was sent last; undefined if it never was. */
  sentAt?: number;
  /** The responses so far. The first one is for all of its rows, later ones for postponed rows. */
  readonly responses: ChunkCounts[];
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
  readonly #outputs = new Set<string>();
  readonly #chunks = new Map<number, ChunkState>();
  readonly #now: () => number;

  private constructor(path: string, lines: readonly Line[], identity: string, now: () => number) {
    this.#path = path;
    this.#now = now;
    const first = lines.find((line) => 'startedAt' in line);
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
    if (lines.length > 0) return new ProgressFile(path, lines, identity, now);
    const start = { startedAt: now(), seed: restart ? randomUUID() : '' };
    append(path, start);
    return new ProgressFile(path, [start], identity, now);
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

  /** Whether an earlier run of this import has written to a file. */
  hasWritten(path: string): boolean {
    return this.#outputs.has(path);
  }

  recordOutput(path: string): void {
    if (!this.#outputs.has(path)) this.#append({ out: path });
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
    if ('out' in line) {
      this.#outputs.add(line.out);
      return;
    }
    const index = 'sent' in line ? line.sent : line.done;
    const state = this.#chunks.get(index) ?? { responses: [] };
    this.#chunks.set(index, state);
    if ('sent' in line) state.sentAt = line.at;
    else state.responses.push(line);
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
