import { type ExitCode, exitCodes } from '../exit-codes.js';
import { formatCount, formatDuration, formatNumber } from '../format.js';

export interface RowError {
  readonly line: number;
  readonly index: number;
  readonly error: string;
  readonly code: string;
}

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

export const maxListedErrors = 100;

export function formatSummary(summary: ImportSummary): string {
  const { rows, created, failed, skipped, rowsBefore, durationMs } = summary;
  const rate = Math.round(((rows - rowsBefore) / Math.max(durationMs, 1)) * 1000);
  const before = rowsBefore > 0 ? `, ${formatNumber(rowsBefore)} of them earlier` : '';
  return (
    `${formatCount(rows, 'row')}${before}: ${formatNumber(created)} created, ` +
    `${skipped > 0 ? `${formatNumber(skipped)} skipped, ` : ''}${formatNumber(failed)} failed in ${formatDuration(durationMs)} (${formatNumber(rate)} rows/s)`
  );
}

export function importExitCode({
  created,
  skipped,
  failed,
  isQuotaReached,
}: ImportSummary): ExitCode {
  if (failed === 0 && !isQuotaReached) return exitCodes.done;
  return created + skipped > 0 ? exitCodes.partlyDone : exitCodes.failed;
}
