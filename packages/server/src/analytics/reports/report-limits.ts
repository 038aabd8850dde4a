import { totalmem } from 'node:os';
import { yieldToEventLoop } from '../../yield-to-event-loop.js';

/** A report exceeded its time or its memory. The same report of a shorter window may succeed. */
export class ReportTooLargeError extends Error {
  override readonly name = 'ReportTooLargeError';
}

export const reportTimeoutMs = 20_000;

// The keys of a visitor and an address, a bucket, and the hash tables of a very large partition.
const bytesPerVisit = 40;

/** An eighth of the machine's memory. Four reports may run at once. */
export const defaultMaxBytes = Math.min(totalmem(), process.constrainedMemory() || totalmem()) / 8;

/** Throws a ReportTooLargeError if the keys of visitors, which are outside of V8's heap, need too much memory. */
export function checkMemory(visits: number, maxBytes: number): void {
  if (visits * bytesPerVisit <= maxBytes) return;
  throw new ReportTooLargeError(
    'The report needs too much memory for its visitors; choose a shorter window',
  );
}

const sliceMs = 5;

/** Divides a report into slices, between which other reports run, and limits the sum of their time. */
export class ReportClock {
  readonly #timeoutMs: number;
  #usedMs = 0;
  #sliceStartedAt = performance.now();

  constructor(timeoutMs = reportTimeoutMs) {
    this.#timeoutMs = timeoutMs;
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
