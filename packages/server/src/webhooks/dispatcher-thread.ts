import { Worker } from 'node:worker_threads';
import type { Service } from '../lifecycle.js';
import type { StorageOptions } from '../storage/open-storage.js';
import type { DispatchSettings } from './create-dispatcher.js';
import type { DispatchCommand, DispatchMessage, DispatchWorkerData } from './dispatch-worker.js';
import type { DispatchFigures } from './webhook-dispatcher.js';

export interface DispatcherThreadOptions {
  readonly storage: StorageOptions;
  readonly settings: DispatchSettings;
  readonly onError: (error: unknown) => void;
}

const restartAfterMs = 1_000;

/** A dispatcher in a thread of its own, so that redirects never feel deliveries. */
export class DispatcherThread implements Service {
  readonly name = 'webhooks';
  readonly #options: DispatcherThreadOptions;
  #worker: Worker | undefined;
  #ended: Promise<void> = Promise.resolve();
  #isStopping = false;
  #told: { readonly figures: DispatchFigures; readonly at: number } = {
    figures: { attempts: [], pending: 0, overdueMs: { answering: 0, slow: 0 }, sinceTurnMs: 0 },
    at: performance.now(),
  };

  constructor(options: DispatcherThreadOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#worker || this.#isStopping) return;
    const { storage, settings, onError } = this.#options;
    const workerData: DispatchWorkerData = { storage, settings };
    const worker = new Worker(new URL('./dispatch-worker.js', import.meta.url), { workerData });
    worker.on('message', (message: DispatchMessage) => {
      if ('fault' in message) onError(message.fault);
      else this.#told = { figures: message.figures, at: performance.now() };
    });
    worker.on('error', onError);
    this.#worker = worker;
    this.#ended = new Promise((resolve) => {
      worker.once('exit', () => {
        this.#worker = undefined;
        resolve();
        // Whatever has ended it, leases bring back what it was doing.
        if (!this.#isStopping) setTimeout(() => this.start(), restartAfterMs).unref();
      });
    });
  }

  /** As the thread last told them. */
  get figures(): DispatchFigures {
    const { figures, at } = this.#told;
    // A thread that tells nothing any more gets on no more.
    return { ...figures, sinceTurnMs: figures.sinceTurnMs + (performance.now() - at) };
  }

  wake(): void {
    this.#tell('wake');
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#tell('stop');
    await this.#ended;
  }

  #tell(command: DispatchCommand): void {
    this.#worker?.postMessage(command);
  }
}
