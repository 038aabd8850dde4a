import type { Logger } from 'pino';
import { QueueFullError } from '../fair-queue.js';
import { toApiError, unavailableErrors } from '../http/error-response.js';
import { LogThrottle } from './log-throttle.js';
import type { UncaughtErrors } from './uncaught-errors.js';

const logEveryMs = 10_000;

/**
 * Logs and counts requests that fail with 5xx. Each unexpected error is logged with its stack. Overload
 * and outages are logged at most once in 10 s for each error and queue, because a refused request must
 * cost less than a served one.
 */
export class RequestErrors {
  readonly #logger: Logger;
  readonly #uncaughtErrors: UncaughtErrors;
  readonly #throttle: LogThrottle;
  readonly #unavailable = new Map(unavailableErrors.map(({ name }) => [name, 0]));

  constructor(
    logger: Logger,
    uncaughtErrors: UncaughtErrors,
    now: () => number = () => performance.now(),
  ) {
    this.#logger = logger;
    this.#uncaughtErrors = uncaughtErrors;
    this.#throttle = new LogThrottle(logEveryMs, now);
  }

  /** The number of responses with 503 for each error class. */
  get unavailable(): ReadonlyMap<string, number> {
    return this.#unavailable;
  }

  /** Logs and counts the error of a request; ignores 4xx errors. Never throws. */
  note(error: unknown, requestId: string): void {
    const { code, status } = toApiError(error);
    if (status < 500) return;
    if (code === 'UNAVAILABLE') this.#noteUnavailable(error as Error, requestId);
    else this.#uncaughtErrors.noteRequest(error, requestId);
  }

  #noteUnavailable(error: Error, requestId: string): void {
    const { name, message } = error;
    this.#unavailable.set(name, (this.#unavailable.get(name) ?? 0) + 1);
    const queue = error instanceof QueueFullError ? error.queue : undefined;
    this.#throttle.note(`${name} ${queue}`, (repeats) => {
      try {
        this.#logger.warn(
          { requestId, error: name, queue, reason: message, repeats },
          'request refused',
        );
      } catch {
        // The log cannot be written, for example on a full disk. The response is sent anyway.
      }
    });
  }
}
