import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import { Journal } from '../journal/journal.js';
import { JournalFolder } from '../journal/journal-folder.js';
import { PeriodicService, stopAll } from '../lifecycle.js';
import type { PlanTable } from '../organizations/plans.js';
import type { Clock, NewId } from '../ports.js';
import type { StorageOptions } from '../storage/open-storage.js';
import type { ChunkRepository } from './chunk-repository.js';
import type { IngestCommand, IngestWorkerData, IngestWorkerMessage } from './ingest-worker.js';
import { VisitCompactor } from './visit-compactor.js';
import { VisitIngester } from './visit-ingester.js';
import { VisitPruner } from './visit-pruner.js';
import type { VisitRepository } from './visit-repository.js';

export interface VisitPipelineOptions {
  /** A path, or ':memory:'. */
  readonly storage: StorageOptions;
  /** Where journals are; undefined stands for a folder that ends with this process. */
  readonly journalFolder: string | undefined;
  readonly durability: 'process' | 'power';
  readonly thresholds: readonly number[];
  readonly retentionDays: number | undefined;
  readonly plans: PlanTable;
  readonly visits: VisitRepository;
  readonly chunks: ChunkRepository;
  /** True moves visits in a thread of their own, so that redirects never wait for storage. */
  readonly isThreaded: boolean;
  readonly newId: NewId;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface VisitFigures {
  /** Lines since the start: redirects, pictures and calls of the API. */
  readonly recorded: number;
  /** Those of them that are in storage. */
  readonly stored: number;
  /** Those that wait in memory, because the journal cannot be written. */
  readonly inMemory: number;
  readonly isFaulty: boolean;
}

/** Moves a journal's visits into storage until it is stopped; then moves the rest. */
interface Mover {
  /** Whether everything was moved in the end. */
  stop(): Promise<boolean>;
}

export const ingestEveryMs = 200;
export const maintainEveryMs = 250;
export const adoptEveryMs = 10_000;
export const pruneEveryMs = 10 * 60_000;
// Trouble that has lasted this long is more than another process's long transaction.
const patienceMs = 5_000;

/** The way of a visit: journal, mover, storage. */
export class VisitPipeline {
  readonly #options: VisitPipelineOptions;
  readonly #root: string;
  readonly #folder: JournalFolder;
  readonly journal: Journal;
  #mover: Mover | undefined;
  #troubleSince: number | undefined;
  #movedCount = 0;

  constructor(options: VisitPipelineOptions) {
    this.#options = options;
    const { journalFolder, durability, newId, logger } = options;
    this.#root = journalFolder ?? mkdtempSync(join(tmpdir(), 'shorty-visits-'));
    this.#folder = JournalFolder.create(this.#root, newId());
    this.journal = new Journal({
      folder: this.#folder.path,
      durability,
      onFault: (err) => logger.error({ err }, 'visits cannot be written to the journal'),
    });
  }

  /** Why visits do not reach storage; undefined while they do. */
  get fault(): string | undefined {
    if (!this.journal.isHealthy) return 'Visits wait in memory: their journal cannot be written';
    const since = this.#troubleSince;
    if (since === undefined || this.#options.clock() - since < patienceMs) return undefined;
    return 'Visits wait in their journal: storage does not take them';
  }

  /** What there is to watch. */
  get figures(): VisitFigures {
    return {
      recorded: this.journal.appendedCount,
      stored: this.#movedCount,
      inMemory: this.journal.unwrittenCount,
      isFaulty: this.fault !== undefined,
    };
  }

  start(): void {
    this.#mover = this.#options.isThreaded ? this.#startThread() : this.#startInline();
  }

  async stop(): Promise<void> {
    this.journal.close();
    const isDrained = await this.#mover?.stop();
    if (isDrained) {
      this.#folder.remove();
      await this.#options.visits.forgetWriter(this.#folder.writerId);
    } else {
      this.#folder.release();
    }
    if (this.#isTemporary) rmSync(this.#root, { recursive: true, force: true });
  }

  get #isTemporary(): boolean {
    return this.#options.journalFolder === undefined;
  }

  #startInline(): Mover {
    const { visits, chunks, retentionDays, clock } = this.#options;
    const compactor = new VisitCompactor({ chunks, clock });
    const pruner = new VisitPruner({ chunks, clock, retentionDays });
    const { path: folder, writerId } = this.#folder;
    const ingester = new VisitIngester({ visits, clock, root: this.#root, writerId, folder });
    const onError = (error: unknown) => this.#noteTrouble(error);
    const moveNew = async () => {
      this.#movedCount += await ingester.runOnce();
    };
    const move = async () => {
      await moveNew();
      await compactor.runOnce(moveNew);
      this.#noteSuccess();
    };
    const services = [
      new PeriodicService({ name: 'visits', everyMs: ingestEveryMs, runOnce: move, onError }),
      new PeriodicService({
        name: 'leftover visits',
        everyMs: adoptEveryMs,
        runOnce: () => ingester.adoptLeftovers(),
        onError,
      }),
      new PeriodicService({
        name: 'old visits',
        everyMs: pruneEveryMs,
        runOnce: () => pruner.runOnce(),
        onError,
      }),
    ];
    for (const service of services) service.start();
    // The journal of a process that was killed does not wait for the first period.
    const adoption = ingester.adoptLeftovers().catch(onError);
    return {
      stop: async () => {
        await adoption;
        await stopAll(services);
        try {
          await ingester.runOnce();
          return true;
        } catch (error) {
          onError(error);
          return false;
        }
      },
    };
  }

  #startThread(): Mover {
    const { storage, thresholds, retentionDays, plans, logger } = this.#options;
    const { path: folder, writerId } = this.#folder;
    const workerData: IngestWorkerData = {
      storage,
      thresholds,
      retentionDays,
      plans,
      root: this.#root,
      folder,
      writerId,
    };
    let worker: Worker;
    let isStopping = false;
    let isDrained = false;
    let ended: Promise<void>;
    const run = () => {
      worker = new Worker(new URL('./ingest-worker.js', import.meta.url), { workerData });
      worker.on('message', (message: IngestWorkerMessage) => {
        isDrained = message.isDrained;
        this.#movedCount += message.moved;
        if (message.fault === undefined) this.#noteSuccess();
        else this.#noteTrouble(message.fault);
      });
      worker.on('error', (err) => logger.error({ err }, 'the thread that moves visits has failed'));
      ended = new Promise((resolve) => {
        worker.once('exit', () => {
          resolve();
          if (isStopping) return;
          this.#noteTrouble('the thread that moves visits has ended');
          setTimeout(run, ingestEveryMs).unref();
        });
      });
    };
    run();
    const tell = (command: IngestCommand) => worker.postMessage(command);
    return {
      stop: async () => {
        isStopping = true;
        tell('stop');
        await ended;
        return isDrained;
      },
    };
  }

  /** Trouble is told when it begins and when it has passed; it may last for thousands of tries. */
  #noteTrouble(fault: unknown): void {
    const { clock, logger } = this.#options;
    if (this.#troubleSince !== undefined) return;
    this.#troubleSince = clock();
    logger.error({ err: fault }, 'visits could not be moved into storage');
  }

  #noteSuccess(): void {
    if (this.#troubleSince === undefined) return;
    this.#troubleSince = undefined;
    this.#options.logger.info('visits are moved into storage again');
  }
}
