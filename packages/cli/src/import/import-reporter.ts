import type { ShortyOptions } from '@shorty/sdk';
import type { Context } from '../context.js';
import { formatCsvLine } from '../csv-line.js';
import { formatCount, formatDuration, formatJson, formatNumber } from '../format.js';
import { LiveLines } from '../live-lines.js';
import { textStyle } from '../text-style.js';
import type { Start } from './decide-start.js';
import { FailureReport } from './failure-report.js';
import type { ImportProgressRecord } from './import-journal.js';
import type { ImportProgress } from './import-progress.js';
import {
  formatSummary,
  type ImportSummary,
  maxListedErrors,
  type RowError,
} from './import-summary.js';
import type { LinkSource } from './link-sources.js';
import { formatNotKept, NotKeptCounts, noteCells, noteColumns } from './not-kept.js';
import type { ImportRow } from './plan-chunks.js';
import type { PreparedImport } from './prepare-import.js';
import { progressLines } from './progress-lines.js';
import { type ChunkOutcome, type RowOutcome, type RowStatus, statusOf } from './run-import.js';

const rowColumns = [
  ...['line', 'index', 'status', 'id', 'shortCode'],
  ...['shortUrl', 'targetUrl', 'customSlug', 'error', 'code'],
] as const;

const refreshMs = 100;

type Hooks = NonNullable<ShortyOptions['hooks']>;

/** Reports an import: rows or a summary on stdout, errors and progress on stderr. */
export class ImportReporter {
  /** SDK hooks that detect retries. */
  readonly hooks: Hooks;
  readonly #context: Context;
  readonly #progress: ImportProgress;
  readonly #failures: FailureReport;
  readonly #errors: RowError[] = [];
  readonly #skipsExisting: boolean;
  /** The service of `shorty import`. */
  readonly #source: LinkSource | undefined;
  readonly #live: LiveLines;
  #timer: NodeJS.Timeout | undefined;
  #isFinishedBefore = false;
  /** What differs between links and their rows. */
  readonly #notes: FailureReport;
  readonly #notKept = new NotKeptCounts();
  #paused = 0;
  #taken = 0;
  #invalidCodes = 0;

  constructor(
    context: Context,
    prepared: PreparedImport,
    { retryFor, skipExisting = false }: { retryFor: number; skipExisting?: boolean },
  ) {
    const { io, output } = context;
    this.#context = context;
    this.#skipsExisting = skipExisting;
    this.#source = prepared.plan.source;
    this.#failures = new FailureReport(output, io.stderr.isTTY === true);
    this.#notes = new FailureReport(output, io.stderr.isTTY === true);
    this.#live = new LiveLines(context);
    this.#progress = {
      bytesRead: 0,
      bytesBefore: 0,
      bytesTotal: prepared.input.sizeBytes,
      rows: 0,
      created: 0,
      failed: 0,
      replayed: 0,
      rowsBefore: 0,
      startedAt: io.now(),
      retrying: undefined,
    };
    this.hooks = {
      onRetry: ({ error }) => this.#onRetry(error, retryFor),
      onResponse: ({ status }) => this.#onResponse(status),
    };
  }

  async begin(start: Start): Promise<void> {
    const { output } = this.#context;
    const progress = this.#progress;
    if (start.kind === 'continue') {
      const { rows, created, failed } = start.state;
      const unknownBytes = { bytesBefore: rows > 0 ? undefined : 0 };
      const rowsBefore = start.isRetry ? rows - failed : rows;
      Object.assign(progress, { rows, created, failed, rowsBefore, ...unknownBytes });
      if (start.isRetry) {
        output.note(`importing ${formatCount(failed, 'failed row')} of the earlier import again`);
      } else if (rows > 0) {
        output.note(`resuming after ${formatCount(rows, 'row')} of an interrupted import`);
      }
    } else if (start.kind === 'rewind') {
      this.#isFinishedBefore = start.isFinished;
      output.note(
        start.isFinished
          ? 'this file was imported before: reading the results of that import from the server'
          : 'the output files have changed: reading the results so far from the server',
      );
    }
    if (this.#streamsRows && output.format === 'csv') {
      const columns = this.#source ? [...rowColumns, ...noteColumns] : rowColumns;
      await output.write(`${formatCsvLine(columns)}\n`);
    }
    this.#showProgress();
  }

  async report(outcome: ChunkOutcome, done: ImportProgressRecord): Promise<void> {
    const progress = this.#progress;
    const { rows, created, failed } = done;
    const { bytesRead } = outcome.chunk;
    Object.assign(progress, { rows, created, failed, bytesRead });
    progress.bytesBefore ??= bytesRead;
    for (const result of outcome.rows) {
      const { row, failure } = result;
      if (!failure) {
        if (outcome.isReplayed) progress.replayed++;
        this.#reportNote(result.row);
        continue;
      }
      if (statusOf(result, this.#skipsExisting) !== 'failed') continue;
      const { index, line, item } = row;
      if (failure.code === 'SLUG_CONFLICT') this.#taken++;
      if (isInvalidCode(failure.message, failure.code)) this.#invalidCodes++;
      this.#failures.add(line, failure.message, failure.code, item);
      if (this.#errors.length < maxListedErrors) {
        this.#errors.push({ line, index, error: failure.message, code: failure.code });
      }
    }
    if (!this.#streamsRows) return;
    const { output } = this.#context;
    const lines = outcome.rows.map((row) => {
      const status = statusOf(row, this.#skipsExisting);
      const line =
        output.format === 'csv'
          ? output.csvLine([
              ...cellsOf(row, status),
              ...(this.#source ? noteCells(row.created ? row.row : {}) : []),
            ])
          : formatJsonRow(row, status);
      return `${line}\n`;
    });
    await output.write(lines.join(''));
  }

  #reportNote({ line, note, notKept }: ImportRow): void {
    if (note !== undefined) {
      this.#paused++;
      this.#notes.add(line, note, 'PAUSED');
    }
    if (notKept) {
      this.#notKept.add(notKept);
      this.#notes.add(line, formatNotKept(notKept), 'NOT_KEPT');
    }
  }

  /** Removes the progress from the terminal. */
  end(): void {
    clearInterval(this.#timer);
    this.#live.clear();
  }

  async summarise(
    done: ImportProgressRecord,
    files: { out?: string; failedOut?: string },
    isQuotaReached: boolean,
  ): Promise<ImportSummary> {
    this.end();
    const { output, io } = this.#context;
    const { rowsBefore, startedAt, replayed } = this.#progress;
    const summary: ImportSummary = {
      rows: done.rows,
      created: done.created,
      failed: done.failed,
      skipped: done.skipped,
      isQuotaReached,
      replayed,
      rowsBefore,
      durationMs: io.now() - startedAt,
      out: files.out ?? null,
      failedOut: files.failedOut ?? null,
      ...(this.#source && { paused: this.#paused, notKept: this.#notKept.record() }),
      errors: this.#errors,
    };
    this.#failures.finish(files.failedOut ? ` (all are in ${files.failedOut})` : '');
    this.#notes.finish(files.out ? ` (all are in ${files.out})` : '');
    if (output.format === 'json') await output.record(summary);
    else if (output.format === 'table' && !output.isQuiet) {
      await output.message(formatSummary(summary));
    }
    if (this.#paused > 0) output.note(describePaused(this.#paused));
    const notKept = this.#notKept.describe();
    if (notKept !== undefined) output.note(notKept);
    if (this.#taken > 0) output.note(describeTaken(this.#taken));
    if (this.#invalidCodes > 0 && this.#source) {
      output.note(describeInvalidCodes(this.#invalidCodes, this.#source, files.failedOut));
    }
    if (this.#isFinishedBefore) {
      const retry = done.failed > 0 ? '--retry-failed sends the failed rows again, and ' : '';
      output.note(
        `already imported, no link was created twice; ${retry}--no-resume imports the file again`,
      );
    } else if (replayed > 0 && rowsBefore === 0) {
      output.note(
        `an earlier run, or a request whose response was lost, had created ${formatNumber(replayed)} of them; no link was created twice`,
      );
    }
    return summary;
  }

  get #streamsRows(): boolean {
    return this.#context.output.format === 'ndjson' || this.#context.output.format === 'csv';
  }

  #showProgress(): void {
    if (!this.#live.isShown) return;
    const { io, output } = this.#context;
    const style = textStyle(output.allowsColor);
    const show = () =>
      this.#live.show((width) => progressLines(this.#progress, { now: io.now(), width, style }));
    show();
    this.#timer = setInterval(show, refreshMs);
    for (const report of [this.#failures, this.#notes]) {
      report.redirect((line) => this.#live.log(line));
    }
  }

  #onRetry(error: unknown, retryForSeconds: number): void {
    if (this.#progress.retrying) return;
    const reason = error instanceof Error ? error.message : String(error);
    this.#progress.retrying = { reason, since: this.#context.io.now() };
    if (!this.#live.isShown) {
      const limit = formatDuration(retryForSeconds * 1000);
      this.#context.output.note(
        `no response from the server (${reason}); retrying for up to ${limit}`,
      );
    }
  }

  #onResponse(status: number): void {
    if (!this.#progress.retrying || status === 429 || status >= 500) return;
    this.#progress.retrying = undefined;
    if (!this.#live.isShown) this.#context.output.note('the server responds again');
  }
}

/** `paused: 1 link with …`. */
export function describePaused(count: number): string {
  return `paused: ${formatCount(count, 'link')} with an expiry that has passed, a limit of clicks that is used up, or a password that the file does not contain`;
}

/** `taken: the code of 1 row …`. */
export function describeTaken(count: number): string {
  return `taken: the code of ${formatCount(count, 'row')} exists already; --skip-existing skips such rows`;
}

/** Returns whether the server refuses a row because of its old code. */
export function isInvalidCode(message: string, code: string): boolean {
  return code !== 'SLUG_CONFLICT' && message.startsWith('importedCode ');
}

/** `not valid as codes here: 3 rows; …`. `failedOut` is the file that contains them. */
export function describeInvalidCodes(
  count: number,
  { name }: LinkSource,
  failedOut: string | undefined,
): string {
  const file = failedOut ?? 'failed.csv';
  const collect = failedOut === undefined ? `add --failed-out ${file}, then ` : '';
  return `not valid as codes here: ${formatCount(count, 'row')}; for new short codes, ${collect}run shorty import ${name} ${file} --new-codes`;
}

function formatJsonRow({ row, created, failure }: RowOutcome, status: RowStatus): string {
  const { line, index, note, notKept } = row;
  if (created) return formatJson({ status, line, ...created, index, note, notKept });
  return formatJson({ status, line, index, error: failure.message, code: failure.code });
}

function cellsOf({ row, created, failure }: RowOutcome, status: RowStatus): unknown[] {
  const place = [row.line, row.index, status];
  if (!created) return [...place, '', '', '', '', '', failure.message, failure.code];
  const { id, shortCode, shortUrl, targetUrl, customSlug } = created;
  return [...place, id, shortCode, shortUrl, targetUrl, customSlug, '', ''];
}
