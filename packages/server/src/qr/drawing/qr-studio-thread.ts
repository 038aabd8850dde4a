import { Worker } from 'node:worker_threads';
import type { DrawingAnswer, DrawingCall, DrawingMethod } from './drawing-worker.js';
import { type QrDesign, QrDesignError, type QrLogo } from './qr-design.js';
import type { QrStudio } from './qr-studio.js';

/** More was asked for than the studio can draw soon; later it may. */
export class QrStudioBusyError extends Error {
  override readonly name = 'QrStudioBusyError';
}

interface Task {
  readonly method: DrawingMethod;
  readonly input: readonly unknown[];
  resolve(result: unknown): void;
  reject(fault: unknown): void;
  /** Threads that have ended over it. */
  losses: number;
}

// Two, so that one is drawn while the other waits for a codec; memory is that of two images.
const mostAtOnce = 2;
const mostWaiting = 256;
const patienceMs = 20_000;
// A thread may end for reasons that have nothing to do with what it drew.
const mostLosses = 2;

function startWorker(): Worker {
  return new Worker(new URL('./drawing-worker.js', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
}

/**
 * Draws in a thread of its own, so that redirects go on. It is started by the first drawing, and
 * again after it has ended; what it was drawing then is drawn once more.
 */
export class QrStudioThread implements QrStudio {
  readonly #startWorker: () => Worker;
  readonly #waiting: Task[] = [];
  readonly #drawn = new Map<number, Task>();
  #worker: Worker | undefined;
  #lastId = 0;
  #isStopped = false;

  constructor(start: () => Worker = startWorker) {
    this.#startWorker = start;
  }

  draw(design: QrDesign): Promise<Uint8Array> {
    return this.#ask('draw', [design]);
  }

  prove(design: QrDesign): Promise<Uint8Array> {
    return this.#ask('prove', [design]);
  }

  readLogo(bytes: Uint8Array): Promise<QrLogo> {
    return this.#ask('readLogo', [bytes]);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const { reject } of this.#waiting.splice(0)) reject(new Error('the studio is closed'));
    const worker = this.#worker;
    if (!worker) return;
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    worker.ref();
    worker.postMessage('stop');
    await ended;
  }

  #ask<T>(method: DrawingMethod, input: readonly unknown[]): Promise<T> {
    if (this.#isStopped) return Promise.reject(new Error('the studio is closed'));
    if (this.#waiting.length >= mostWaiting) {
      return Promise.reject(new QrStudioBusyError(`${mostWaiting} drawings wait already`));
    }
    return new Promise<T>((resolve, reject) => {
      const task = { method, input, resolve: resolve as Task['resolve'], reject, losses: 0 };
      this.#waiting.push(task);
      this.#handOut();
    });
  }

  #handOut(): void {
    while (this.#drawn.size < mostAtOnce) {
      const task = this.#waiting.shift();
      if (!task) return;
      this.#worker ??= this.#start();
      this.#lastId += 1;
      const id = this.#lastId;
      this.#drawn.set(id, task);
      this.#watch(id, task, this.#worker);
      const { method, input } = task;
      // The process lives for a drawing that was asked for, but not for a thread that waits.
      this.#worker.ref();
      this.#worker.postMessage({ id, method, input } satisfies DrawingCall);
    }
  }

  /** A drawing that does not end is given up, together with its thread. */
  #watch(id: number, task: Task, worker: Worker): void {
    setTimeout(() => {
      if (this.#drawn.get(id) !== task) return;
      this.#drawn.delete(id);
      task.reject(new Error(`a drawing took longer than ${patienceMs / 1000} seconds`));
      void worker.terminate();
    }, patienceMs).unref();
  }

  #start(): Worker {
    const worker = this.#startWorker();
    let cause: unknown;
    worker.on('message', (answer: DrawingAnswer) => {
      const task = this.#drawn.get(answer.id);
      this.#drawn.delete(answer.id);
      if (task) settle(task, answer);
      this.#handOut();
      if (this.#drawn.size === 0) worker.unref();
    });
    worker.on('error', (error) => {
      cause = error;
    });
    worker.on('exit', () => {
      this.#worker = undefined;
      this.#takeBack(new Error('the thread that draws has ended', { cause }));
      this.#handOut();
    });
    worker.unref();
    return worker;
  }

  #takeBack(fault: Error): void {
    const tasks = [...this.#drawn.values()];
    this.#drawn.clear();
    for (const task of tasks) {
      task.losses += 1;
      if (task.losses < mostLosses && !this.#isStopped) this.#waiting.unshift(task);
      else task.reject(fault);
    }
  }
}

function settle(task: Task, answer: DrawingAnswer): void {
  if ('result' in answer) task.resolve(answer.result);
  else if ('fault' in answer) task.reject(answer.fault);
  else {
    const { field, message, smallestSize } = answer.refusal;
    task.reject(new QrDesignError(field, message, smallestSize));
  }
}
