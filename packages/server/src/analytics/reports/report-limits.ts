import { totalmem } from 'node:os';
import { yieldToEventLoop } from '../../yield-to-event-loop.js';

/** A report exceeded its time or its memory. The same report of a shorter window may succeed. */
export class ReportTooLargeError extends Error {
  override readonly name = 'ReportTooLargeError';
}

/** The visits that a filter must select were deleted after the retention period. */
export class PrunedVisitsError extends Error {
  override readonly name = 'PrunedVisitsError';
  /** The query parameter of the filter. */
  readonly parameter: string;

  /** `firstPossible` is the first `since` of a window without deleted visits; undefined if none is. */
  constructor(parameter: string, firstPossible: Date | undefined) {
    const orLater = firstPossible && `, or set since to ${firstPossible.toISOString()} or later`;
    super(
      `cannot select visits of days that were reduced to daily sums after the retention period: remove the filter${orLater ?? ''}`,
    );
    this.parameter = parameter;
  }
}

export const reportTimeoutMs = 20_000;
// Nobody waits for it. Without its counts, each overview of the organization counts all visits.
export const refreshTimeoutMs = 60_000;

/** The memory for the keys of visitors of all reports that run at once: a quarter of the machine's. */
export const maxKeyBytes = Math.min(totalmem(), process.constrainedMemory() || totalmem()) / 4;

const sliceMs = 5;

/** Divides a report into slices, between which other reports run, and limits the sum of their time. */
export class ReportClock {
  readonly #timeoutMs: number;
  #usedMs = 0;
  #sliceStartedAt = performance.now();

  constructor(timeoutMs = reportTimeoutMs) {
    this.#timeoutMs = timeoutMs;
  }

  /** Waits for the work of another report, without counting its time. */
  async waitFor(work: Promise<unknown>): Promise<void> {
    this.#usedMs += performance.now() - this.#sliceStartedAt;
    await work;
    this.#sliceStartedAt = performance.now();
  }

  /** Ends the slice when it is long enough. Throws a ReportTooLargeError after the report's time. */
  async pause(): Promise<void> {
    const tookMs = performance.now() - this.#sliceStartedAt;
    if (tookMs < sliceMs) return;
    this.#usedMs += tookMs;
    if (this.#usedMs > this.#timeoutMs) {
      throw new ReportTooLargeError(
        `The report took more than ${this.#timeoutMs} ms; choose a shorter window`,
      );
    }
    await yieldToEventLoop();
    this.#sliceStartedAt = performance.now();
  }
}
