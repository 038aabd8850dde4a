import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Logger } from 'pino';
import { v7 as newUuid } from 'uuid';
import type { Config } from '../config.js';
import type { EventOutbox } from '../events/event-outbox.js';
import type { PlanTable } from '../organizations/plans.js';
import type { Clock } from '../ports.js';
import type { Database } from '../storage/database.js';
import { locateDatabase } from '../storage/locate-database.js';
import type { StorageOptions } from '../storage/open-storage.js';
import type { ObservedThread } from '../threads/thread.js';
import { createVisitDescriber } from './classify/describe-visit.js';
import { openCountryDatabase } from './classify/find-country.js';
import { ChunkRepository } from './ingest/chunk-repository.js';
import { type VisitFigures, VisitPipeline } from './ingest/visit-pipeline.js';
import { VisitRepository } from './ingest/visit-repository.js';
import { toCallLine, toDownloadLine } from './journal/journal-lines.js';
import { type VisitedUrl, VisitRecorder } from './journal/visit-recorder.js';
import { clickHandlers } from './reports/click-handlers.js';
import { openClickReports } from './reports/click-reports.js';
import { ClickService, type GetReportUrl } from './reports/click-service.js';
import { scanHandlers } from './reports/scan-handlers.js';
import { ScanRepository } from './reports/scan-repository.js';
import { ScanService } from './reports/scan-service.js';

export interface AnalyticsOptions {
  readonly config: Config;
  readonly database: Database;
  readonly storage: StorageOptions;
  readonly isThreaded: boolean;
  readonly outbox: EventOutbox;
  readonly getUrl: GetReportUrl;
  readonly plans: PlanTable;
  /** Called when a `respond` callback throws. */
  readonly onCallbackError: (error: unknown) => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Returns the configured folder with PostgreSQL, or one beside the SQLite file. */
function journalFolderOf({ databaseUrl, journalFolder }: Config): string | undefined {
  const location = locateDatabase(databaseUrl);
  if (location.engine === 'postgres') return journalFolder;
  return location.path === ':memory:' ? undefined : `${location.path}.visits`;
}

/** Creates the analytics module: records visits, stores them, and reports clicks and scans. */
export function createAnalytics(options: AnalyticsOptions) {
  const { config, database, storage, isThreaded, outbox, getUrl, plans, clock, logger } = options;
  const { thresholds, retentionDays, trustedProxies: proxies } = config;
  const reports = openClickReports({ isThreaded, storage, database, logger });
  // Undefined until `start`; requests arrive only afterwards.
  let pipeline: VisitPipeline | undefined;
  let recorder: VisitRecorder | undefined;
  return {
    handlers: {
      ...clickHandlers(new ClickService({ getUrl, reports, clock })),
      ...scanHandlers(new ScanService({ scans: new ScanRepository(database), reports, clock })),
    },

    queues: [reports.queue],
    /** The ingest thread exists once the server has started. */
    threads: (): ObservedThread[] => [reports.thread, ...(pipeline ? [pipeline.thread] : [])],

    /** Writes a visit to the journal, then calls `respond`. */
    record(request: IncomingMessage, url: VisitedUrl, respond: () => void): void {
      recorder?.record(request, url, respond);
    },

    /** Writes a download of a QR code to the journal, then calls `respond`. */
    countDownload(qrId: string, respond: () => void): void {
      pipeline?.journal.append(toDownloadLine(qrId), respond);
    },

    /** Writes an API call to the journal; resolves when the line is written. */
    countCall(organizationId: string): Promise<void> {
      return new Promise((resolve) => {
        pipeline?.journal.appendNow(toCallLine(organizationId, clock()), resolve);
      });
    },

    /** The reason why visits do not reach storage; undefined while they do. */
    fault: (): string | undefined => pipeline?.fault,

    /** Undefined before the start. */
    figures: (): VisitFigures | undefined => pipeline?.figures,

    async start(): Promise<void> {
      pipeline = new VisitPipeline({
        storage,
        journalFolder: journalFolderOf(config),
        durability: config.durability,
        thresholds,
        retentionDays,
        plans,
        visits: new VisitRepository(database, { outbox, thresholds }),
        chunks: new ChunkRepository(database),
        isThreaded,
        onCallbackError: options.onCallbackError,
        newId: newUuid,
        clock,
        logger,
      });
      const findCountry = await openCountryDatabase({
        path: config.countryDatabase,
        onFault: (err) => logger.error({ err }, 'countries are unknown'),
      });
      const describer = createVisitDescriber({
        secretKey:
          config.secretKey ??
          (await database.loadKey('visitors', randomBytes(32).toString('base64url'))),
        findCountry,
        countryHeader: config.countryHeader,
        honourPrivacySignals: config.honourPrivacySignals,
      });
      recorder = new VisitRecorder({ journal: pipeline.journal, describer, proxies, clock });
      pipeline.start();
    },

    async stop(): Promise<void> {
      await Promise.all([pipeline?.stop(), reports.thread.stop()]);
    },
  };
}
