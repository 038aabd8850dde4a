import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { v7 as newUuid } from 'uuid';
import type { Config } from '../config.js';
import { ApiError } from '../contract/api-error.js';
import { dayMs } from '../durations.js';
import type { EventOutbox } from '../events/event-outbox.js';
import type { LinkOrigins } from '../network/link-origins.js';
import type { PlanTable } from '../organizations/plans.js';
import { openThread } from '../threads/open-thread.js';
import { type CountryDatabase, openCountries, toDate } from './classify/country-database.js';
import { createVisitDescriber, type VisitFacts } from './classify/describe-visit.js';
import { erasureHandlers } from './erasure-handlers.js';
import { retainedSince } from './ingest/delete-old-visits.js';
import { createIngest, type IngestEvent, ingestThread } from './ingest/ingest-thread.js';
import { removeJournal } from './ingest/visit-ingester.js';
import { createVisitRepository } from './ingest/visit-repository.js';
import { openDamagedLines } from './journal/damaged-lines.js';
import { Journal } from './journal/journal.js';
import {
  createJournalFolder,
  type JournalFolder,
  journalRootOf,
} from './journal/journal-folder.js';
import { toLine } from './journal/journal-lines.js';
import { createVisitRecorder, type VisitRecorder } from './journal/visit-recorder.js';
import type { ClickReport } from './reports/report-contract.js';
import { type ReportSources, reportHandlers } from './reports/report-handlers.js';
import { openReports, type ThreadedReaderOptions } from './reports/report-thread.js';
import { readVisitorKeys } from './visitor-keys.js';

export interface AnalyticsModuleOptions
  extends ThreadedReaderOptions,
    Omit<ReportSources, 'reports' | 'countriesDate' | 'retainedSince'> {
  readonly config: Config;
  readonly outbox: EventOutbox;
  readonly plans: PlanTable;
  /** Called when stored visits have made deliveries for these webhooks due. */
  readonly onEvents: (webhookIds: readonly string[]) => void;
  /** Known when the ingest starts. */
  readonly origins: () => LinkOrigins;
  /** Called when a callback of the journal throws. */
  readonly onCallbackError: (error: unknown) => void;
}

export type AnalyticsModule = ReturnType<typeof createAnalyticsModule>;

// Shorter failures are not reported: another process's long transaction may delay visits.
const toleratedErrorMs = 5_000;
// Lines that are not stored within this time stay in the journal. The next start stores them.
const drainTimeLimitMs = 6_000;
const dropLogEveryMs = 60_000;
// What the public clicks of a link have.
const recentMs = 30 * dayMs;
const topCount = 10;

/** Creates the analytics module: records visits, stores them, and reports clicks and scans. */
export function createAnalyticsModule(options: AnalyticsModuleOptions) {
  const { config, database, storage, outbox, plans, isThreaded, clock, logger } = options;
  const { thresholds, retentionDays } = config;
  const reports = openReports(options);
  const countriesBuiltAt = () => countries?.builtAt;
  const countriesDate = () => toDate(countriesBuiltAt());
  const writerId = newUuid();
  const permanentRoot = journalRootOf(config);
  const root = permanentRoot ?? join(tmpdir(), `shorty-visits-${writerId}`);
  const damagedLines = openDamagedLines(root);
  const settings = { root, writerId, thresholds, retentionDays };
  const readSettings = () => ({ ...settings, origins: options.origins() });
  // Undefined before `start`. The server accepts requests only after it.
  let countries: CountryDatabase | undefined;
  let folder: JournalFolder | undefined;
  let journal: Journal | undefined;
  let recorder: VisitRecorder | undefined;
  let isIngesting = false;
  let failingSince: number | undefined;
  let stored = 0;
  let droppedEvents = 0;
  let dropLoggedAt = Number.NEGATIVE_INFINITY;
  const visitCounts = new Map([['human/browser', 0]]);

  /** Logs an error once until it clears, because attempts repeat several times a second. */
  function onError(err: unknown): void {
    if (failingSince !== undefined) return;
    failingSince = clock();
    logger.error({ err }, 'visit ingest failed');
  }

  function onEvent(event: IngestEvent): void {
    if ('error' in event) {
      const { error: err, service } = event;
      if (service === undefined) onError(err);
      else logger.error({ err, service }, 'work on visits failed');
      return;
    }
    if ('damagedLines' in event) {
      const fields = {
        lines: event.damagedLines,
        journal: event.writerId,
        file: damagedLines.path,
      };
      logger.error(fields, 'journal lines cannot be stored');
      return;
    }
    if ('droppedEvents' in event) {
      droppedEvents += event.droppedEvents;
      if (clock() - dropLoggedAt < dropLogEveryMs) return;
      dropLoggedAt = clock();
      logger.warn({ webhookId: event.webhookId, droppedEvents }, 'events of clicks dropped');
      return;
    }
    if ('webhookIds' in event) {
      options.onEvents(event.webhookIds);
      return;
    }
    stored += event.storedLines;
    if (failingSince === undefined) return;
    failingSince = undefined;
    logger.info('visit ingest recovered');
  }

  // A separate thread stores visits, so redirects never wait for storage.
  const ingest = openThread(ingestThread, {
    isThreaded,
    get data() {
      return { storage, plans, settings: readSettings() };
    },
    inline: (emit) => createIngest(database, outbox, plans, readSettings(), clock, emit),
    onEvent,
    onFailure: onError,
    timeLimitMs: drainTimeLimitMs,
    logger,
  });

  /** Returns why visits do not reach storage; undefined while they do. */
  function storageError(): string | undefined {
    if (journal?.isHealthy === false) {
      return journal.unwrittenCount > 0
        ? 'Visits wait in memory, because the journal cannot be written'
        : 'The journal cannot be synced to the disk';
    }
    if (failingSince === undefined || clock() - failingSince < toleratedErrorMs) return undefined;
    return 'Visits wait in the journal, because storage does not accept them';
  }

  async function eraseVisits(urlId: number): Promise<void> {
    const reason = (await ingest.call('erase')).get(urlId);
    if (reason !== undefined) throw new ApiError('UNAVAILABLE', reason);
  }

  /** Stores the remaining lines, and then deletes the journal. Otherwise the next start stores them. */
  async function closeJournal(): Promise<void> {
    let lost: unknown;
    try {
      journal?.close();
    } catch (error) {
      lost = error;
    }
    // After a failed start, the next one stores the API calls that operators have made meanwhile.
    let isDrained = journal?.appendedCount === 0;
    try {
      if (isIngesting) await ingest.call('drain');
      isDrained ||= isIngesting;
    } catch (error) {
      onError(error);
    }
    await ingest.stop();
    const visits = createVisitRepository(database, { outbox, thresholds });
    if (isDrained) await removeJournal(visits, writerId, folder);
    else folder?.release();
    if (permanentRoot === undefined) rmSync(root, { recursive: true, force: true });
    if (lost) throw lost;
  }

  return {
    handlers: {
      ...reportHandlers({
        ...options,
        reports,
        countriesDate,
        retainedSince: () => retainedSince(retentionDays, clock()),
      }),
      ...erasureHandlers({ ...options, erase: eraseVisits }),
    },
    eraseVisits,

    /** Reads the clicks of a link in the last 30 days, by day. */
    async readRecentClicks(organizationId: string, urlId: number): Promise<ClickReport> {
      const until = clock();
      const query = { since: until - recentMs, until, groupBy: 'day', limit: topCount } as const;
      return JSON.parse(await reports.read('readClicks', organizationId, urlId, query));
    },

    queues: [reports.queue],
    threads: [reports.thread, ingest],
    storageError,
    /** Describes and records visits. Call it after the start only. */
    visits: (): VisitRecorder => recorder as VisitRecorder,

    countDownload(qrId: string, respond: () => void): void {
      journal?.append(toLine({ download: qrId }), () => respond());
    },

    /** Writes an API call to the journal; resolves when the line is written. */
    countCall(organizationId: string): Promise<void> {
      return new Promise((resolve) => {
        journal?.appendNow(toLine({ call: organizationId, at: clock() }), () => resolve());
      });
    },

    /** Returns numbers of lines: redirects, image downloads and API calls since the start. */
    figures: () => ({
      visits: visitCounts as ReadonlyMap<string, number>,
      recorded: journal?.appendedCount ?? 0,
      stored,
      /** The number of lines that are only in memory, because the journal cannot be written. */
      inMemory: journal?.unwrittenCount ?? 0,
      /** The number of lines that were lost because too many were in memory. */
      lost: journal?.lostCount ?? 0,
      /** The number of events of clicks that were not written. */
      droppedEvents,
      isFailing: storageError() !== undefined,
      /** The number of lines that cannot be stored, also from earlier runs. */
      damagedLines: damagedLines.count(),
    }),

    countriesBuiltAt,

    async start(): Promise<void> {
      const visitorKeys = await readVisitorKeys(database);
      countries = await openCountries(options);
      const { find: findPlace } = countries;
      folder = createJournalFolder(root, writerId);
      journal = new Journal({
        folder: folder.path,
        durability: config.durability,
        onError: (err) => logger.error({ err }, 'journal write failed'),
        onCallbackError: options.onCallbackError,
      });
      const describe = createVisitDescriber({ ...config, visitorKeys, findPlace });
      const count = ({ kind, reason }: VisitFacts) => {
        const source = `${kind}/${reason}`;
        visitCounts.set(source, (visitCounts.get(source) ?? 0) + 1);
      };
      recorder = createVisitRecorder(journal, describe, config.trustedProxies, clock, count);
    },

    /** Stores the visits in journals from now on. Events of them contain the addresses of links. */
    startIngest(): void {
      isIngesting = true;
      ingest.start();
    },

    async stop(): Promise<void> {
      await Promise.all([folder && closeJournal(), reports.thread.stop()]);
    },
  };
}
