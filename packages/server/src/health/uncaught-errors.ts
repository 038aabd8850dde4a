import type { Logger } from 'pino';

/**
 * Where an unexpected error surfaced: in the handler of a request, in a callback that several
 * requests share, or as an `uncaughtException` of the process.
 */
export type UncaughtErrorSource = 'request' | 'callback' | 'process';

// An error that repeats is logged once in this time, with the number of repeats.
const logEveryMs = 1_000;
const maxLoggedErrors = 100;

interface LoggedError {
  loggedAt: number;
  /** Since it was last logged. */
  repeats: number;
}

/** Counts and logs unexpected errors. No method throws. */
export class UncaughtErrors {
  readonly #logger: Logger;
  readonly #now: () => number;
  readonly #counts: Record<UncaughtErrorSource, number> = { request: 0, callback: 0, process: 0 };
  readonly #logged = new Map<string, LoggedError>();

  constructor(logger: Logger, now: () => number = () => performance.now()) {
    this.#logger = logger;
    this.#now = now;
  }

  get counts(): Readonly<Record<UncaughtErrorSource, number>> {
    return this.#counts;
  }

  /** Logs a line for every request, because users report problems by request id. */
  noteRequest(err: unknown, requestId: string): void {
    this.#counts.request += 1;
    this.#log({ source: 'request', requestId, err });
  }

  note(source: 'callback' | 'process', err: unknown): void {
    this.#counts[source] += 1;
    const now = this.#now();
    const name = fingerprint(err);
    const known = this.#logged.get(name);
    if (known && now - known.loggedAt < logEveryMs) {
      known.repeats += 1;
      return;
    }
    this.#log({ source, repeats: known?.repeats ?? 0, err });
    this.#logged.delete(name);
    if (this.#logged.size >= maxLoggedErrors) {
      this.#logged.delete(this.#logged.keys().next().value as string);
    }
    this.#logged.set(name, { loggedAt: now, repeats: 0 });
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

/** Identifies the line of code that threw. Messages are ignored, because they quote input. */
function fingerprint(err: unknown): string {
  if (!(err instanceof Error)) return typeof err;
  const frames = err.stack?.split('\n').filter((line) => line.startsWith('    at ')) ?? [];
  return [err.name, ...frames.slice(0, 3)].join('\n');
}
