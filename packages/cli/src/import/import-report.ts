import {
  errorColumn,
  type ImportRow,
  type NotKept,
  type RowResult,
  withReason,
} from '@shorty/import';
import { formatCount, formatDuration, formatNumber } from '@shorty/report';
import type { ClientOptions } from '@shorty/sdk';
import { type ExitCode, exitCodeOf } from '../cli-error.js';
import type { Context } from '../context.js';
import { type Column, columnsOf, csvHeader, formatCsvCells } from '../format-rows.js';
import type { LiveView } from '../ui/live-view.js';
import { OutputFile } from './output-file.js';
import type { CsvFlags, PreparedImport } from './prepare-import.js';
import type { ChunkCounts, FileSizes, ProgressFile } from './progress-file.js';
import { RowReport } from './row-report.js';
import type { CreatedUrl } from './send-chunks.js';

/** What became of a row, in the output for programs. */
export interface RowOutcome
  extends Pick<ImportRow, 'line' | 'index' | 'note' | 'notKept'>,
    Partial<Omit<CreatedUrl, 'index'>> {
  /**
   * `postponed`: the plan's quota refused it, and the next run sends it again. `skipped`: its slug exists,
   * and the import skips such rows.
   */
  readonly status: 'created' | 'skipped' | 'postponed' | 'failed';
  readonly error?: string;
  readonly code?: string;
}

const rowColumns = columnsOf<RowOutcome>(
  ...(['line', 'index', 'status', 'id', 'shortCode', 'shortUrl', 'targetUrl'] as const),
  ...(['customSlug', 'error', 'code'] as const),
);
const noteColumns: readonly Column<RowOutcome>[] = [
  ...columnsOf<RowOutcome>('note'),
  { name: 'notKept', value: ({ notKept }) => formatNotKept(notKept) },
];
const barWidth = 30;
const maxListedErrors = 100;

export interface ImportOptions extends CsvFlags {
  readonly dryRun?: boolean;
  readonly concurrency: number;
  /** True for --resume, false for --no-resume. */
  readonly resume?: boolean;
  readonly resend?: boolean;
  readonly out?: string;
  readonly failedOut?: string;
  readonly skipExisting?: boolean;
}

/** Reports an import or its dry run: a summary on stdout, errors and progress on stderr, rows in files. */
export class ImportReport {
  /** The columns of the rows as CSV. */
  readonly columns: readonly Column<RowOutcome>[];
  /** `rowsBefore`: rows completed before this run. */
  readonly counts = { rows: 0, created: 0, failed: 0, skipped: 0, rowsBefore: 0 };
  /** Rows that may have arrived in an earlier run. Only --resend sends them again. */
  uncertain = 0;
  /** Why the plan's quota stopped the import. The next run continues. */
  quota: string | undefined;
  readonly #outColumns: readonly Column<RowOutcome>[];
  readonly #out: OutputFile | undefined;
  /** Rows of the input file, with their reasons. */
  readonly #failedOut: OutputFile | undefined;
  readonly #failures: RowReport;
  /** Links that differ from their rows. */
  readonly #notes: RowReport;
  /** The first failures. */
  readonly #errors: object[] = [];
  /** What becomes of the links of another shortener. */
  readonly #moved = {
    ...{ keptCodes: 0, newCodes: 0, importedClicks: 0, paused: 0 },
    /** Links by their old hosts. */
    hosts: new Map<string, number>(),
    /** Links by the settings that they lack. */
    notKept: new Map<string, number>(),
  };
  readonly #startedAt: number;
  #taken = 0;
  /** What the live view says of a request without a response. */
  #retrying: string | undefined;

  /** A dry run has a progress file only with `failedOut`. */
  constructor(
    private readonly context: Context,
    private readonly prepared: PreparedImport,
    private readonly options: ImportOptions,
    progress: ProgressFile | undefined,
    private readonly live: LiveView,
  ) {
    const { io, output } = context;
    this.columns = prepared.plan.source ? [...rowColumns, ...noteColumns] : rowColumns;
    const ofFailures = ['status', 'error', 'code'];
    this.#outColumns = this.columns.filter(({ name }) => !ofFailures.includes(name));
    const names = this.#outColumns.map(({ name }) => name);
    const title = csvHeader(names, output.byteOrderMark).trimEnd();
    const { dryRun, out, failedOut } = options;
    if (progress && !dryRun && out !== undefined) {
      this.#out = new OutputFile(out, { title }, prepared, progress);
    }
    if (progress && failedOut !== undefined) {
      const { file, header, delimiter, lineEnd } = prepared;
      const mark = file.hasByteOrderMark ? '\ufeff' : '';
      const title = mark + withReason(header.raw, errorColumn, delimiter);
      const format = { title, lineEnd, isDryRun: dryRun };
      this.#failedOut = new OutputFile(failedOut, format, prepared, progress);
    }
    this.#failures = new RowReport(context);
    this.#notes = new RowReport(context);
    this.#startedAt = io.now();
    this.#show();
  }

  /** The sizes of the files with all rows so far. */
  get sizes(): FileSizes {
    return { ...this.#out?.sizes, ...this.#failedOut?.sizes };
  }

  /** Counts the rows of a chunk that earlier runs have sent. */
  addEarlier(responses: readonly ChunkCounts[]): void {
    for (const counts of responses) {
      this.#count(counts);
      this.counts.rowsBefore += counts.created + counts.failed + counts.skipped;
    }
    this.#show();
  }

  /** Reports the rows of a chunk, and returns what became of them. */
  add(rows: readonly RowResult<Partial<CreatedUrl>>[]) {
    this.#retrying = undefined;
    const counts = { created: 0, failed: 0, skipped: 0 };
    const postponed: number[] = [];
    const outcomes = rows.map(({ row, created, failure }): RowOutcome => {
      const { line, index, note, notKept } = row;
      if (!failure) {
        counts.created++;
        this.#addLink(row);
        const outcome = { ...created, status: 'created', line, index, note, notKept } as const;
        this.#out?.add(formatCsvCells(this.#outColumns.map(({ value }) => value(outcome))));
        return outcome;
      }
      const { message: error, code } = failure;
      const isSkipped = code === 'SLUG_CONFLICT' && this.options.skipExisting === true;
      const status = code === 'QUOTA_EXCEEDED' ? 'postponed' : isSkipped ? 'skipped' : 'failed';
      if (status === 'postponed') {
        postponed.push(index);
        this.quota = error;
      } else counts[status]++;
      if (status === 'failed') {
        if (code === 'SLUG_CONFLICT') this.#taken++;
        this.#failures.add(line, error, code);
        if (this.#errors.length < maxListedErrors) this.#errors.push({ line, index, error, code });
        this.#failedOut?.add(withReason(row.raw, error, this.prepared.delimiter));
      }
      return { status, line, index, error, code };
    });
    this.#out?.flush();
    this.#failedOut?.flush();
    this.#count(counts);
    this.#show();
    return { counts: { ...counts, postponed }, outcomes };
  }

  /** Removes the progress from the terminal, prints the failures, and closes the files. */
  end(): void {
    this.live.close();
    this.#failures.finish(this.options.failedOut);
    this.#notes.finish(this.options.out);
    this.#out?.close();
    this.#failedOut?.close();
  }

  async summarise(): Promise<ExitCode> {
    this.end();
    const { output, io } = this.context;
    const { dryRun, out = null, failedOut = null } = this.options;
    const { rows, created, failed, skipped, rowsBefore } = this.counts;
    const { source } = this.prepared.plan;
    const { paused, hosts, notKept, ...codes } = this.#moved;
    const domains = [...hosts].map(([host, links]) => ({ host: host || null, links }));
    const record = {
      ...(source && { ...codes, domains, paused, notKept: Object.fromEntries(notKept) }),
      errors: this.#errors,
    };
    const lines = this.#movedLines();
    if (dryRun) {
      const counts = `${formatNumber(created)} valid, ${formatNumber(failed)} invalid`;
      const done = `nothing was ${source ? 'created' : 'sent'}`;
      const text = [`${formatCount(rows, 'row')} checked: ${counts}; ${done}`, ...lines].join('\n');
      if (output.format === 'table') await output.message(text);
      else await output.record({ dryRun, rows, fine: created, bad: failed, ...record });
      return exitCodeOf(created, failed);
    }
    const durationMs = io.now() - this.#startedAt;
    const { quota, uncertain } = this;
    const rate = Math.round(((rows - rowsBefore) / Math.max(durationMs, 1)) * 1000);
    const before = rowsBefore > 0 ? `, ${formatNumber(rowsBefore)} of them earlier` : '';
    const others = skipped > 0 ? `${formatNumber(skipped)} skipped, ` : '';
    await output.summary(
      `${formatCount(rows, 'row')}${before}: ${formatNumber(created)} created, ${others}${formatNumber(failed)} failed in ${formatDuration(durationMs)} (${formatNumber(rate)} rows/s)`,
      {
        ...{ rows, created, failed, skipped, isQuotaReached: quota !== undefined, rowsBefore },
        ...{ uncertain, durationMs, out, failedOut, ...record },
      },
    );
    for (const line of lines) output.note(line);
    if (this.#taken > 0) {
      output.note(
        `taken: the code of ${formatCount(this.#taken, 'row')} exists already; --skip-existing skips such rows, and urls restore makes deleted links active again`,
      );
    }
    if (rows > 0 && rowsBefore === this.prepared.total) {
      output.note('an earlier run has imported this file; --no-resume imports it again');
    }
    if (uncertain > 0) {
      output.warn(
        `shorty: ${formatCount(uncertain, 'row')} may have arrived more than a day ago: look for their links; --resend sends the rows, even if this creates links twice`,
      );
    }
    if (quota !== undefined) {
      output.warn(
        `shorty: ${quota}; change the plan or delete links, then run the same command again to create only the missing rows`,
      );
    }
    return exitCodeOf(created + skipped, failed + uncertain + (quota === undefined ? 0 : 1));
  }

  /** Tells about the first retry of a request after a response. */
  tellRetry(note: string): void {
    if (this.#retrying === undefined && !this.live.isShown) this.context.output.note(note);
    this.#retrying = note;
    this.#show();
  }

  #addLink({ line, item, host = '', note, notKept = [] }: ImportRow): void {
    const moved = this.#moved;
    if (note !== undefined) {
      moved.paused++;
      this.#notes.add(line, note, 'PAUSED');
    }
    if (notKept.length > 0) this.#notes.add(line, formatNotKept(notKept), 'NOT_KEPT');
    for (const setting of new Set(notKept.map((each) => each.setting))) {
      moved.notKept.set(setting, (moved.notKept.get(setting) ?? 0) + 1);
    }
    moved[item?.importedCode === undefined ? 'newCodes' : 'keptCodes']++;
    moved.importedClicks += Number(item?.importedClicks ?? 0);
    moved.hosts.set(host, (moved.hosts.get(host) ?? 0) + 1);
  }

  /** Returns what people read of the links of another shortener. A dry run says more. */
  #movedLines(): string[] {
    const { keptCodes, newCodes, importedClicks, paused, hosts, notKept } = this.#moved;
    const lines: string[] = [];
    if (this.prepared.plan.source && this.options.dryRun) {
      lines.push(
        `${formatCount(keptCodes, 'code')} retained, ${formatCount(newCodes, 'new short code')}, ${formatCount(importedClicks, 'imported click')}`,
      );
      for (const [host, count] of hosts) {
        const where = host === '' ? 'without a domain in the file' : `of ${host}`;
        lines.push(`${formatCount(count, 'link')} ${where}`);
      }
    }
    if (paused > 0) {
      lines.push(
        `paused: ${formatCount(paused, 'link')} with an expiry that has passed, a limit of clicks that is used up, or a password that the file does not contain`,
      );
    }
    const lost = [...notKept].map(([name, count]) => `${name} of ${formatCount(count, 'link')}`);
    if (lost.length > 0) lines.push(`not kept: ${lost.join(', ')}`);
    return lines;
  }

  #count({ created, failed, skipped }: Omit<ChunkCounts, 'postponed'>): void {
    this.counts.created += created;
    this.counts.failed += failed;
    this.counts.skipped += skipped;
    this.counts.rows += created + failed + skipped;
  }

  #show(): void {
    const { rows, failed, rowsBefore } = this.counts;
    const { total } = this.prepared;
    const elapsedMs = this.context.io.now() - this.#startedAt;
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
    this.live.show([parts.join('  '), ...(this.#retrying ? [this.#retrying] : [])]);
  }
}

/** Returns `rewrite: Shorty has no …; folderId: …`. */
function formatNotKept(notKept: readonly NotKept[] = []): string {
  return notKept.map(({ setting, reason }) => `${setting}: ${reason}`).join('; ');
}

const retryForMs = 600_000;
/** The longest Retry-After that a bulk change waits for. A rate limit lasts up to a minute. */
export const maxRetryDelayMs = 65_000;

/** Returns options of a client that waits for a server that is busy or restarts, and tells so. */
export function patience(tell: (note: string) => void): ClientOptions {
  const onRetry = ({ attempt, error }: { readonly attempt: number; readonly error: unknown }) => {
    if (attempt > 1) return;
    const reason = error instanceof Error ? error.message : String(error);
    const limit = formatDuration(retryForMs);
    tell(`no response from the server (${reason}); retrying for up to ${limit}`);
  };
  const maxRetries = Number.POSITIVE_INFINITY;
  return { deadlineMs: retryForMs, maxRetries, maxRetryDelayMs, hooks: { onRetry } };
}
