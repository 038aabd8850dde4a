import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
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
  /** Called when the thread has ended without being asked to. The failure is logged already. */
  readonly onFailure?: (error: unknown) => void;
  /** For each call, from when the thread is given it. */
  readonly timeLimitMs: number;
  /** For an orderly stop; then the thread is terminated. */
  readonly stopTimeLimitMs?: number;
  readonly logger: Logger;
}

interface Call {
  readonly id: number;
  readonly method: string;
  readonly args: readonly unknown[];
  resolve(result: unknown): void;
  reject(error: Error): void;
  /** Threads that ended during it. */
  losses: number;
  timer: NodeJS.Timeout | undefined;
}

// A thread may end for a reason that has nothing to do with the call.
const maxLosses = 2;
// Terminated threads that native code keeps alive. Each costs a processor.
const maxHung = 3;
const restartAfterMs = 1_000;
const defaultStopTimeLimitMs = 1_000;
const terminationTimeLimitMs = 500;

/**
 * Runs a thread's code in a worker. A worker that ends, or that exceeds a call's time limit, is
 * replaced at once; the other calls that it had run again on the new worker, one at a time, so that
 * a call that ends threads is refused after the second and no other call with it.
 */
export class WorkerThread<Data, Methods extends ThreadMethods, Event> implements Thread<Methods> {
  readonly name: string;
  readonly #definition: ThreadDefinition<Data, Methods, Event>;
  readonly #options: WorkerThreadOptions<Data, Event>;
  readonly #waiting: Call[] = [];
  readonly #sent = new Map<number, Call>();
  readonly #hung = new Set<Worker>();
  #worker: Worker | undefined;
  #restart: NodeJS.Timeout | undefined;
  #lastId = 0;
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
      callsInFlight: this.#sent.size + this.#waiting.length,
    };
  }

  start(): void {
    if (this.#stopping || !this.#isBackground) return;
    clearTimeout(this.#restart);
    try {
      this.#worker ??= this.#startWorker();
    } catch (error) {
      this.#noteFailure(error);
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
      this.#lastId += 1;
      this.#waiting.push({
        id: this.#lastId,
        method: name,
        args,
        resolve: resolve as Call['resolve'],
        reject,
        losses: 0,
        timer: undefined,
      });
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
    this.#rejectAll(this.#stopped());
    const ended = [...this.#hung].map(
      (worker) => new Promise((resolve) => worker.once('exit', resolve)),
    );
    return settlesWithin(Promise.all(ended), terminationTimeLimitMs);
  }

  get #isBackground(): boolean {
    return this.#definition.lifetime === 'background';
  }

  async #stop(): Promise<void> {
    clearTimeout(this.#restart);
    // A thread that native code holds keeps the process alive, so that its caller can end it.
    for (const worker of this.#hung) worker.ref();
    const worker = this.#worker;
    if (!worker) {
      this.#rejectAll(this.#stopped());
      return;
    }
    for (const call of this.#waiting.splice(0)) call.reject(this.#stopped());
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    worker.ref();
    this.#post(worker, 'stop');
    const { stopTimeLimitMs = defaultStopTimeLimitMs, logger } = this.#options;
    if (await settlesWithin(ended, stopTimeLimitMs)) return;
    logger.warn({ thread: this.name, stopTimeLimitMs }, 'thread did not stop; terminating it');
    this.#abandon(worker);
    this.#rejectAll(this.#stopped());
    if (await settlesWithin(ended, terminationTimeLimitMs)) return;
    logger.error({ thread: this.name }, 'thread does not end: native code holds it');
  }

  /** Gives the thread every call that it may have now. */
  #sendWaiting(): void {
    for (;;) {
      const call = this.#waiting[0];
      if (!call || !this.#mayBeSent(call)) return;
      let worker: Worker;
      try {
        this.#worker ??= this.#startWorker();
        worker = this.#worker;
      } catch (error) {
        this.#noteFailure(error);
        this.#rejectAll(
          new ThreadEndedError(`thread ${this.name}: does not start`, { cause: error }),
        );
        return;
      }
      this.#waiting.shift();
      this.#sent.set(call.id, call);
      call.timer = setTimeout(() => this.#expire(call, worker), this.#options.timeLimitMs);
      call.timer.unref();
      // A call keeps the process alive; an idle thread that was started on demand does not.
      worker.ref();
      const { id, method, args } = call;
      this.#post(worker, { id, method, args }, (error) => {
        this.#settle(id)?.reject(error);
        this.#release(worker);
      });
    }
  }

  /** Lets the process end while a thread that was started on demand has nothing to do. */
  #release(worker: Worker): void {
    if (this.#sent.size === 0 && !this.#isBackground && !this.#stopping) worker.unref();
  }

  /** A call that has lost a thread runs alone: if that one ends, too, the call is the cause. */
  #mayBeSent(call: Call): boolean {
    if (this.#sent.size === 0) return true;
    return call.losses === 0 && ![...this.#sent.values()].some(({ losses }) => losses > 0);
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
    if (this.#hung.size >= maxHung) {
      throw new Error(`${this.#hung.size} terminated threads are still held by native code`);
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
      this.#hung.delete(worker);
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
    const call = this.#settle(message.id);
    if ('error' in message) {
      call?.reject(decodeError(message.error, this.#definition.errorClasses ?? []));
    } else call?.resolve(message.result);
    this.#sendWaiting();
    this.#release(worker);
  }

  /** The call that has settled; undefined when it had settled before. */
  #settle(id: number): Call | undefined {
    const call = this.#sent.get(id);
    this.#sent.delete(id);
    clearTimeout(call?.timer);
    return call;
  }

  #expire(call: Call, worker: Worker): void {
    if (!this.#settle(call.id)) return;
    this.#timeouts += 1;
    const { timeLimitMs } = this.#options;
    const error = new ThreadTimeoutError(
      `thread ${this.name}: ${call.method} took longer than ${timeLimitMs} ms`,
    );
    call.reject(error);
    this.#replace(worker, error);
  }

  /** Goes on without the current worker, which is terminated unless it has ended. */
  #replace(running: Worker | undefined, cause: unknown): void {
    if (running) this.#abandon(running);
    this.#worker = undefined;
    const lost = [...this.#sent.keys()].map((id) => this.#settle(id) as Call);
    if (this.#stopping) {
      for (const call of lost) call.reject(this.#stopped());
      return;
    }
    this.#noteFailure(cause);
    for (const call of lost.reverse()) {
      call.losses += 1;
      if (call.losses < maxLosses) this.#waiting.unshift(call);
      else {
        const message = `thread ${this.name}: ended ${maxLosses} times during ${call.method}`;
        call.reject(new ThreadEndedError(message, { cause }));
      }
    }
    if (this.#isBackground) this.#startLater();
    this.#sendWaiting();
  }

  /** Terminates a worker and ignores what it still sends. */
  #abandon(worker: Worker): void {
    this.#worker = undefined;
    this.#hung.add(worker);
    void worker.terminate();
  }

  #startLater(): void {
    clearTimeout(this.#restart);
    this.#restart = setTimeout(() => this.start(), restartAfterMs);
    this.#restart.unref();
  }

  #noteFailure(err: unknown): void {
    this.#failures += 1;
    const { logger, onFailure } = this.#options;
    logger.error({ err, thread: this.name }, 'thread failed');
    onFailure?.(err);
  }

  #rejectAll(error: Error): void {
    for (const id of [...this.#sent.keys()]) this.#settle(id)?.reject(error);
    for (const call of this.#waiting.splice(0)) call.reject(error);
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
