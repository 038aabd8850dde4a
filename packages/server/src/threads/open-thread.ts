import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import { yieldToEventLoop } from '../yield-to-event-loop.js';
import {
  decodeError,
  type Thread,
  type ThreadCode,
  type ThreadDefinition,
  ThreadError,
  type ThreadMessage,
  type ThreadMethods,
  type WorkerMessage,
  type WorkerStart,
} from './define-thread.js';

interface OpenThreadOptions<Data, Methods extends ThreadMethods, Event> {
  /** When false, the code runs in the calling thread. True needs a build: workers load compiled files. */
  readonly isThreaded: boolean;
  /** Starts the same code in the calling thread, with the database that is open there. */
  readonly inline: (emit: (event: Event) => void) => ThreadCode<Methods>;
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

type Definition = Omit<ThreadDefinition<unknown, ThreadMethods, unknown>, 'start'>;
type WorkerOptions = Omit<OpenThreadOptions<unknown, ThreadMethods, never>, 'inline'>;

/** Opens a worker thread, or runs its code in the calling thread. */
export function openThread<Data, Methods extends ThreadMethods, Event>(
  definition: ThreadDefinition<Data, Methods, Event>,
  options: OpenThreadOptions<Data, Methods, Event>,
): Thread<Methods> {
  const { isThreaded, inline, onEvent = () => {} } = options;
  const thread: Thread<ThreadMethods> = isThreaded
    ? new WorkerThread(definition, options)
    : openInline(definition.name, () => inline(onEvent));
  return thread as Thread<Methods>;
}

/**
 * Runs a thread's code in the calling thread, for servers in memory and inside other programs. It has
 * no time limits, because nothing can interrupt the calling thread.
 */
function openInline(
  name: string,
  startCode: () => ThreadCode<ThreadMethods>,
): Thread<ThreadMethods> {
  const inFlight = new Set<Promise<unknown>>();
  let code: ThreadCode<ThreadMethods> | undefined;
  let stopping: Promise<void> | undefined;
  return {
    name,
    get figures() {
      return { failures: 0, uncaughtErrors: 0, callsInFlight: inFlight.size };
    },
    start() {
      if (!stopping) code ??= startCode();
    },
    async call(method: string, ...args: readonly unknown[]) {
      if (stopping) throw stoppedError(name);
      // Many consecutive calls must not block the event loop.
      const outcome = yieldToEventLoop().then(() => {
        code ??= startCode();
        return code.methods[method]?.(...(args as never[]));
      });
      inFlight.add(outcome);
      return outcome.finally(() => inFlight.delete(outcome));
    },
    stop() {
      stopping ??= Promise.allSettled(inFlight).then(() => code?.stop?.()) as Promise<void>;
      return stopping;
    },
  };
}

interface Call {
  readonly method: string;
  readonly args: readonly unknown[];
  resolve(result: unknown): void;
  reject(error: Error): void;
  limit?: NodeJS.Timeout;
}

const restartAfterMs = 1_000;
// An idle worker needs 15 MB, and more after large tasks. A new one starts in a tenth of a second.
const defaultIdleLimitMs = 60_000;
// The limit of an orderly stop. The dispatcher waits for attempts in flight for a second, and then
// records their outcomes.
const stopTimeLimitMs = 3_000;

/**
 * Runs a thread's code in a worker. The worker gets a call when the one before has settled, so a call
 * that crashes the worker or exceeds its time limit is the only one that fails. The next call starts a
 * new worker.
 */
class WorkerThread implements Thread<ThreadMethods> {
  readonly name: string;
  readonly #definition: Definition;
  readonly #options: WorkerOptions;
  readonly #waiting: Call[] = [];
  readonly #running = new Map<number, Call>();
  #lastId = 0;
  readonly #counts = { failures: 0, uncaughtErrors: 0 };
  #worker: Worker | undefined;
  /** True once the thread was started: it then restarts whenever it ends. */
  #isBackground = false;
  /** Of the end of an idle worker, or of the next start. */
  #timer: NodeJS.Timeout | undefined;
  #stopping: Promise<void> | undefined;

  constructor(definition: Definition, options: WorkerOptions) {
    this.name = definition.name;
    this.#definition = definition;
    this.#options = options;
  }

  get figures() {
    return { ...this.#counts, callsInFlight: this.#waiting.length + this.#running.size };
  }

  start(): void {
    if (this.#stopping) return;
    this.#isBackground = true;
    clearTimeout(this.#timer);
    try {
      this.#worker ??= this.#startWorker();
    } catch (error) {
      this.#onFailure(error);
    }
  }

  call(method: string, ...args: readonly unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#stopping) return reject(stoppedError(this.name));
      this.#waiting.push({ method, args, resolve, reject });
      this.#sendWaiting();
    });
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    clearTimeout(this.#timer);
    const stopped = stoppedError(this.name);
    for (const call of this.#waiting.splice(0)) call.reject(stopped);
    const worker = this.#worker;
    if (!worker) return;
    worker.ref();
    const ended = new Promise<true>((resolve) => worker.once('exit', () => resolve(true)));
    worker.postMessage('stop' satisfies WorkerMessage);
    if (await Promise.race([ended, sleep(stopTimeLimitMs, false, { ref: false })])) return;
    this.#options.logger.warn(
      { thread: this.name, stopTimeLimitMs },
      'thread did not stop; terminating it',
    );
    // Without waiting: nothing interrupts native code.
    void worker.terminate();
    this.#rejectRunning(stopped);
  }

  #sendWaiting(): void {
    const { concurrency = 1 } = this.#definition;
    while (this.#running.size < concurrency) {
      const call = this.#waiting.shift();
      if (!call) return;
      clearTimeout(this.#timer);
      this.#lastId += 1;
      const id = this.#lastId;
      try {
        this.#worker ??= this.#startWorker();
        const { method, args } = call;
        // Fails if the arguments cannot be cloned.
        this.#worker.postMessage({ id, method, args } satisfies WorkerMessage);
      } catch (error) {
        call.reject(error as Error);
        continue;
      }
      // A process without other work must not end before the call settles.
      this.#worker.ref();
      this.#running.set(id, call);
      call.limit = setTimeout(() => this.#expire(call), this.#options.timeLimitMs).unref();
    }
  }

  #expire({ method }: Call): void {
    const worker = this.#worker as Worker;
    void worker.terminate();
    const text = `thread ${this.name}: ${method} took longer than ${this.#options.timeLimitMs} ms`;
    this.#replace(worker, new ThreadError(text));
  }

  #settle(id: number): Call | undefined {
    const call = this.#running.get(id);
    this.#running.delete(id);
    clearTimeout(call?.limit);
    return call;
  }

  #rejectRunning(error: Error): void {
    for (const id of [...this.#running.keys()]) this.#settle(id)?.reject(error);
  }

  #startWorker(): Worker {
    const { name, file, resourceLimits = {} } = this.#definition;
    const workerData: WorkerStart = { shortyThread: name, data: this.#options.data };
    let worker: Worker;
    try {
      worker = new Worker(new URL(file), { workerData, resourceLimits, name });
    } catch (cause) {
      throw new ThreadError(`thread ${name}: does not start`, { cause });
    }
    let cause: unknown;
    worker.on('message', (message: ThreadMessage) => {
      if (worker === this.#worker) this.#receive(worker, message);
    });
    worker.on('error', (error) => {
      this.#counts.uncaughtErrors += 1;
      cause = error;
    });
    worker.on('exit', () => {
      this.#replace(worker, new ThreadError(`thread ${name}: ended`, { cause }));
    });
    // An idle worker must not keep the process alive.
    worker.unref();
    return worker;
  }

  #receive(worker: Worker, message: ThreadMessage): void {
    if ('event' in message) {
      this.#options.onEvent?.(message.event as never);
      return;
    }
    const call = this.#settle(message.id);
    if ('result' in message) call?.resolve(message.result);
    else call?.reject(decodeError(message.error, this.#definition.errorClasses ?? []));
    this.#sendWaiting();
    if (this.#running.size > 0 || this.#stopping) return;
    worker.unref();
    if (this.#isBackground) return;
    const { idleLimitMs = defaultIdleLimitMs } = this.#options;
    const end = () => {
      this.#worker = undefined;
      worker.postMessage('stop' satisfies WorkerMessage);
    };
    this.#timer = setTimeout(end, idleLimitMs).unref();
  }

  /** Rejects the running call of a worker that has ended, and continues with a new one. */
  #replace(worker: Worker, error: Error): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    this.#rejectRunning(this.#stopping ? stoppedError(this.name) : error);
    if (this.#stopping) return;
    this.#onFailure(error);
    this.#sendWaiting();
  }

  #onFailure(error: unknown): void {
    this.#counts.failures += 1;
    const { logger, onFailure } = this.#options;
    logger.error({ err: error, thread: this.name }, 'thread failed');
    onFailure?.(error);
    if (this.#isBackground) {
      this.#timer = setTimeout(() => this.start(), restartAfterMs).unref();
    }
  }
}

function stoppedError(thread: string): ThreadError {
  return new ThreadError(`thread ${thread}: was stopped`);
}
