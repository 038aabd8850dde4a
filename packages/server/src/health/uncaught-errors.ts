import type { Logger } from 'pino';
import type { Family } from './exposition.js';

/**
 * Where an error surfaced that no code expected: while a request was handled, in a callback that
 * other requests share, or nowhere that could catch it, so that the process itself was told.
 */
export type UncaughtErrorSource = 'request' | 'callback' | 'process';

const sources: readonly UncaughtErrorSource[] = ['request', 'callback', 'process'];
// An error that repeats is logged once in this time, with the number of its repeats.
const logEveryMs = 1_000;
const maxRemembered = 100;

interface Remembered {
  loggedAt: number;
  /** Since the line that was logged last. */
  repeats: number;
}

/** Counts and logs errors that no code expected. Nothing of it throws. */
export class UncaughtErrors {
  readonly #logger: Logger;
  readonly #now: () => number;
  readonly #counts: Record<UncaughtErrorSource, number> = { request: 0, callback: 0, process: 0 };
  readonly #remembered = new Map<string, Remembered>();

  constructor(logger: Logger, now: () => number = () => performance.now()) {
    this.#logger = logger;
    this.#now = now;
  }

  /** Every request has a line of its own, because its caller may ask for it by the request id. */
  noteRequest(err: unknown, requestId: string): void {
    this.#counts.request += 1;
    this.#log({ source: 'request', requestId, err });
  }

  note(source: 'callback' | 'process', err: unknown): void {
    this.#counts[source] += 1;
    const now = this.#now();
    const name = fingerprint(err);
    const known = this.#remembered.get(name);
    if (known && now - known.loggedAt < logEveryMs) {
      known.repeats += 1;
      return;
    }
    this.#log({ source, repeats: known?.repeats ?? 0, err });
    this.#remembered.delete(name);
    if (this.#remembered.size >= maxRemembered) {
      this.#remembered.delete(this.#remembered.keys().next().value as string);
    }
    this.#remembered.set(name, { loggedAt: now, repeats: 0 });
  }

  families(): Family[] {
    return [
      {
        name: 'shorty_uncaught_errors_total',
        type: 'counter',
        help: 'Errors that no code expected, by where they surfaced. Each one is a defect.',
        samples: sources.map((source) => ({ labels: { source }, value: this.#counts[source] })),
      },
    ];
  }

  #log(fields: Readonly<Record<string, unknown>>): void {
    try {
      this.#logger.error(fields, 'uncaught error');
    } catch {
      // The log itself fails, on a full disk for example. The count has been made, and a throw here
      // would come back as the next uncaught error.
    }
  }
}

/** The same for each throw of the same line of code, whatever foreign text the message quotes. */
function fingerprint(err: unknown): string {
  if (!(err instanceof Error)) return typeof err;
  const frames = err.stack?.split('\n').filter((line) => line.startsWith('    at ')) ?? [];
  return [err.name, ...frames.slice(0, 3)].join('\n');
}
