import { createHash, randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { ImportChunk, ImportRow } from '@shorty/import';
import { CliError, describeWriteError, systemErrorCode } from '../cli-error.js';

/** The rows of a chunk by what became of them. */
export interface ChunkCounts {
  readonly created: number;
  readonly failed: number;
  /** Rows whose slug existed already, with --skip-existing. */
  readonly skipped: number;
  /** The indexes of rows that the plan's quota refused. The next run sends them again. */
  readonly postponed: readonly number[];
}

/** The sizes of the output files with the rows of all finished chunks, by path. */
export type FileSizes = Readonly<Record<string, number>>;

interface OutputState {
  /** The size with the rows of all finished chunks. */
  readonly size: number;
  /** The size that the last write was to reach. What follows is not of this import. */
  readonly end: number;
}

type Line =
  | { readonly startedAt: number; readonly seed: string }
  /** The files that a run writes. */
  | { readonly files: FileSizes }
  /** The size that a file has after the next write, unless the process ends before. */
  | { readonly writing: string; readonly end: number }
  | { readonly sent: number; readonly at: number }
  | ({ readonly done: number; readonly attempt: number; readonly files: FileSizes } & ChunkCounts);

interface ChunkState {
  /** When a request that has no response was sent first. */
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
  /** Whether an earlier run has sent requests. */
  readonly isContinued: boolean;
  /** The file of this run. That of a restart replaces the old one with its first chunk. */
  #path: string;
  readonly #finalPath: string;
  readonly #identity: string;
  readonly #chunks = new Map<number, ChunkState>();
  readonly #now: () => number;

  /** `restart`: the import begins again, with other keys. */
  constructor(folder: string, identity: string, now: () => number, restart: boolean) {
    this.#now = now;
    this.#finalPath = join(folder, `${identity}.ndjson`);
    this.#path = restart ? `${this.#finalPath}.new` : this.#finalPath;
    const lines = readLines(this.#path);
    // Dry runs have sent nothing.
    if (!lines.some((line) => 'sent' in line)) {
      const start = { startedAt: now(), seed: restart ? randomUUID() : '' };
      append(this.#path, start);
      lines.push(start);
    }
    const first = lines.findLast((line) => 'startedAt' in line);
    this.startedAt = first?.startedAt ?? now();
    this.#identity = `${identity}${first?.seed ?? ''}`;
    for (const line of lines) this.#apply(line);
    this.isContinued = this.#chunks.size > 0;
  }

  /** What became of the rows of a chunk in earlier requests. */
  earlier({ index }: ImportChunk): readonly ChunkCounts[] {
    return this.#chunks.get(index)?.responses ?? [];
  }

  /** Whether the request of a chunk was sent, so long ago that the server cannot tell if it arrived. */
  isUncertain({ index }: ImportChunk): boolean {
    const sentAt = this.#chunks.get(index)?.sentAt;
    return sentAt !== undefined && this.#now() - sentAt >= keyLifetimeMs;
  }

  /** Returns the rows of a chunk to send: all, or those that the quota has refused. */
  rowsToSend(chunk: ImportChunk): readonly ImportRow[] {
    const last = this.earlier(chunk).at(-1);
    return last ? chunk.rows.filter(({ index }) => last.postponed.includes(index)) : chunk.rows;
  }

  /** Returns the Idempotency-Key of the next request for rows of a chunk. */
  keyOf(chunk: ImportChunk, items: readonly unknown[]): string {
    const facts = [this.#identity, chunk.index, this.earlier(chunk).length, items];
    return createHash('sha256').update(JSON.stringify(facts)).digest('hex');
  }

  /** Returns what is recorded of an output file; undefined for a foreign file. */
  outputFile(path: string): OutputState | undefined {
    let state: OutputState | undefined;
    // Another run may have written the file since this one began.
    for (const line of readLines(this.#path)) {
      this.#apply(line);
      if ('writing' in line) {
        if (line.writing === path) state = { size: state?.size ?? 0, end: line.end };
      } else if ('files' in line) {
        const size = line.files[path];
        if (size !== undefined) state = { size, end: size };
      }
    }
    return state;
  }

  recordSent({ index }: ImportChunk): void {
    this.#replaceOld();
    this.record({ sent: index, at: this.#now() });
  }

  recordDone(chunk: ImportChunk, counts: ChunkCounts, files: FileSizes): void {
    this.#replaceOld();
    const attempt = this.earlier(chunk).length;
    this.record({ done: chunk.index, attempt, ...counts, files });
  }

  #replaceOld(): void {
    // Another run may have moved it.
    if (this.#path !== this.#finalPath && existsSync(this.#path)) {
      renameSync(this.#path, this.#finalPath);
    }
    this.#path = this.#finalPath;
  }

  /** Writes a line, and applies it to the state. */
  record(line: Line): void {
    append(this.#path, line);
    this.#apply(line);
  }

  #apply(line: Line): void {
    const index = 'sent' in line ? line.sent : 'done' in line ? line.done : undefined;
    if (index === undefined) return;
    const state = this.#chunks.get(index) ?? { responses: [] };
    this.#chunks.set(index, state);
    if ('sent' in line) state.sentAt ??= line.at;
    else if ('done' in line) {
      delete state.sentAt;
      // Runs at the same time get the same response to an attempt.
      state.responses[Math.min(line.attempt, state.responses.length)] = line;
    }
  }
}

function append(path: string, line: Line): void {
  try {
    // On a line of its own, also after one that a full disk or a crash has truncated.
    appendFileSync(path, `\n${JSON.stringify(line)}`, { mode: 0o600 });
  } catch (error) {
    throw new CliError(describeWriteError(path, error), { cause: error });
  }
}

function readLines(path: string): Line[] {
  let text = '';
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw error;
  }
  return text.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line) as Line];
    } catch {
      // What a truncated line recorded counts as not done.
      return [];
    }
  });
}
