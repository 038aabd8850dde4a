import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import type { ThreadMessage, WorkerMessage, WorkerStart } from './define-thread.js';
import { decodeError } from './error-transfer.js';
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
  readonly logger: Logger;
  /** The worker ends after this time without calls, unless the thread was started. */
  readonly idleLimitMs?: number;
}

type WorkerDefinition = Omit<ThreadDefinition<unknown, ThreadMethods, unknown>, 'start'>;

interface Call {
  readonly id: number;
  readonly method: string;
  readonly args: readonly unknown[];
  resolve(result: unknown): void;
  reject(error: Error): void;
  /** True if a worker ended during the call: it then runs again, alone. */
  isRetry: boolean;
  timer?: NodeJS.Timeout;
}

// The limit of terminated workers that native code keeps alive. Each may use a processor.
const maxHungWorkers = 3;
const restartAfterMs = 1_000;
// An idle worker needs 15 MB, and more after large tasks. A new one starts in a tenth of a second.
const defaultIdleLimitMs = 60_000;
// The limit of an orderly stop. The dispatcher waits for attempts in flight for a second, and then
// records their outcomes.
const stopTimeLimitMs = 3_000;
const terminationTimeLimitMs = 500;

/**
 * Runs a thread's code in a worker. A worker that ends, or exceeds a call's time limit, is replaced.
 * Its other calls run again on the new worker, one at a time. A call that crashes workers is thus
 * rejected after its second worker, and no other call fails.
 */
export class WorkerThread implements Thread<ThreadMethods> {
  readonly name: string;
  readonly #definition: WorkerDefinition;
  readonly #options: WorkerThreadOptions<unknown, never>;
  readonly #waiting: Call[] = [];
  readonly #running = new Map<number, Call>();
  /** Workers that have to end and have not ended yet. */
  readonly #hungWorkers = new Set<Worker>();
  readonly #counts = { failures: 0, timeouts: 0, uncaughtErrors: 0 };
  #lastId = 0;
  #worker: Worker | undefined;
  /** True once the thread was started: it then restarts whenever it ends. */
  #isBackground = false;
  #restart: NodeJS.Timeout | undefined;
  #idle: NodeJS.Timeout | undefined;
  #stopping: Promise<void> | undefined;

  constructor(definition: WorkerDefinition, options: WorkerThreadOptions<unknown, never>) {
    this.name = definition.name;
    this.#definition = definition;
    this.#options = options;
  }

  get figures(): ThreadFigures {
    return { ...this.#counts, callsInFlight: this.#waiting.length + this.#running.size };
  }

  start(): void {
    if (this.#stopping) return;
    this.#isBackground = true;
    clearTimeout(this.#idle);
    this.#ensureWorker();
  }

  call(method: string, ...args: readonly unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#stopping) {
        reject(new ThreadStoppedError(this.name));
        return;
      }
      this.#lastId += 1;
      this.#waiting.push({ id: this.#lastId, method, args, resolve, reject, isRetry: false });
      this.#sendWaiting();
    });
  }

  send(method: string, ...args: readonly unknown[]): void {
    this.#worker?.postMessage({ id: undefined, method, args } satisfies WorkerMessage);
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    clearTimeout(this.#restart);
    clearTimeout(this.#idle);
    // Keeps the process alive while native code holds a worker, so that the caller's timer can end it.
    for (const worker of this.#hungWorkers) worker.ref();
    for (const call of this.#waiting.splice(0)) call.reject(new ThreadStoppedError(this.name));
    const worker = this.#worker;
    if (!worker) return;
    const ended = new Promise<true>((resolve) => worker.once('exit', () => resolve(true)));
    const endsWithin = (limitMs: number) =>
      Promise.race([ended, sleep(limitMs, false, { ref: false })]);
    worker.ref();
    worker.postMessage('stop' satisfies WorkerMessage);
    const { logger } = this.#options;
    if (await endsWithin(stopTimeLimitMs)) return;
    logger.warn({ thread: this.name, stopTimeLimitMs }, 'thread did not stop; terminating it');
    this.#abandon(worker);
    this.#rejectAll(new ThreadStoppedError(this.name));
    if (await endsWithin(terminationTimeLimitMs)) return;
    logger.error({ thread: this.name }, 'thread does not end: native code holds it');
  }

  /** Sends the worker each call that may run now. */
  #sendWaiting(): void {
    while (this.#mayRunNext()) {
      const worker = this.#ensureWorker();
      if (worker) this.#sendCall(this.#waiting.shift() as Call, worker);
    }
  }

  /** Returns the worker. If none can be started, rejects all calls and returns undefined. */
  #ensureWorker(): Worker | undefined {
    try {
      this.#worker ??= this.#startWorker();
    } catch (cause) {
      this.#onFailure(cause);
      this.#rejectAll(new ThreadEndedError(`thread ${this.name}: does not start`, { cause }));
      this.#restartLater();
    }
    return this.#worker;
  }

  /**
   * Returns whether the first waiting call may run now. A retry runs alone: if the next worker ends,
   * too, the call is the cause.
   */
  #mayRunNext(): boolean {
    const [next] = this.#waiting;
    if (!next || this.#running.size === 0) return next !== undefined;
    return [next, ...this.#running.values()].every(({ isRetry }) => !isRetry);
  }

  #sendCall(call: Call, worker: Worker): void {
    const { id, method, args } = call;
    this.#running.set(id, call);
    clearTimeout(this.#idle);
    // A process without other work must not end before the call settles.
    worker.ref();
    const { timeLimitMs } = this.#options;
    call.timer = setTimeout(() => this.#expire(call, worker), timeLimitMs).unref();
    try {
      worker.postMessage({ id, method, args } satisfies WorkerMessage);
    } catch (error) {
      // The arguments cannot be cloned.
      this.#settle(id)?.reject(error as Error);
    }
  }

  /** Removes a running call and returns it; undefined when it has already settled. */
  #settle(id: number): Call | undefined {
    const call = this.#running.get(id);
    this.#running.delete(id);
    clearTimeout(call?.timer);
    if (this.#running.size === 0 && !this.#stopping) {
      this.#worker?.unref();
      this.#endWhenIdle();
    }
    return call;
  }

  #endWhenIdle(): void {
    if (this.#isBackground) return;
    const { idleLimitMs = defaultIdleLimitMs } = this.#options;
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => {
      const worker = this.#worker;
      if (!worker) return;
      this.#worker = undefined;
      this.#hungWorkers.add(worker);
      worker.postMessage('stop' satisfies WorkerMessage);
      const termination = setTimeout(() => void worker.terminate(), stopTimeLimitMs).unref();
      worker.once('exit', () => clearTimeout(termination));
    }, idleLimitMs).unref();
  }

  #rejectAll(error: Error): void {
    const running = [...this.#running.keys()].map((id) => this.#settle(id));
    for (const call of [...running, ...this.#waiting.splice(0)]) call?.reject(error);
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
      if (worker === this.#worker) this.#receive(message);
    });
    worker.on('error', (error) => {
      this.#counts.uncaughtErrors += 1;
      cause = error;
    });
    worker.on('exit', () => {
      this.#hungWorkers.delete(worker);
      if (worker === this.#worker) this.#replace(cause);
    });
    // An idle worker must not keep the process alive.
    worker.unref();
    return worker;
  }

  #receive(message: ThreadMessage): void {
    if ('event' in message) {
      try {
        this.#options.onEvent?.(message.event as never);
      } catch (err) {
        this.#counts.uncaughtErrors += 1;
        this.#options.logger.error({ err, thread: this.name }, 'thread event handler failed');
      }
      return;
    }
    const call = this.#settle(message.id);
    if ('error' in message) {
      call?.reject(decodeError(message.error, this.#definition.errorClasses ?? []));
    } else call?.resolve(message.result);
    this.#sendWaiting();
  }

  #expire(call: Call, worker: Worker): void {
    this.#settle(call.id);
    this.#counts.timeouts += 1;
    const { timeLimitMs } = this.#options;
    const error = new ThreadTimeoutError(
      `thread ${this.name}: ${call.method} took longer than ${timeLimitMs} ms`,
    );
    call.reject(error);
    this.#abandon(worker);
    this.#replace(error);
  }

  /** Handles the end of the current worker: its calls run again on a new one. */
  #replace(cause: unknown): void {
    this.#worker = undefined;
    if (this.#stopping) {
      this.#rejectAll(new ThreadStoppedError(this.name));
      return;
    }
    this.#onFailure(cause);
    const lost = [...this.#running.keys()].map((id) => this.#settle(id) as Call);
    const [first] = lost;
    if (first?.isRetry) {
      const message = `thread ${this.name}: ended 2 times during ${first.method}`;
      first.reject(new ThreadEndedError(message, { cause }));
    } else {
      for (const call of lost) call.isRetry = true;
      this.#waiting.unshift(...lost);
    }
    this.#restartLater();
    this.#sendWaiting();
  }

  /** Terminates the current worker and ignores its further messages. */
  #abandon(worker: Worker): void {
    this.#worker = undefined;
    this.#hungWorkers.add(worker);
    if (!this.#stopping) worker.unref();
    void worker.terminate();
  }

  #restartLater(): void {
    if (!this.#isBackground) return;
    clearTimeout(this.#restart);
    this.#restart = setTimeout(() => this.start(), restartAfterMs).unref();
  }

  #onFailure(err: unknown): void {
    this.#counts.failures += 1;
    const { logger, onFailure } = this.#options;
    logger.error({ err, thread: this.name }, 'thread failed');
    onFailure?.(err);
  }
}
