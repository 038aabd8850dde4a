import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { PlanTable } from '../../organizations/plans.js';
import type { Clock, NewId } from '../../ports.js';
import type { StorageOptions } from '../../storage/open-storage.js';
import { decodeError } from '../../threads/error-transfer.js';
import { openThread } from '../../threads/open-thread.js';
import type { Thread } from '../../threads/thread.js';
import { Journal } from '../journal/journal.js';
import { JournalFolder } from '../journal/journal-folder.js';
import type { ChunkRepository } from './chunk-repository.js';
import { type IngestEvent, ingestThread, startIngest } from './ingest-thread.js';
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
  /** Called with what throws once a visit is in the journal. */
  readonly onCallbackError: (error: unknown) => void;
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

// An error that has lasted this long is more than another process's long transaction.
const patienceMs = 5_000;
// What is not moved by then stays in the journal, and the next start moves it.
const drainTimeLimitMs = 6_000;

type IngestThread = Thread<ReturnType<typeof startIngest>['methods']>;

/** The path of a visit: journal, ingest thread, storage. */
export class VisitPipeline {
  readonly #options: VisitPipelineOptions;
  readonly #root: string;
  readonly #folder: JournalFolder;
  readonly journal: Journal;
  readonly #ingest: IngestThread;
  #isStarted = false;
  #failingSince: number | undefined;
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
      onCallbackError: options.onCallbackError,
    });
    this.#ingest = this.#openIngest();
  }

  /** Why visits do not reach storage; undefined while they do. */
  get fault(): string | undefined {
    if (!this.journal.isHealthy) return 'Visits wait in memory: their journal cannot be written';
    const since = this.#failingSince;
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

  /** The thread that moves visits. */
  get thread(): IngestThread {
    return this.#ingest;
  }

  start(): void {
    this.#isStarted = true;
    this.#ingest.start();
  }

  async stop(): Promise<void> {
    this.journal.close();
    const isDrained = this.#isStarted && (await this.#drain());
    await this.#ingest.stop();
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

  #openIngest(): IngestThread {
    const { storage, thresholds, retentionDays, plans, visits, chunks } = this.#options;
    const { isThreaded, clock, logger } = this.#options;
    const { path: folder, writerId } = this.#folder;
    const settings = { root: this.#root, folder, writerId, retentionDays };
    return openThread(ingestThread, {
      isThreaded,
      data: { storage, thresholds, plans, settings },
      inline: (emit) => startIngest({ visits, chunks, settings, clock }, emit),
      onEvent: (event: IngestEvent) => {
        if ('error' in event) {
          this.#noteError(decodeError(event.error, []));
          return;
        }
        this.#movedCount += event.moved;
        this.#noteSuccess();
      },
      onFailure: (error) => this.#noteError(error),
      timeLimitMs: drainTimeLimitMs,
      logger,
    });
  }

  /** Whether everything is in storage. */
  async #drain(): Promise<boolean> {
    try {
      await this.#ingest.call('drain');
      return true;
    } catch (error) {
      this.#noteError(error);
      return false;
    }
  }

  /** Logged once until it clears: attempts may fail thousands of times. */
  #noteError(err: unknown): void {
    const { clock, logger } = this.#options;
    if (this.#failingSince !== undefined) return;
    this.#failingSince = clock();
    logger.error({ err }, 'visits could not be moved into storage');
  }

  #noteSuccess(): void {
    if (this.#failingSince === undefined) return;
    this.#failingSince = undefined;
    this.#options.logger.info('visits are moved into storage again');
  }
}
