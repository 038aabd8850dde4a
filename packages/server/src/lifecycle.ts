/** A background task of the server. Importing its module does not start it. */
export interface Service {
  start(): void;
  /** Stops the task. Resolves when its work in progress has ended. May be called twice. */
  stop(): Promise<void>;
}

export interface PeriodicWork {
  readonly everyMs: number;
  /** The pause after a tick that resolved to false: nothing was to be done. `wake` ends it. */
  readonly idleEveryMs?: number;
  /** Does the work. The signal aborts when the service stops. */
  tick(signal: AbortSignal): Promise<unknown>;
  /** Called for the first of consecutive errors with the same message. */
  onError(error: unknown): void;
}

/** Calls `tick` repeatedly, each time `everyMs` after the previous call has ended. */
export class PeriodicService implements Service {
  readonly #work: PeriodicWork;
  readonly #throttle: ErrorThrottle;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #isIdle = false;
  #isWoken = false;
  /** Undefined while the service is stopped. */
  #stopping: AbortController | undefined;

  constructor(work: PeriodicWork) {
    this.#work = work;
    this.#throttle = new ErrorThrottle((error) => work.onError(error));
  }

  start(): void {
    if (this.#stopping) return;
    this.#stopping = new AbortController();
    this.#schedule(this.#stopping.signal);
  }

  async stop(): Promise<void> {
    this.#stopping?.abort();
    this.#stopping = undefined;
    clearTimeout(this.#timer);
    await this.#running;
  }

  /** There may be something to do: the next tick is at most `everyMs` away. */
  wake(): void {
    // A second call must not postpone the tick of the first.
    if (this.#isWoken) return;
    this.#isWoken = true;
    if (!this.#isIdle || !this.#stopping) return;
    clearTimeout(this.#timer);
    this.#schedule(this.#stopping.signal);
  }

  #schedule(signal: AbortSignal): void {
    const { everyMs, idleEveryMs = everyMs } = this.#work;
    const pauseMs = this.#isIdle && !this.#isWoken ? idleEveryMs : everyMs;
    const run = () => {
      this.#running = this.#run(signal);
    };
    this.#timer = setTimeout(run, pauseMs).unref();
  }

  async #run(signal: AbortSignal): Promise<void> {
    this.#isWoken = false;
    this.#isIdle = false;
    try {
      this.#isIdle = (await this.#work.tick(signal)) === false;
      this.#throttle.reset();
    } catch (error) {
      this.#throttle.report(error);
    } finally {
      // In `finally`, because `onError` may throw.
      if (!signal.aborted) this.#schedule(signal);
    }
  }
}

/**
 * Stops the services in reverse order, all of them even if some fail. Throws an AggregateError of the
 * failures at the end.
 */
export async function stopAll(services: readonly Service[]): Promise<void> {
  const errors: unknown[] = [];
  for (const service of [...services].reverse()) {
    await service.stop().catch((error: unknown) => errors.push(error));
  }
  if (errors.length > 0) throw new AggregateError(errors, 'some services did not stop cleanly');
}

/**
 * Passes an error on once until it clears: further errors with the same message are dropped. An error
 * with another message is passed on.
 */
export class ErrorThrottle {
  readonly #onError: (error: unknown) => void;
  #lastMessage: string | undefined;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  report(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    if (message === this.#lastMessage) return;
    this.#lastMessage = message;
    this.#onError(error);
  }

  /** Records a success. The next error is reported, even with the same message. */
  reset(): void {
    this.#lastMessage = undefined;
  }
}
