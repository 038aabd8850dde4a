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
  /** The time limit of each call, with its wait for others in the worker. */
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
    ? openWorker(definition, options)
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
  resolve(result: unknown): void;
  reject(error: Error): void;
  readonly limit: NodeJS.Timeout;
}

const restartAfterMs = 1_000;
// An idle worker needs 15 MB, and more after large tasks. A new one starts in a tenth of a second.
const defaultIdleLimitMs = 60_000;
// The limit of an orderly stop. The dispatcher waits for attempts in flight for a second, and then
// records their outcomes.
const stopTimeLimitMs = 3_000;

/**
 * Runs a thread's code in a worker. When a call crashes the worker or exceeds its time limit, the calls in
 * flight fail, and the next one starts a new worker.
 */
function openWorker(definition: Definition, options: WorkerOptions): Thread<ThreadMethods> {
  const { name } = definition;
  const { logger, timeLimitMs, idleLimitMs = defaultIdleLimitMs } = options;
  const running = new Map<number, Call>();
  let lastId = 0;
  const counts = { failures: 0, uncaughtErrors: 0 };
  let current: Worker | undefined;
  /** True once the thread was started: it then restarts whenever it ends. */
  let isBackground = false;
  /** Of the end of an idle worker, or of the next start. */
  let timer: NodeJS.Timeout | undefined;
  let stopping: Promise<void> | undefined;

  function start(): void {
    if (stopping) return;
    isBackground = true;
    clearTimeout(timer);
    try {
      current ??= startWorker();
    } catch (error) {
      noteFailure(error);
    }
  }

  async function stop(): Promise<void> {
    clearTimeout(timer);
    const worker = current;
    if (!worker) return;
    worker.ref();
    const ended = new Promise<true>((resolve) => worker.once('exit', () => resolve(true)));
    worker.postMessage('stop' satisfies WorkerMessage);
    if (await Promise.race([ended, sleep(stopTimeLimitMs, false, { ref: false })])) return;
    logger.warn({ thread: name, stopTimeLimitMs }, 'thread did not stop; terminating it');
    // Without waiting: nothing interrupts native code.
    void worker.terminate();
    rejectRunning(stoppedError(name));
  }

  function call(method: string, ...args: readonly unknown[]): Promise<unknown> {
    // Rejects with what is thrown.
    return new Promise((resolve, reject) => {
      if (stopping) throw stoppedError(name);
      clearTimeout(timer);
      lastId += 1;
      current ??= startWorker();
      // Fails if the arguments cannot be cloned.
      current.postMessage({ id: lastId, method, args } satisfies WorkerMessage);
      // A process without other work must not end before the call settles.
      current.ref();
      const limit = setTimeout(expire, timeLimitMs, current, method).unref();
      running.set(lastId, { resolve, reject, limit });
    });
  }

  function expire(worker: Worker, method: string): void {
    void worker.terminate();
    const text = `thread ${name}: ${method} took longer than ${timeLimitMs} ms`;
    replace(worker, new ThreadError(text));
  }

  function settle(id: number): Call | undefined {
    const call = running.get(id);
    running.delete(id);
    clearTimeout(call?.limit);
    return call;
  }

  function rejectRunning(error: Error): void {
    for (const id of [...running.keys()]) settle(id)?.reject(error);
  }

  function startWorker(): Worker {
    const { file, resourceLimits = {} } = definition;
    const workerData: WorkerStart = { shortyThread: name, data: options.data };
    let worker: Worker;
    try {
      worker = new Worker(new URL(file), { workerData, resourceLimits, name });
    } catch (cause) {
      throw new ThreadError(`thread ${name}: does not start`, { cause });
    }
    let cause: unknown;
    worker.on('message', (message: ThreadMessage) => {
      if (worker === current) receive(worker, message);
    });
    worker.on('error', (error) => {
      counts.uncaughtErrors += 1;
      cause = error;
    });
    worker.on('exit', () => replace(worker, new ThreadError(`thread ${name}: ended`, { cause })));
    // An idle worker must not keep the process alive.
    worker.unref();
    return worker;
  }

  function receive(worker: Worker, message: ThreadMessage): void {
    if ('event' in message) {
      options.onEvent?.(message.event as never);
      return;
    }
    const call = settle(message.id);
    if ('result' in message) call?.resolve(message.result);
    else call?.reject(decodeError(message.error, definition.errorClasses ?? []));
    if (running.size > 0 || stopping) return;
    worker.unref();
    if (isBackground) return;
    const end = () => {
      current = undefined;
      worker.postMessage('stop' satisfies WorkerMessage);
    };
    timer = setTimeout(end, idleLimitMs).unref();
  }

  /** Rejects the running calls of a worker that has ended. The next call or start replaces it. */
  function replace(worker: Worker, error: Error): void {
    if (worker !== current) return;
    current = undefined;
    rejectRunning(stopping ? stoppedError(name) : error);
    if (!stopping) noteFailure(error);
  }

  function noteFailure(error: unknown): void {
    counts.failures += 1;
    logger.error({ err: error, thread: name }, 'thread failed');
    options.onFailure?.(error);
    if (isBackground) timer = setTimeout(start, restartAfterMs).unref();
  }

  return {
    name,
    get figures() {
      return { ...counts, callsInFlight: running.size };
    },
    start,
    call,
    stop() {
      stopping ??= stop();
      return stopping;
    },
  };
}

function stoppedError(thread: string): ThreadError {
  return new ThreadError(`thread ${thread}: was stopped`);
}
