import { Worker } from 'node:worker_threads';
import { StorageUnavailableError } from '../storage/database.js';
import type { StorageOptions } from '../storage/open-storage.js';
import type { ClickReader } from './click-reader.js';
import type { ReportAnswer, ReportCall } from './report-worker.js';

/** What can be asked about clicks and scans. */
export type ClickReports = Pick<ClickReader, 'readUrl' | 'readOrganization' | 'readScans'>;

interface Asked {
  resolve(result: unknown): void;
  reject(fault: unknown): void;
}

/**
 * A reader in a thread of its own: however much a report reads, redirects go on. The thread is
 * started by the first question, and again by the next one after it has failed.
 */
export class ClickReportsThread implements ClickReports {
  readonly #storage: StorageOptions;
  readonly #asked = new Map<number, Asked>();
  #worker: Worker | undefined;
  #lastId = 0;

  constructor(storage: StorageOptions) {
    this.#storage = storage;
  }

  readUrl(...input: Parameters<ClickReports['readUrl']>): ReturnType<ClickReports['readUrl']> {
    return this.#ask('readUrl', input);
  }

  readOrganization(
    ...input: Parameters<ClickReports['readOrganization']>
  ): ReturnType<ClickReports['readOrganization']> {
    return this.#ask('readOrganization', input);
  }

  readScans(
    ...input: Parameters<ClickReports['readScans']>
  ): ReturnType<ClickReports['readScans']> {
    return this.#ask('readScans', input);
  }

  async stop(): Promise<void> {
    const worker = this.#worker;
    if (!worker) return;
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    worker.ref();
    worker.postMessage('stop');
    await ended;
  }

  #ask<T>(method: keyof ClickReports, input: readonly unknown[]): Promise<T> {
    this.#worker ??= this.#start();
    const worker = this.#worker;
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise<T>((resolve, reject) => {
      this.#asked.set(id, { resolve: resolve as Asked['resolve'], reject });
      worker.postMessage({ id, method, input } satisfies ReportCall);
    });
  }

  #start(): Worker {
    const worker = new Worker(new URL('./report-worker.js', import.meta.url), {
      workerData: this.#storage,
    });
    let cause: unknown;
    worker.on('message', (answer: ReportAnswer) => {
      const asked = this.#asked.get(answer.id);
      this.#asked.delete(answer.id);
      if ('fault' in answer) asked?.reject(faultOf(answer.fault));
      else asked?.resolve(answer.result);
    });
    worker.on('error', (error) => {
      cause = error;
    });
    worker.on('exit', () => {
      this.#worker = undefined;
      const fault = new Error('the thread of the reports has ended', { cause });
      for (const { reject } of this.#asked.values()) reject(fault);
      this.#asked.clear();
    });
    worker.unref();
    return worker;
  }
}

/** An error that crosses threads loses its class. */
function faultOf(fault: Error): Error {
  return fault.message.startsWith('storage is unavailable')
    ? new StorageUnavailableError(fault.message, { cause: fault })
    : fault;
}
