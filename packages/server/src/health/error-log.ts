import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { QueueFullError } from '../fair-queue.js';
import { toApiError, unavailableErrors } from '../http/error-response.js';

const logEveryMs = 10_000;
const maxThrottledKeys = 100;

export type ErrorLog = ReturnType<typeof createErrorLog>;

/** Counts and logs unexpected errors and responses with 503. No function throws. */
export function createErrorLog(logger: Logger, now = () => performance.now()) {
  const lastLines = new LRUCache<string, { readonly loggedAt: number; repeats: number }>({
    max: maxThrottledKeys,
  });
  const uncaught = { request: 0, callback: 0, process: 0 };
  const unavailable = new Map(unavailableErrors.map(({ name }) => [name, 0]));

  /** Logs an event with the number of its repeats since the last line: one line per key and interval. */
  function throttle(key: string, log: (repeats: number) => void): void {
    const last = lastLines.get(key);
    if (last && now() - last.loggedAt < logEveryMs) {
      last.repeats += 1;
      return;
    }
    lastLines.set(key, { loggedAt: now(), repeats: 0 });
    log(last?.repeats ?? 0);
  }

  function write(level: 'warn' | 'error', fields: object, event: string): void {
    try {
      logger[level](fields, event);
    } catch {
      // The log cannot be written, for example on a full disk. A throw here would be the next
      // uncaught error.
    }
  }

  return {
    /**
     * Unexpected errors by where they were caught: in the handler of a request, in a callback that
     * several requests share, or as an `uncaughtException` of the process.
     */
    uncaught,
    unavailable: unavailable as ReadonlyMap<string, number>,

    /**
     * Counts and logs the error of a request; ignores 4xx errors. Each unexpected error is logged with
     * its stack, because users report request ids. Overload and outages are logged at most once in 10 s
     * for each error and queue. A refused request must cost less than a served one.
     */
    noteRequest(err: unknown, requestId: string): void {
      const { code, status } = toApiError(err);
      if (status < 500) return;
      if (code !== 'UNAVAILABLE') {
        uncaught.request += 1;
        write('error', { source: 'request', requestId, err }, 'uncaught error');
        return;
      }
      const { name: error, message: reason } = err as Error;
      unavailable.set(error, (unavailable.get(error) ?? 0) + 1);
      const queue = err instanceof QueueFullError ? err.queue : undefined;
      throttle(`${error} ${queue}`, (repeats) =>
        write('warn', { requestId, error, queue, reason, repeats }, 'request refused'),
      );
    },

    /** Counts an error of another source, and logs it at most once in 10 s for each place in the code. */
    note(source: 'callback' | 'process', err: unknown): void {
      uncaught[source] += 1;
      throttle(fingerprint(err), (repeats) =>
        write('error', { source, repeats, err }, 'uncaught error'),
      );
    },
  };
}

/** Returns a key for the place in the code that threw. Messages are excluded, because they quote input. */
function fingerprint(err: unknown): string {
  if (!(err instanceof Error)) return typeof err;
  const frames = err.stack?.split('\n').filter((line) => line.startsWith('    at ')) ?? [];
  return [err.name, ...frames.slice(0, 3)].join('\n');
}
