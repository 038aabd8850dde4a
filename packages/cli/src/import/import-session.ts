import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createPrivateFolder } from '../app-folders.js';
import { systemErrorCode, UsageError } from '../cli-error.js';
import { formatCsvLine } from '../csv-line.js';
import { guardFormula } from './cell-values.js';
import { decideStart, type ResumeMode, type Start } from './decide-start.js';
import { ImportJournal, type ImportProgressRecord, readJournal } from './import-journal.js';
import { acquireLock } from './import-lock.js';
import type { PreparedImport } from './prepare-import.js';
import { findFileLength, ResultFile } from './result-file.js';
import type { ChunkOutcome } from './run-import.js';

export interface SessionOptions {
  /** The folder of the journals. */
  readonly folder: string;
  readonly identity: string;
  readonly mode: ResumeMode;
  readonly outPath: string | undefined;
  readonly failedOutPath: string | undefined;
  readonly now: () => number;
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
  /** The counts so far, including earlier runs. */
  done: ImportProgressRecord;
  readonly #journal: ImportJournal;
  readonly #out: ResultFile | undefined;
  readonly #failedOut: ResultFile | undefined;
  readonly #prepared: PreparedImport;
  readonly #release: () => Promise<void>;

  private constructor(parts: {
    start: Start;
    seed: string;
    done: ImportProgressRecord;
    journal: ImportJournal;
    out: ResultFile | undefined;
    failedOut: ResultFile | undefined;
    prepared: PreparedImport;
    release: () => Promise<void>;
  }) {
    this.start = parts.start;
    this.seed = parts.seed;
    this.done = parts.done;
    this.#journal = parts.journal;
    this.#out = parts.out;
    this.#failedOut = parts.failedOut;
    this.#prepared = parts.prepared;
    this.#release = parts.release;
  }

  static async open(prepared: PreparedImport, options: SessionOptions): Promise<ImportSession> {
    const { folder, identity, mode, now } = options;
    const outPath = absolute(options.outPath);
    const failedOutPath = absolute(options.failedOutPath);
    await refuseOverwriting(prepared, outPath, failedOutPath);
    await createPrivateFolder(folder, 'SHORTY_STATE_DIR');
    const path = join(folder, `${identity}.jsonl`);
    const release = await acquireLock(join(folder, `${identity}.lock`));
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
      const done: ImportProgressRecord = start.kind === 'continue' ? start.state : noProgress();
      // Opened before the journal changes, so that a path that is not writable has no effect.
      const out = openResult(outPath, done.outBytes);
      const failedOut = openResult(failedOutPath, done.failedOutBytes);
      const paths = { outPath, failedOutPath };
      const journal =
        start.kind === 'fresh'
          ? await ImportJournal.start(path, { seed, ...paths }, now)
          : await ImportJournal.reopen(path, now);
      if (start.kind === 'rewind') journal.rewind(paths);
      const session = new ImportSession({
        start,
        seed,
        done,
        journal,
        out,
        failedOut,
        prepared,
        release,
      });
      if (done.chunksDone === 0) session.#writeHeaders();
      return session;
    } catch (error) {
      await release();
      throw error;
    }
  }

  /** Records a chunk: first in the output files, then in the journal. */
  record({ chunk, rows }: ChunkOutcome): void {
    let created = 0;
    for (const { row, created: url } of rows) {
      if (!url) {
        this.#failedOut?.write(`${row.raw}${this.#prepared.lineEnd}`);
        continue;
      }
      created++;
      const { id, shortCode, shortUrl, targetUrl, customSlug } = url;
      const cells = [`${row.line}`, `${row.index}`, id, shortCode, shortUrl, targetUrl];
      this.#out?.write(`${formatCsvLine([...cells, customSlug ?? ''].map(guardFormula))}\n`);
    }
    this.#out?.flush();
    this.#failedOut?.flush();
    this.done = {
      chunksDone: chunk.index + 1,
      rows: this.done.rows + rows.length,
      created: this.done.created + created,
      failed: this.done.failed + rows.length - created,
      outBytes: this.#out?.length ?? 0,
      failedOutBytes: this.#failedOut?.length ?? 0,
    };
    this.#journal.recordDone(this.done);
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
    const { header, lineEnd, hasByteOrderMark } = this.#prepared;
    this.#out?.write(`${formatCsvLine(outColumns)}\n`);
    this.#failedOut?.write(`${hasByteOrderMark ? '\u{feff}' : ''}${header.raw}${lineEnd}`);
    this.#out?.flush();
    this.#failedOut?.flush();
  }
}

function noProgress(): ImportProgressRecord {
  return { chunksDone: 0, rows: 0, created: 0, failed: 0, outBytes: 0, failedOutBytes: 0 };
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

async function refuseOverwriting(
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
