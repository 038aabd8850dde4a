import { Trouble } from './trouble.js';

/** Something that runs beside requests. Nothing starts on import. */
export interface Service {
  readonly name: string;
  start(): void;
  /** Resolves when the service has finished what it was doing. May be called twice. */
  stop(): Promise<void>;
}

export interface PeriodicWork {
  readonly name: string;
  readonly everyMs: number;
  runOnce(): Promise<unknown>;
  /** Told when trouble begins, and again when it becomes another one. */
  onError(error: unknown): void;
}

/** Runs work again and again, the next time `everyMs` after the last has ended. */
export class PeriodicService implements Service {
  readonly name: string;
  readonly #work: PeriodicWork;
  readonly #trouble: Trouble;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #stopped = true;

  constructor(work: PeriodicWork) {
    this.name = work.name;
    this.#work = work;
    this.#trouble = new Trouble((error) => work.onError(error));
  }

  start(): void {
    if (!this.#stopped) return;
    this.#stopped = false;
    this.#schedule();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  #schedule(): void {
    this.#timer = setTimeout(() => {
      this.#running = this.#run();
    }, this.#work.everyMs);
    this.#timer.unref();
  }

  async #run(): Promise<void> {
    try {
      await this.#work.runOnce();
      this.#trouble.hasPassed();
    } catch (error) {
      this.#trouble.note(error);
    } finally {
      // Whatever `onError` itself throws, the work goes on.
      if (!this.#stopped) this.#schedule();
    }
  }
}

/** Stops in the reverse order, each even when one before it failed. */
export async function stopAll(services: readonly Service[]): Promise<void> {
  const faults: unknown[] = [];
  for (const service of [...services].reverse()) {
    try {
      await service.stop();
    } catch (error) {
      faults.push(error);
    }
  }
  if (faults.length > 0) throw new AggregateError(faults, 'some services did not stop cleanly');
}
