import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { QueueFullError } from '../fair-queue.js';
import { toApiError, unavailableErrors } from '../http/error-response.js';

const logEveryMs = 10_000;
const maxThrottledKeys = 100;

/** Counts and logs unexpected errors and responses with 503. No method throws. */
export class ErrorLog {
  readonly #logger: Logger;
  readonly #now: () => number;
  readonly #lastLines = new LRUCache<string, { readonly loggedAt: number; repeats: number }>({
    max: maxThrottledKeys,
  });
  /**
   * Unexpected errors by where they were caught: in the handler of a request, in a callback that
   * several requests share, or as an `uncaughtException` of the process.
   */
  readonly uncaught = { request: 0, callback: 0, process: 0 };
  readonly unavailable = new Map(unavailableErrors.map(({ name }) => [name, 0]));

  constructor(logger: Logger, now: () => number = () => performance.now()) {
    this.#logger = logger;
    this.#now = now;
  }

  /**
   * Counts and logs the error of a request; ignores 4xx errors. Each unexpected error is logged with
   * its stack, because users report request ids. Overload and outages are logged at most once in 10 s
   * for each error and queue. A refused request must cost less than a served one.
   */
  noteRequest(error: unknown, requestId: string): void {
    const { code, status } = toApiError(error);
    if (status < 500) return;
    if (code === 'UNAVAILABLE') this.#noteUnavailable(error as Error, requestId);
    else {
      this.uncaught.request += 1;
      this.#write('error', { source: 'request', requestId, err: error }, 'uncaught error');
    }
  }

  /** Counts an error of another source, and logs it at most once in 10 s for each place in the code. */
  note(source: 'callback' | 'process', err: unknown): void {
    this.uncaught[source] += 1;
    this.#throttle(fingerprint(err), (repeats) =>
      this.#write('error', { source, repeats, err }, 'uncaught error'),
    );
  }

  #noteUnavailable(error: Error, requestId: string): void {
    const { name, message } = error;
    this.unavailable.set(name, (this.unavailable.get(name) ?? 0) + 1);
    const queue = error instanceof QueueFullError ? error.queue : undefined;
    this.#throttle(`${name} ${queue}`, (repeats) => {
      const fields = { requestId, error: name, queue, reason: message, repeats };
      this.#write('warn', fields, 'request refused');
    });
  }

  /** Logs an event with the number of its repeats since the last line: one line per key and interval. */
  #throttle(key: string, log: (repeats: number) => void): void {
    const last = this.#lastLines.get(key);
    if (last && this.#now() - last.loggedAt < logEveryMs) {
      last.repeats += 1;
      return;
    }
    this.#lastLines.set(key, { loggedAt: this.#now(), repeats: 0 });
    log(last?.repeats ?? 0);
  }

  #write(level: 'warn' | 'error', fields: Readonly<Record<string, unknown>>, event: string): void {
    try {
      this.#logger[level](fields, event);
    } catch {
      // The log cannot be written, for example on a full disk. A throw here would be the next
      // uncaught error.
    }
  }
}

/** Returns a key for the place in the code that threw. Messages are excluded, because they quote input. */
function fingerprint(err: unknown): string {
  if (!(err instanceof Error)) return typeof err;
  const frames = err.stack?.split('\n').filter((line) => line.startsWith('    at ')) ?? [];
  return [err.name, ...frames.slice(0, 3)].join('\n');
}
