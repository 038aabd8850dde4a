import type { Logger } from 'pino';
import { LogThrottle } from './log-throttle.js';

/**
 * Where an unexpected error was caught: in the handler of a request, in a callback that several
 * requests share, or as an `uncaughtException` of the process.
 */
export type UncaughtErrorSource = 'request' | 'callback' | 'process';

const logEveryMs = 1_000;

/** Counts and logs unexpected errors. No method throws. */
export class UncaughtErrors {
  readonly #logger: Logger;
  readonly #throttle: LogThrottle;
  readonly #counts: Record<UncaughtErrorSource, number> = { request: 0, callback: 0, process: 0 };

  constructor(logger: Logger, now: () => number = () => performance.now()) {
    this.#logger = logger;
    this.#throttle = new LogThrottle(logEveryMs, now);
  }

  get counts(): Readonly<Record<UncaughtErrorSource, number>> {
    return this.#counts;
  }

  /** Counts and logs the error of a request. Each one is logged, because users report request ids. */
  noteRequest(err: unknown, requestId: string): void {
    this.#counts.request += 1;
    this.#log({ source: 'request', requestId, err });
  }

  /** Counts an error of another source, and logs it at most once a second for each place in the code. */
  note(source: 'callback' | 'process', err: unknown): void {
    this.#counts[source] += 1;
    this.#throttle.note(fingerprint(err), (repeats) => this.#log({ source, repeats, err }));
  }

  #log(fields: Readonly<Record<string, unknown>>): void {
    try {
      this.#logger.error(fields, 'uncaught error');
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
