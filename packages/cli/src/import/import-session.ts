import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createPrivateFolder } from '../app-folders.js';
import { type CliError, systemErrorCode, UsageError } from '../cli-error.js';
import { formatCsvLine } from '../csv-line.js';
import { guardFormula } from './cell-values.js';
import { decideStart, type ResumeMode, type Start } from './decide-start.js';
import type { ChunkRequest } from './import-identity.js';
import {
  ImportJournal,
  type ImportProgressRecord,
  noProgress,
  type RemainingRows,
  readJournal,
} from './import-journal.js';
import { acquireLock } from './import-lock.js';
import { noteCells, noteColumns } from './not-kept.js';
import type { ImportChunk, ImportRow } from './plan-chunks.js';
import type { PreparedImport } from './prepare-import.js';
import { findFileLength, ResultFile } from './result-file.js';
import { type ChunkOutcome, statusOf } from './run-import.js';

export interface SessionOptions {
  /** The folder of the journals. */
  readonly folder: string;
  readonly identity: string;
  readonly mode: ResumeMode;
  readonly outPath: string | undefined;
  readonly failedOutPath: string | undefined;
  /** Counts rows whose slug exists as skipped, not as failed. */
  readonly skipsExisting: boolean;
  readonly now: () => number;
  /** Called when another process holds the lock, before this one waits for some seconds. */
  readonly onWait: () => void;
}

const outColumns = ['line', 'index', 'id', 'shortCode', 'shortUrl', 'targetUrl', 'customSlug'];

/**
 * The persistent state of an import: a lock, a journal and the output files. Resuming truncates the
 * output files to the lengths in the journal, so that each row is written once.
 */
export class ImportSession {
  readonly start: Start;
  /** Part of every idempotency key. */
  readonly seed: string;
  /** When the first run of the import started, in milliseconds since the epoch. */
  readonly startedAt: number;
  /** Aborts when another process may have taken over the import. */
  readonly lost: AbortSignal;
  /** The counts so far, including earlier runs. */
  done: ImportProgressRecord;
  readonly #journal: ImportJournal;
  readonly #out: ResultFile | undefined;
  readonly #failedOut: ResultFile | undefined;
  readonly #prepared: PreparedImport;
  readonly #skipsExisting: boolean;
  readonly #remaining: Map<number, RemainingRows>;
  readonly #release: () => Promise<void>;

  private constructor(parts: {
    start: Start;
    seed: string;
    startedAt: number;
    lost: AbortSignal;
    done: ImportProgressRecord;
    journal: ImportJournal;
    out: ResultFile | undefined;
    failedOut: ResultFile | undefined;
    prepared: PreparedImport;
    skipsExisting: boolean;
    release: () => Promise<void>;
  }) {
    this.start = parts.start;
    this.seed = parts.seed;
    this.startedAt = parts.startedAt;
    this.lost = parts.lost;
    this.done = parts.done;
    this.#journal = parts.journal;
    this.#out = parts.out;
    this.#failedOut = parts.failedOut;
    this.#prepared = parts.prepared;
    this.#skipsExisting = parts.skipsExisting;
    this.#remaining = new Map(parts.start.kind === 'continue' ? parts.start.state.remaining : []);
    this.#release = parts.release;
  }

  static async open(prepared: PreparedImport, options: SessionOptions): Promise<ImportSession> {
    const { folder, identity, mode, skipsExisting, now, onWait } = options;
    const outPath = absolute(options.outPath);
    const failedOutPath = absolute(options.failedOutPath);
    await refuseOverwriting(prepared, outPath, failedOutPath);
    await createPrivateFolder(folder, 'SHORTY_STATE_DIR');
    const path = join(folder, `${identity}.jsonl`);
    const lost = new AbortController();
    const onLost = (error: CliError) => lost.abort(error);
    const release = await acquireLock(join(folder, `${identity}.lock`), { onWait, onLost });
    try {
      const start = decideStart({
        journal: mode === 'no-resume' ? undefined : await readJournal(path),
        mode,
        now: now(),
        out: { path: outPath, length: await lengthOf(outPath) },
        failedOut: { path: failedOutPath, length: await lengthOf(failedOutPath) },
      });
      const seed =
        start.kind !== 'fresh' ? start.state.seed : mode === 'no-resume' ? randomUUID() : '';
      const startedAt = start.kind === 'fresh' ? now() : start.state.startedAt;
      const done = start.kind === 'continue' ? progressOf(start) : noProgress;
      // Opened before the journal changes, so that a path that is not writable has no effect.
      const out = openResult(outPath, done.outBytes);
      const failedOut = openResult(failedOutPath, done.failedOutBytes);
      const paths = { outPath, failedOutPath };
      const journal =
        start.kind === 'fresh'
          ? await ImportJournal.start(path, { at: startedAt, seed, ...paths }, now)
          : await ImportJournal.reopen(path, now);
      if (start.kind === 'rewind') journal.rewind(paths);
      if (start.kind === 'continue' && start.isRetry) journal.retry(paths);
      const session = new ImportSession({
        start,
        seed,
        startedAt,
        lost: lost.signal,
        done,
        journal,
        out,
        failedOut,
        prepared,
        skipsExisting,
        release,
      });
      session.#writeHeaders();
      return session;
    } catch (error) {
      await release();
      throw error;
    }
  }

  /**
   * Returns the rows of a chunk that this run sends. Of a completed chunk, these are the rows that the
   * quota refused and, with --retry-failed, the failed rows.
   */
  rowsToSend({ index, rows }: ImportChunk): readonly ImportRow[] {
    if (index >= this.done.chunksDone) return rows;
    const remaining = this.#remaining.get(index);
    const isRetry = this.start.kind === 'continue' && this.start.isRetry;
    const indexes = new Set([
      ...(remaining?.postponed ?? []),
      ...(isRetry ? (remaining?.failed ?? []) : []),
    ]);
    return indexes.size === 0 ? [] : rows.filter((row) => indexes.has(row.index));
  }

  /** Returns the identity of the next request for these rows. It stays the same after a crash. */
  requestFor({ index, payloadDigest, rows }: ImportChunk): ChunkRequest {
    return {
      seed: this.seed,
      index,
      payload: payloadDigest,
      attempt: this.#remaining.get(index)?.attempts ?? 0,
      rows: rows.map((row) => row.index),
    };
  }

  /** The number of rows that the plan's quota refused. */
  get postponed(): number {
    let count = 0;
    for (const { postponed } of this.#remaining.values()) count += postponed.length;
    return count;
  }

  /**
   * Records a chunk: first in the output files, then in the journal. Returns the number of rows that
   * the quota refused.
   */
  record({ chunk, rows }: ChunkOutcome): number {
    const before = this.#remaining.get(chunk.index);
    const sent = new Set(rows.map(({ row }) => row.index));
    const failedBefore = before?.failed.filter((index) => sent.has(index)).length ?? 0;
    const failedRows = before?.failed.filter((index) => !sent.has(index)) ?? [];
    const postponedRows: number[] = [];
    const counts = { created: 0, skipped: 0, postponed: 0, failed: 0 };
    for (const outcome of rows) {
      const { row, created: url } = outcome;
      const status = statusOf(outcome, this.#skipsExisting);
      counts[status]++;
      if (status === 'postponed') postponedRows.push(row.index);
      if (status === 'failed') {
        failedRows.push(row.index);
        this.#failedOut?.write(`${row.raw}${this.#prepared.lineEnd}`);
      }
      if (!url) continue;
      const { id, shortCode, shortUrl, targetUrl, customSlug } = url;
      const cells = [`${row.line}`, `${row.index}`, id, shortCode, shortUrl, targetUrl];
      cells.push(customSlug ?? '', ...(this.#prepared.plan.source ? noteCells(row) : []));
      this.#out?.write(`${formatCsvLine(cells.map(guardFormula))}\n`);
    }
    this.#out?.flush();
    this.#failedOut?.flush();
    this.done = {
      chunksDone: Math.max(this.done.chunksDone, chunk.index + 1),
      rows: this.done.rows + rows.length - counts.postponed - failedBefore,
      created: this.done.created + counts.created,
      failed: this.done.failed + counts.failed - failedBefore,
      skipped: this.done.skipped + counts.skipped,
      outBytes: this.#out?.length ?? 0,
      failedOutBytes: this.#failedOut?.length ?? 0,
    };
    const attempts = (before?.attempts ?? 0) + 1;
    this.#remaining.set(chunk.index, { postponed: postponedRows, failed: failedRows, attempts });
    this.#journal.recordDone({ ...this.done, chunk: chunk.index, postponedRows, failedRows });
    return counts.postponed;
  }

  /** Records that no request is in flight. */
  stop(): void {
    this.#journal.stop();
  }

  finish(): void {
    this.#journal.finish();
  }

  async close(): Promise<void> {
    this.#out?.close();
    this.#failedOut?.close();
    this.#journal.close();
    await this.#release();
  }

  #writeHeaders(): void {
    const columns = [...outColumns, ...(this.#prepared.plan.source ? noteColumns : [])];
    if (this.#out?.length === 0) this.#out.write(`${formatCsvLine(columns)}\n`);
    if (this.#failedOut?.length === 0) this.#failedOut.write(headerLine(this.#prepared));
    this.#out?.flush();
    this.#failedOut?.flush();
  }
}

/** Returns the header of the file of failed rows, as it is in the input. */
export function headerLine({ header, lineEnd, hasByteOrderMark }: PreparedImport): string {
  return header ? `${hasByteOrderMark ? '\u{feff}' : ''}${header.raw}${lineEnd}` : '';
}

function progressOf({ state, outBytes, failedOutBytes }: Start & { kind: 'continue' }) {
  const { chunksDone, rows, created, failed, skipped } = state;
  return { chunksDone, rows, created, failed, skipped, outBytes, failedOutBytes };
}

function absolute(path: string | undefined): string | undefined {
  return path === undefined ? undefined : resolve(path);
}

async function lengthOf(path: string | undefined): Promise<number | undefined> {
  return path === undefined ? undefined : findFileLength(path);
}

function openResult(path: string | undefined, keepBytes: number): ResultFile | undefined {
  return path === undefined ? undefined : ResultFile.open(path, keepBytes);
}

/** Throws a UsageError if an output file is the input file or the other output file. */
export async function refuseOverwriting(
  { input }: PreparedImport,
  outPath: string | undefined,
  failedOutPath: string | undefined,
): Promise<void> {
  if (outPath !== undefined && outPath === failedOutPath) {
    throw new UsageError('--out and --failed-out must be different files');
  }
  const source = await input.handle.stat();
  for (const path of [outPath, failedOutPath]) {
    if (path === undefined) continue;
    const target = await findStat(path);
    if (target && target.ino === source.ino && target.dev === source.dev) {
      throw new UsageError(`${path} is the input file; choose another output file`);
    }
  }
}

async function findStat(path: string) {
  try {
    return await stat(path);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
