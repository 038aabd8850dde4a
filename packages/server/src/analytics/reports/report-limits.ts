import { totalmem } from 'node:os';
import { yieldToEventLoop } from '../../yield-to-event-loop.js';

/** A report exceeded its time or its memory. The same report of a shorter window may succeed. */
export class ReportTooLargeError extends Error {
  override readonly name = 'ReportTooLargeError';
}

export const reportTimeoutMs = 20_000;

// The keys of a visitor and an address, copied while their space grows or into another order.
const bytesPerVisit = 72;

/**
 * Bounds the memory for the keys of visitors of all reports that run at once, which is outside of V8's
 * heap: to a quarter of the machine's.
 */
export class VisitMemory {
  readonly #maxBytes: number;
  #usedBytes = 0;

  constructor(maxBytes = Math.min(totalmem(), process.constrainedMemory() || totalmem()) / 4) {
    this.#maxBytes = maxBytes;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** Begins a report. The caller must call `release` at its end. */
  open() {
    let reserved = 0;
    return {
      /** Throws a ReportTooLargeError if the visits of all reports would exceed the limit. */
      reserve: (visits: number): void => {
        const bytes = visits * bytesPerVisit;
        if (this.#usedBytes + bytes > this.#maxBytes) {
          throw new ReportTooLargeError(
            'The report needs more memory for its visitors than is free; choose a shorter window, or try again later',
          );
        }
        this.#usedBytes += bytes;
        reserved += bytes;
      },
      release: (): void => {
        this.#usedBytes -= reserved;
      },
    };
  }
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
