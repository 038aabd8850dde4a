import type { Logger } from 'pino';
import { yieldToEventLoop } from '../yield-to-event-loop.js';
import {
  type Thread,
  type ThreadCode,
  type ThreadFigures,
  type ThreadMethods,
  ThreadStoppedError,
} from './thread.js';

export interface InlineThreadOptions<Methods extends ThreadMethods> {
  readonly name: string;
  readonly start: () => ThreadCode<Methods>;
  readonly logger: Logger;
}

/**
 * Runs a thread's code in the calling thread, for servers in memory and inside other programs. It has
 * no time limits, because nothing can interrupt the calling thread.
 */
export class InlineThread<Methods extends ThreadMethods> implements Thread<Methods> {
  readonly name: string;
  readonly #options: InlineThreadOptions<Methods>;
  readonly #inFlight = new Set<Promise<unknown>>();
  #code: ThreadCode<Methods> | undefined;
  #stopping: Promise<void> | undefined;
  #uncaughtErrors = 0;

  constructor(options: InlineThreadOptions<Methods>) {
    this.name = options.name;
    this.#options = options;
  }

  get figures(): ThreadFigures {
    return {
      failures: 0,
      timeouts: 0,
      uncaughtErrors: this.#uncaughtErrors,
      callsInFlight: this.#inFlight.size,
    };
  }

  start(): void {
    if (!this.#stopping) this.#code ??= this.#options.start();
  }

  call<Name extends keyof Methods & string>(
    name: Name,
    ...args: Parameters<Methods[Name]>
  ): Promise<Awaited<ReturnType<Methods[Name]>>> {
    if (this.#stopping) {
      return Promise.reject(new ThreadStoppedError(`thread ${this.name}: was stopped`));
    }
    const outcome = this.#run(name, args);
    this.#inFlight.add(outcome);
    return outcome.finally(() => this.#inFlight.delete(outcome));
  }

  send<Name extends keyof Methods & string>(name: Name, ...args: Parameters<Methods[Name]>): void {
    if (!this.#code || this.#stopping) return;
    this.call(name, ...args).catch((err: unknown) => {
      this.#uncaughtErrors += 1;
      this.#options.logger.error({ err, thread: this.name, method: name }, 'thread method failed');
    });
  }

  stop(): Promise<void> {
    this.#stopping ??= (async () => {
      await Promise.allSettled(this.#inFlight);
      await this.#code?.stop?.();
    })();
    return this.#stopping;
  }

  /** Does nothing: there is no worker. */
  async terminate(): Promise<boolean> {
    return true;
  }

  async #run<Name extends keyof Methods & string>(
    name: Name,
    args: Parameters<Methods[Name]>,
  ): Promise<Awaited<ReturnType<Methods[Name]>>> {
    // Many consecutive calls must not block the event loop.
    await yieldToEventLoop();
    this.#code ??= this.#options.start();
    return (await this.#code.methods[name]?.(...args)) as Awaited<ReturnType<Methods[Name]>>;
  }
}
