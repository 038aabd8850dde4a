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

export type PeriodicService = ReturnType<typeof periodicService>;

/** Calls `tick` repeatedly, each time `everyMs` after the previous call has ended. */
export function periodicService(work: PeriodicWork) {
  const { everyMs, idleEveryMs = everyMs } = work;
  const throttle = errorThrottle((error) => work.onError(error));
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let isIdle = false;
  let isWoken = false;
  /** Undefined while the service is stopped. */
  let stopping: AbortController | undefined;

  function schedule(signal: AbortSignal): void {
    const begin = () => {
      running = run(signal);
    };
    timer = setTimeout(begin, isIdle && !isWoken ? idleEveryMs : everyMs).unref();
  }

  async function run(signal: AbortSignal): Promise<void> {
    isWoken = false;
    isIdle = false;
    try {
      isIdle = (await work.tick(signal)) === false;
      throttle.reset();
    } catch (error) {
      throttle.report(error);
    } finally {
      // In `finally`, because `onError` may throw.
      if (!signal.aborted) schedule(signal);
    }
  }

  return {
    start(): void {
      if (stopping) return;
      stopping = new AbortController();
      schedule(stopping.signal);
    },
    async stop(): Promise<void> {
      stopping?.abort();
      stopping = undefined;
      clearTimeout(timer);
      await running;
    },
    /** There may be something to do: the next tick is at most `everyMs` away. */
    wake(): void {
      // A second call must not postpone the tick of the first.
      if (isWoken) return;
      isWoken = true;
      if (!isIdle || !stopping) return;
      clearTimeout(timer);
      schedule(stopping.signal);
    },
  };
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
  if (errors.length > 0) throw joinErrors('some services did not stop cleanly', errors);
}

/** Returns one error with the messages of several, which threads and the terminal would drop. */
export function joinErrors(what: string, errors: readonly unknown[]): AggregateError {
  const reasons = errors.map((error) => (error instanceof Error ? error.message : String(error)));
  return new AggregateError(errors, `${what}: ${reasons.join('; ')}`);
}

/**
 * Passes an error on once until it clears: further errors with the same message are dropped. An error
 * with another message is passed on.
 */
export function errorThrottle(onError: (error: unknown) => void) {
  let lastMessage: string | undefined;
  return {
    report(error: unknown): void {
      const message = error instanceof Error ? error.message : String(error);
      if (message === lastMessage) return;
      lastMessage = message;
      onError(error);
    },
    /** Records a success. The next error is reported, even with the same message. */
    reset(): void {
      lastMessage = undefined;
    },
  };
}
