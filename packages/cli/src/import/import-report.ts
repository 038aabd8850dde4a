import { formatCsvLine, guardFormula, type ImportRow } from '@shorty/import';
import { formatCount, formatDuration, formatJson, formatNumber } from '@shorty/report';
import type { ShortyOptions } from '@shorty/sdk';
import type { Context } from '../context.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import { type LiveView, openLiveView } from '../ui/live-view.js';
import { type FailedRows, OutputFile, openFailedRows } from './output-file.js';
import type { PreparedImport } from './prepare-import.js';
import type { ChunkCounts, ProgressFile } from './progress-file.js';
import { formatNotKept, type RowError, RowReport } from './row-report.js';
import { type ChunkOutcome, type RowOutcome, type RowStatus, statusOf } from './send-chunks.js';

/** The result of an import. */
export interface ImportSummary {
  readonly rows: number;
  readonly created: number;
  readonly failed: number;
  /** Rows whose slug existed already, with --skip-existing. */
  readonly skipped: number;
  /** True when the plan's quota stopped the import. The next run continues. */
  readonly isQuotaReached: boolean;
  /** Rows whose links an earlier request had created. */
  readonly replayed: number;
  /** Rows completed before this run. */
  readonly rowsBefore: number;
  /** Rows that may have arrived in an earlier run. Only --resend sends them again. */
  readonly uncertain: number;
  readonly durationMs: number;
  readonly out: string | null;
  readonly failedOut: string | null;
  /** Of another shortener: links of this run that are paused, although their rows were not. */
  readonly paused?: number;
  /** Of another shortener: links of this run that lose a setting, by its column. */
  readonly notKept?: Readonly<Record<string, number>>;
  /** The first hundred failures of this run. */
  readonly errors: readonly RowError[];
}

const summaryNames: Readonly<Record<keyof ImportSummary, true>> = {
  ...{ rows: true, created: true, failed: true, skipped: true, isQuotaReached: true },
  ...{ replayed: true, rowsBefore: true, uncertain: true, durationMs: true },
  ...{ out: true, failedOut: true, paused: true, notKept: true, errors: true },
};
export const summaryFields = Object.keys(summaryNames);

const outColumns = ['line', 'index', 'id', 'shortCode', 'shortUrl', 'targetUrl', 'customSlug'];
const rowColumns = [
  ...['line', 'index', 'status', 'id', 'shortCode'],
  ...['shortUrl', 'targetUrl', 'customSlug', 'error', 'code'],
];
const noteColumns = ['note', 'notKept'];
const barWidth = 30;

export interface ReportOptions {
  readonly out?: string;
  readonly failedOut?: string;
  readonly skipExisting?: boolean;
  readonly retryFor: number;
}

/** Reports an import: rows or a summary on stdout, errors and progress on stderr, rows in files. */
export class ImportReport {
  /** SDK hooks that detect retries. */
  readonly hooks: NonNullable<ShortyOptions['hooks']>;
  readonly counts = { rows: 0, created: 0, failed: 0, skipped: 0, replayed: 0, rowsBefore: 0 };
  isQuotaReached = false;
  uncertain = 0;
  readonly #context: Context;
  readonly #prepared: PreparedImport;
  readonly #options: ReportOptions;
  readonly #live: LiveView & { isShown: boolean };
  readonly #out: OutputFile | undefined;
  readonly #failedOut: FailedRows | undefined;
  readonly #rows: RowReport;
  readonly #startedAt: number;
  #taken = 0;
  #invalidCodes = 0;
  #retrying: string | undefined;

  private constructor(
    context: Context,
    prepared: PreparedImport,
    options: ReportOptions,
    live: LiveView & { isShown: boolean },
    [out, failedOut]: readonly [OutputFile | undefined, FailedRows | undefined],
  ) {
    const { io, output } = context;
    this.#context = context;
    this.#prepared = prepared;
    this.#options = options;
    this.#live = live;
    this.#out = out;
    this.#failedOut = failedOut;
    this.#rows = new RowReport(output, io.stderr.isTTY === true);
    this.#startedAt = io.now();
    this.hooks = {
      onRetry: ({ error }) => this.#onRetry(error),
      onResponse: ({ status }) => this.#onResponse(status),
    };
  }

  static async open(
    context: Context,
    prepared: PreparedImport,
    options: ReportOptions,
    progress: ProgressFile,
  ): Promise<ImportReport> {
    const { plan } = prepared;
    const columns = [...outColumns, ...(plan.source ? noteColumns : [])];
    const { out: path, failedOut } = options;
    const title = context.output.csvHeader(columns).trimEnd();
    const out =
      path === undefined ? undefined : new OutputFile({ path, title }, prepared, progress);
    const failed =
      failedOut === undefined ? undefined : openFailedRows(failedOut, prepared, progress);
    const names = [out, failed?.output].flatMap((file) => (file ? [file.name] : []));
    progress.recordFiles(names);
    const live = await openLiveView(context);
    const report = new ImportReport(context, prepared, options, live, [out, failed]);
    if (context.output.format === 'csv') {
      const shown = [...rowColumns, ...(plan.source ? noteColumns : [])];
      await context.output.write(context.output.csvHeader(shown));
    }
    report.#show();
    return report;
  }

  /** Counts the rows of a chunk that earlier runs have sent. */
  addEarlier(responses: readonly ChunkCounts[]): void {
    for (const { created, failed, skipped } of responses) {
      const rows = created + failed + skipped;
      this.#count({ created, failed, skipped });
      this.counts.rowsBefore += rows;
    }
    this.#show();
  }

  /** Reports the rows of a chunk, and returns what became of them. */
  async add({ chunk, rows, isReplayed }: ChunkOutcome): Promise<ChunkCounts> {
    const counts = { created: 0, failed: 0, skipped: 0 };
    const postponed: number[] = [];
    for (const outcome of rows) {
      const status = statusOf(outcome, this.#options.skipExisting === true);
      if (status === 'postponed') postponed.push(outcome.row.index);
      else counts[status]++;
      if (outcome.created) this.#addCreated(outcome.row, outcome.created);
      else if (status === 'failed') this.#addFailed(outcome.row, outcome.failure);
    }
    this.#out?.flush(chunk.index);
    this.#failedOut?.output.flush(chunk.index);
    this.#count(counts);
    if (isReplayed) this.counts.replayed += counts.created;
    await this.#writeRows(rows);
    this.#show();
    return { ...counts, postponed };
  }

  /** Removes the progress from the terminal, prints the failures, and closes the files. */
  end(): void {
    this.#live.close();
    this.#rows.finish(this.#options);
    this.#out?.close();
    this.#failedOut?.output.close();
  }

  async summarise(): Promise<ExitCode> {
    this.end();
    const { output, io } = this.#context;
    const { out = null, failedOut = null } = this.#options;
    const { rows, created, failed, skipped, rowsBefore, replayed } = this.counts;
    const durationMs = io.now() - this.#startedAt;
    const { source } = this.#prepared.plan;
    const { isQuotaReached, uncertain } = this;
    if (output.format === 'json') {
      const summary: ImportSummary = {
        ...{ rows, created, failed, skipped, isQuotaReached, replayed, rowsBefore, uncertain },
        ...{ durationMs, out, failedOut },
        ...(source && this.#rows.record()),
        errors: this.#rows.errors,
      };
      await output.record(summary);
    } else if (output.format === 'table' && !output.isQuiet) {
      const rate = Math.round(((rows - rowsBefore) / Math.max(durationMs, 1)) * 1000);
      const before = rowsBefore > 0 ? `, ${formatNumber(rowsBefore)} of them earlier` : '';
      const others = skipped > 0 ? `${formatNumber(skipped)} skipped, ` : '';
      await output.message(
        `${formatCount(rows, 'row')}${before}: ${formatNumber(created)} created, ${others}${formatNumber(failed)} failed in ${formatDuration(durationMs)} (${formatNumber(rate)} rows/s)`,
      );
    }
    for (const line of this.#rows.lines()) output.note(line);
    if (this.#taken > 0) {
      output.note(
        `taken: the code of ${formatCount(this.#taken, 'row')} exists already; --skip-existing skips such rows, and urls restore makes deleted links active again`,
      );
    }
    if (this.#invalidCodes > 0 && source) {
      const file = failedOut ?? 'failed.csv';
      const collect = failedOut === null ? `add --failed-out ${file}, then ` : '';
      output.note(
        `not valid as codes here: ${formatCount(this.#invalidCodes, 'row')}; for new short codes, ${collect}run shorty import ${source.name} ${file} --new-codes`,
      );
    }
    if (replayed > 0) {
      output.note(
        `an earlier run, or a request whose response was lost, had created ${formatNumber(replayed)} of them; no link was created twice`,
      );
    } else if (rows > 0 && rowsBefore === rows) {
      output.note('an earlier run has imported this file; --no-resume imports it again');
    }
    if (failed === 0 && !isQuotaReached && uncertain === 0) return exitCodes.done;
    return created + skipped > 0 ? exitCodes.partlyDone : exitCodes.failed;
  }

  #count(counts: Pick<ChunkCounts, 'created' | 'failed' | 'skipped'>): void {
    this.counts.created += counts.created;
    this.counts.failed += counts.failed;
    this.counts.skipped += counts.skipped;
    this.counts.rows += counts.created + counts.failed + counts.skipped;
  }

  #addCreated(row: ImportRow, created: NonNullable<RowOutcome['created']>): void {
    const { line, index } = row;
    this.#rows.addLink(row);
    const { id, shortCode, shortUrl, targetUrl, customSlug } = created;
    const cells = [`${line}`, `${index}`, id, shortCode, shortUrl, targetUrl, customSlug ?? ''];
    if (this.#prepared.plan.source) cells.push(...noteCells(row));
    this.#out?.add(formatCsvLine(cells.map(guardFormula)));
  }

  #addFailed(row: ImportRow, { message, code }: { message: string; code: string }): void {
    if (code === 'SLUG_CONFLICT') this.#taken++;
    else if (message.startsWith('importedCode ')) this.#invalidCodes++;
    this.#rows.addFailure(row, message, code);
    this.#failedOut?.add(row.raw, message);
  }

  async #writeRows(rows: readonly RowOutcome[]): Promise<void> {
    const { output } = this.#context;
    if (output.format !== 'ndjson' && output.format !== 'csv') return;
    const { source } = this.#prepared.plan;
    const lines = rows.map((outcome) => {
      const status = statusOf(outcome, this.#options.skipExisting === true);
      if (output.format === 'ndjson') return formatJson(rowOf(outcome, status));
      const notes = source ? noteCells(outcome.created ? outcome.row : undefined) : [];
      return output.csvLine([...cellsOf(outcome, status), ...notes]);
    });
    await output.write(lines.map((line) => `${line}\n`).join(''));
  }

  #show(): void {
    const { rows, failed, rowsBefore } = this.counts;
    const { total } = this.#prepared;
    const elapsedMs = this.#context.io.now() - this.#startedAt;
    const done = rows - rowsBefore;
    const share = total === 0 ? 1 : Math.min(1, rows / total);
    const filled = Math.round(share * barWidth);
    const parts = [
      `${'━'.repeat(filled)}${'─'.repeat(barWidth - filled)} ${Math.floor(share * 100)}%`,
      `${formatNumber(rows)} of ${formatCount(total, 'row')}`,
      `${formatNumber(done / Math.max(0.001, elapsedMs / 1000))}/s`,
    ];
    if (failed > 0) parts.push(`${formatNumber(failed)} failed`);
    if (done > 0 && elapsedMs > 500) {
      parts.push(`${formatDuration(((total - rows) / done) * elapsedMs)} left`);
    }
    this.#live.show([parts.join('  '), ...(this.#retrying ? [this.#retrying] : [])]);
  }

  #onRetry(error: unknown): void {
    if (this.#retrying !== undefined) return;
    const reason = error instanceof Error ? error.message : String(error);
    const limit = formatDuration(this.#options.retryFor * 1000);
    this.#retrying = `no response from the server (${reason}); retrying for up to ${limit}`;
    if (this.#live.isShown) this.#show();
    else this.#context.output.note(this.#retrying);
  }

  #onResponse(status: number): void {
    if (this.#retrying === undefined || status === 429 || status >= 500) return;
    this.#retrying = undefined;
    if (!this.#live.isShown) this.#context.output.note('the server responds again');
  }
}

function noteCells({ note = '', notKept = [] }: Partial<ImportRow> = {}): string[] {
  return [note, formatNotKept(notKept)];
}

function rowOf({ row, created, failure }: RowOutcome, status: RowStatus): object {
  const { line, index, note, notKept } = row;
  if (created) return { status, line, ...created, index, note, notKept };
  return { status, line, index, error: failure.message, code: failure.code };
}

function cellsOf({ row, created, failure }: RowOutcome, status: RowStatus): unknown[] {
  const place = [row.line, row.index, status];
  if (!created) return [...place, '', '', '', '', '', failure.message, failure.code];
  const { id, shortCode, shortUrl, targetUrl, customSlug } = created;
  return [...place, id, shortCode, shortUrl, targetUrl, customSlug, '', ''];
}
