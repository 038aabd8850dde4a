import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import { type Call, CallQueue, maxLostWorkers } from './call-queue.js';
import { decodeError } from './error-transfer.js';
import type { ThreadMessage, WorkerMessage, WorkerStart } from './messages.js';
import {
  type Thread,
  type ThreadDefinition,
  ThreadEndedError,
  type ThreadFigures,
  type ThreadMethods,
  ThreadStoppedError,
  ThreadTimeoutError,
} from './thread.js';

export interface WorkerThreadOptions<Data, Event> {
  readonly data: Data;
  readonly onEvent?: (event: Event) => void;
  /** Called when the thread ends unexpectedly. The failure is already logged. */
  readonly onFailure?: (error: unknown) => void;
  /** The time limit of each call, which begins when the worker receives the call. */
  readonly timeLimitMs: number;
  /** The time limit of an orderly stop. Then the thread is terminated. */
  readonly stopTimeLimitMs?: number;
  readonly logger: Logger;
}

// The limit of terminated workers that native code keeps alive. Each may use a processor.
const maxHungWorkers = 3;
const restartAfterMs = 1_000;
const defaultStopTimeLimitMs = 1_000;
const terminationTimeLimitMs = 500;

/**
 * Runs a thread's code in a worker. A worker that ends, or exceeds a call's time limit, is replaced.
 * Its other calls run again on the new worker, one at a time. A call that crashes workers is thus
 * rejected after its second worker, and no other call fails.
 */
export class WorkerThread<Data, Methods extends ThreadMethods, Event> implements Thread<Methods> {
  readonly name: string;
  readonly #definition: ThreadDefinition<Data, Methods, Event>;
  readonly #options: WorkerThreadOptions<Data, Event>;
  readonly #calls = new CallQueue();
  /** Workers that are terminated and have not ended yet. */
  readonly #hungWorkers = new Set<Worker>();
  #worker: Worker | undefined;
  #restart: NodeJS.Timeout | undefined;
  #failures = 0;
  #timeouts = 0;
  #uncaughtErrors = 0;
  #stopping: Promise<void> | undefined;

  constructor(
    definition: ThreadDefinition<Data, Methods, Event>,
    options: WorkerThreadOptions<Data, Event>,
  ) {
    this.name = definition.name;
    this.#definition = definition;
    this.#options = options;
  }

  get figures(): ThreadFigures {
    return {
      failures: this.#failures,
      timeouts: this.#timeouts,
      uncaughtErrors: this.#uncaughtErrors,
      callsInFlight: this.#calls.size,
    };
  }

  start(): void {
    if (this.#stopping || !this.#isBackground) return;
    clearTimeout(this.#restart);
    try {
      this.#worker ??= this.#startWorker();
    } catch (error) {
      this.#onFailure(error);
      this.#startLater();
    }
  }

  call<Name extends keyof Methods & string>(
    name: Name,
    ...args: Parameters<Methods[Name]>
  ): Promise<Awaited<ReturnType<Methods[Name]>>> {
    return new Promise((resolve, reject) => {
      if (this.#stopping) {
        reject(this.#stopped());
        return;
      }
      this.#calls.add({ method: name, args, resolve: resolve as Call['resolve'], reject });
      this.#sendWaiting();
    });
  }

  send<Name extends keyof Methods & string>(name: Name, ...args: Parameters<Methods[Name]>): void {
    if (this.#worker) this.#post(this.#worker, { id: undefined, method: name, args });
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async terminate(): Promise<boolean> {
    this.#stopping ??= Promise.resolve();
    clearTimeout(this.#restart);
    if (this.#worker) this.#abandon(this.#worker);
    this.#calls.rejectAll(this.#stopped());
    const ended = [...this.#hungWorkers].map(
      (worker) => new Promise((resolve) => worker.once('exit', resolve)),
    );
    return settlesWithin(Promise.all(ended), terminationTimeLimitMs);
  }

  get #isBackground(): boolean {
    return this.#definition.lifetime === 'background';
  }

  async #stop(): Promise<void> {
    clearTimeout(this.#restart);
    // A hung worker keeps the process alive, so the caller can end the process by force.
    for (const worker of this.#hungWorkers) worker.ref();
    const worker = this.#worker;
    if (!worker) {
      this.#calls.rejectAll(this.#stopped());
      return;
    }
    this.#calls.rejectWaiting(this.#stopped());
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    worker.ref();
    this.#post(worker, 'stop');
    const { stopTimeLimitMs = defaultStopTimeLimitMs, logger } = this.#options;
    if (await settlesWithin(ended, stopTimeLimitMs)) return;
    logger.warn({ thread: this.name, stopTimeLimitMs }, 'thread did not stop; terminating it');
    this.#abandon(worker);
    this.#calls.rejectAll(this.#stopped());
    if (await settlesWithin(ended, terminationTimeLimitMs)) return;
    logger.error({ thread: this.name }, 'thread does not end: native code holds it');
  }

  /** Sends the worker each call that may run now. */
  #sendWaiting(): void {
    for (let call = this.#calls.peek(); call; call = this.#calls.peek()) {
      let worker: Worker;
      try {
        this.#worker ??= this.#startWorker();
        worker = this.#worker;
      } catch (error) {
        this.#onFailure(error);
        this.#calls.rejectAll(
          new ThreadEndedError(`thread ${this.name}: does not start`, { cause: error }),
        );
        return;
      }
      this.#calls.start();
      this.#sendCall(call, worker);
    }
  }

  #sendCall(call: Call, worker: Worker): void {
    const { id, method, args } = call;
    call.timer = setTimeout(() => this.#expire(call, worker), this.#options.timeLimitMs);
    call.timer.unref();
    // A call keeps the process alive; an idle on-demand thread does not.
    worker.ref();
    this.#post(worker, { id, method, args }, (error) => {
      this.#calls.settle(id)?.reject(error);
      this.#unrefWhenIdle(worker);
    });
  }

  /** Lets the process end while an on-demand thread is idle. */
  #unrefWhenIdle(worker: Worker): void {
    if (!this.#calls.isRunning && !this.#isBackground && !this.#stopping) worker.unref();
  }

  #post(worker: Worker, message: WorkerMessage, onError?: (error: Error) => void): void {
    try {
      worker.postMessage(message);
    } catch (error) {
      // The arguments cannot be cloned.
      if (onError) onError(error as Error);
      else this.#options.logger.error({ err: error, thread: this.name }, 'thread message failed');
    }
  }

  #startWorker(): Worker {
    if (this.#hungWorkers.size >= maxHungWorkers) {
      throw new Error(`${this.#hungWorkers.size} terminated threads are still held by native code`);
    }
    const { name, file, resourceLimits = {} } = this.#definition;
    const workerData: WorkerStart = { shortyThread: name, data: this.#options.data };
    const worker = new Worker(new URL(file), { workerData, resourceLimits, name });
    let cause: unknown;
    worker.on('message', (message: ThreadMessage) => {
      if (worker === this.#worker) this.#receive(message, worker);
    });
    worker.on('error', (error) => {
      this.#uncaughtErrors += 1;
      cause = error;
    });
    worker.on('messageerror', (error) => {
      if (worker === this.#worker) this.#replace(worker, error);
    });
    worker.on('exit', () => {
      this.#hungWorkers.delete(worker);
      if (worker === this.#worker) this.#replace(undefined, cause);
    });
    if (!this.#isBackground) worker.unref();
    return worker;
  }

  #receive(message: ThreadMessage, worker: Worker): void {
    if ('event' in message) {
      try {
        this.#options.onEvent?.(message.event as Event);
      } catch (err) {
        this.#uncaughtErrors += 1;
        this.#options.logger.error({ err, thread: this.name }, 'thread event handler failed');
      }
      return;
    }
    const call = this.#calls.settle(message.id);
    if ('error' in message) {
      call?.reject(decodeError(message.error, this.#definition.errorClasses ?? []));
    } else call?.resolve(message.result);
    this.#sendWaiting();
    this.#unrefWhenIdle(worker);
  }

  #expire(call: Call, worker: Worker): void {
    if (!this.#calls.settle(call.id)) return;
    this.#timeouts += 1;
    const { timeLimitMs } = this.#options;
    const error = new ThreadTimeoutError(
      `thread ${this.name}: ${call.method} took longer than ${timeLimitMs} ms`,
    );
    call.reject(error);
    this.#replace(worker, error);
  }

  /** Replaces the current worker. Terminates `running`, which is the worker unless it has ended. */
  #replace(running: Worker | undefined, cause: unknown): void {
    if (running) this.#abandon(running);
    this.#worker = undefined;
    if (this.#stopping) {
      this.#calls.rejectAll(this.#stopped());
      return;
    }
    this.#onFailure(cause);
    for (const call of this.#calls.requeueRunning()) {
      const message = `thread ${this.name}: ended ${maxLostWorkers} times during ${call.method}`;
      call.reject(new ThreadEndedError(message, { cause }));
    }
    if (this.#isBackground) this.#startLater();
    this.#sendWaiting();
  }

  /** Terminates a worker and ignores its further messages. */
  #abandon(worker: Worker): void {
    this.#worker = undefined;
    this.#hungWorkers.add(worker);
    void worker.terminate();
  }

  #startLater(): void {
    clearTimeout(this.#restart);
    this.#restart = setTimeout(() => this.start(), restartAfterMs);
    this.#restart.unref();
  }

  #onFailure(err: unknown): void {
    this.#failures += 1;
    const { logger, onFailure } = this.#options;
    logger.error({ err, thread: this.name }, 'thread failed');
    onFailure?.(err);
  }

  #stopped(): ThreadStoppedError {
    return new ThreadStoppedError(`thread ${this.name}: was stopped`);
  }
}

async function settlesWithin(work: Promise<unknown>, limitMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const expiry = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), limitMs);
  });
  const isSettled = await Promise.race([work.then(() => true), expiry]);
  clearTimeout(timer);
  return isSettled;
}
