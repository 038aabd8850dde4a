import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { v7 as newUuid } from 'uuid';
import type { Config } from '../../config.js';
import type { EventOutbox } from '../../events/event-outbox.js';
import type { PlanTable } from '../../organizations/plans.js';
import type { Clock } from '../../ports.js';
import type { Database } from '../../storage/database.js';
import { locateDatabase } from '../../storage/locate-database.js';
import type { StorageOptions } from '../../storage/open-storage.js';
import { decodeError } from '../../threads/error-transfer.js';
import { openThread } from '../../threads/open-thread.js';
import { Journal } from '../journal/journal.js';
import { JournalFolder } from '../journal/journal-folder.js';
import { createIngest, type IngestEvent, ingestThread } from './ingest-thread.js';
import { VisitRepository } from './visit-repository.js';

export interface VisitPipelineOptions {
  readonly config: Config;
  readonly database: Database;
  /** The thread opens its own connection with these options. */
  readonly storage: StorageOptions;
  readonly outbox: EventOutbox;
  readonly plans: PlanTable;
  /** When true, a separate thread stores visits, so redirects never wait for storage. */
  readonly isThreaded: boolean;
  /** Called when a callback of the journal throws. */
  readonly onCallbackError: (error: unknown) => void;
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
// Lines that are not stored within this time stay in the journal. The next start stores them.
const drainTimeLimitMs = 6_000;

export type VisitPipeline = ReturnType<typeof startVisitPipeline>;

/** Opens the journal, and starts the thread that moves its lines into storage. */
export function startVisitPipeline(options: VisitPipelineOptions) {
  const { config, database, storage, outbox, plans, isThreaded, clock, logger } = options;
  const { thresholds, retentionDays } = config;
  const journalFolder = journalFolderOf(config);
  const root = journalFolder ?? mkdtempSync(join(tmpdir(), 'shorty-visits-'));
  const folder = JournalFolder.create(root, newUuid());
  const journal = new Journal({
    folder: folder.path,
    durability: config.durability,
    onError: (err) => logger.error({ err }, 'journal write failed'),
    onCallbackError: options.onCallbackError,
  });
  let failingSince: number | undefined;
  let storedLines = 0;

  /** Logs an error once until it clears, because attempts repeat several times a second. */
  function onError(err: unknown): void {
    if (failingSince !== undefined) return;
    failingSince = clock();
    logger.error({ err }, 'visit ingest failed');
  }

  function onEvent(event: IngestEvent): void {
    if ('error' in event) {
      onError(decodeError(event.error, []));
      return;
    }
    storedLines += event.storedLines;
    if (failingSince === undefined) return;
    failingSince = undefined;
    logger.info('visit ingest recovered');
  }

  const { path, writerId } = folder;
  const settings = { root, folder: path, writerId, thresholds, retentionDays };
  const thread = openThread(ingestThread, {
    isThreaded,
    data: { storage, plans, settings },
    inline: (emit) => createIngest({ database, outbox, settings, clock }, emit),
    onEvent,
    onFailure: onError,
    timeLimitMs: drainTimeLimitMs,
    logger,
  });
  thread.start();

  /** Returns why visits do not reach storage; undefined while they do. */
  function storageError(): string | undefined {
    if (!journal.isHealthy) return 'Visits wait in memory, because the journal cannot be written';
    if (failingSince === undefined || clock() - failingSince < toleratedErrorMs) return undefined;
    return 'Visits wait in the journal, because storage does not accept them';
  }

  /** Returns whether all lines are in storage. */
  async function drain(): Promise<boolean> {
    try {
      await thread.call('drain');
      return true;
    } catch (error) {
      onError(error);
      return false;
    }
  }

  return {
    journal,
    thread,
    storageError,

    figures: (): VisitFigures => ({
      recorded: journal.appendedCount,
      stored: storedLines,
      inMemory: journal.unwrittenCount,
      isFailing: storageError() !== undefined,
    }),

    async stop(): Promise<void> {
      journal.close();
      const isDrained = await drain();
      await thread.stop();
      if (isDrained) {
        folder.remove();
        await new VisitRepository(database, { outbox, thresholds }).deletePosition(writerId);
      } else {
        folder.release();
      }
      if (journalFolder === undefined) rmSync(root, { recursive: true, force: true });
    },
  };
}

/** Returns a folder beside the SQLite file, or the configured one for PostgreSQL; undefined in memory. */
function journalFolderOf({ databaseUrl, journalFolder }: Config): string | undefined {
  const location = locateDatabase(databaseUrl);
  if (location.engine === 'postgres') return journalFolder;
  return location.path === ':memory:' ? undefined : `${location.path}.visits`;
}
