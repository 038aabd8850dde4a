import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { EventOutbox } from '../../events/event-outbox.js';
import type { PlanTable } from '../../organizations/plans.js';
import type { Clock, NewId } from '../../ports.js';
import type { Database } from '../../storage/database.js';
import type { StorageOptions } from '../../storage/open-storage.js';
import { decodeError } from '../../threads/error-transfer.js';
import { openThread } from '../../threads/open-thread.js';
import type { Thread } from '../../threads/thread.js';
import { Journal } from '../journal/journal.js';
import { JournalFolder } from '../journal/journal-folder.js';
import { createIngest, type IngestEvent, ingestThread } from './ingest-thread.js';
import { deletePosition } from './visit-repository.js';

export interface VisitPipelineOptions {
  readonly database: Database;
  /** The thread opens its own connection with these options. */
  readonly storage: StorageOptions;
  readonly outbox: EventOutbox;
  readonly plans: PlanTable;
  /** The folder of all journals. When undefined, a temporary folder is used. */
  readonly journalFolder: string | undefined;
  readonly durability: 'process' | 'power';
  readonly thresholds: readonly number[];
  readonly retentionDays: number | undefined;
  /** When true, a separate thread stores visits, so redirects never wait for storage. */
  readonly isThreaded: boolean;
  /** Called when a callback of the journal throws. */
  readonly onCallbackError: (error: unknown) => void;
  readonly newId: NewId;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface VisitFigures {
  /** The number of lines since the start: redirects, image downloads and API calls. */
  readonly recorded: number;
  /** The number of these lines that are in storage. */
  readonly stored: number;
  /** The number of these lines that are in memory because the journal cannot be written. */
  readonly inMemory: number;
  readonly isFailing: boolean;
}

// Shorter failures are not reported: another process's long transaction may delay visits.
const toleratedErrorMs = 5_000;
// After it, the remaining lines stay in the journal, and the next start stores them.
const drainTimeLimitMs = 6_000;

type IngestThread = Thread<ReturnType<typeof createIngest>['methods']>;

/** Opens the journal, and the thread that moves its lines into storage. */
export class VisitPipeline {
  readonly #options: VisitPipelineOptions;
  readonly #root: string;
  readonly #folder: JournalFolder;
  readonly journal: Journal;
  /** The thread that stores visits. */
  readonly thread: IngestThread;
  #isStarted = false;
  #failingSince: number | undefined;
  #storedLines = 0;

  constructor(options: VisitPipelineOptions) {
    this.#options = options;
    const { journalFolder, durability, newId, logger } = options;
    this.#root = journalFolder ?? mkdtempSync(join(tmpdir(), 'shorty-visits-'));
    this.#folder = JournalFolder.create(this.#root, newId());
    this.journal = new Journal({
      folder: this.#folder.path,
      durability,
      onError: (err) => logger.error({ err }, 'journal write failed'),
      onCallbackError: options.onCallbackError,
    });
    this.thread = this.#openThread();
  }

  /** Why visits do not reach storage; undefined while they do. */
  get storageError(): string | undefined {
    if (!this.journal.isHealthy) return 'Visits wait in memory: their journal cannot be written';
    const since = this.#failingSince;
    if (since === undefined || this.#options.clock() - since < toleratedErrorMs) return undefined;
    return 'Visits wait in their journal: storage does not take them';
  }

  get figures(): VisitFigures {
    return {
      recorded: this.journal.appendedCount,
      stored: this.#storedLines,
      inMemory: this.journal.unwrittenCount,
      isFailing: this.storageError !== undefined,
    };
  }

  start(): void {
    this.#isStarted = true;
    this.thread.start();
  }

  async stop(): Promise<void> {
    this.journal.close();
    const isDrained = this.#isStarted && (await this.#drain());
    await this.thread.stop();
    if (isDrained) {
      this.#folder.remove();
      await deletePosition(this.#options.database, this.#folder.writerId);
    } else {
      this.#folder.release();
    }
    const isTemporary = this.#options.journalFolder === undefined;
    if (isTemporary) rmSync(this.#root, { recursive: true, force: true });
  }

  #openThread(): IngestThread {
    const { database, storage, outbox, plans, isThreaded, clock, logger } = this.#options;
    const { thresholds, retentionDays } = this.#options;
    const { path: folder, writerId } = this.#folder;
    const settings = { root: this.#root, folder, writerId, thresholds, retentionDays };
    return openThread(ingestThread, {
      isThreaded,
      data: { storage, plans, settings },
      inline: (emit) => createIngest({ database, outbox, settings, clock }, emit),
      onEvent: (event: IngestEvent) => {
        if ('error' in event) {
          this.#onError(decodeError(event.error, []));
          return;
        }
        this.#storedLines += event.storedLines;
        this.#onSuccess();
      },
      onFailure: (error) => this.#onError(error),
      timeLimitMs: drainTimeLimitMs,
      logger,
    });
  }

  /** Returns whether all lines are in storage. */
  async #drain(): Promise<boolean> {
    try {
      await this.thread.call('drain');
      return true;
    } catch (error) {
      this.#onError(error);
      return false;
    }
  }

  /** Logs an error once until it clears, because attempts repeat several times a second. */
  #onError(err: unknown): void {
    const { clock, logger } = this.#options;
    if (this.#failingSince !== undefined) return;
    this.#failingSince = clock();
    logger.error({ err }, 'visit ingest failed');
  }

  #onSuccess(): void {
    if (this.#failingSince === undefined) return;
    this.#failingSince = undefined;
    this.#options.logger.info('visit ingest recovered');
  }
}
