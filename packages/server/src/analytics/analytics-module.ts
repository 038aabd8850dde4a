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
import { findQrCode } from './ingest/scanned-url.js';
import { type VisitFigures, VisitPipeline } from './ingest/visit-pipeline.js';
import { toCallLine, toDownloadLine } from './journal/journal-lines.js';
import { type VisitedUrl, VisitRecorder } from './journal/visit-recorder.js';
import { openReports } from './reports/open-reports.js';
import { reportHandlers } from './reports/report-handlers.js';
import { type GetReportUrl, ReportService } from './reports/report-service.js';

export interface AnalyticsModuleOptions {
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

/** Returns a folder beside the SQLite file, or the configured one for PostgreSQL; undefined in memory. */
function journalFolderOf({ databaseUrl, journalFolder }: Config): string | undefined {
  const location = locateDatabase(databaseUrl);
  if (location.engine === 'postgres') return journalFolder;
  return location.path === ':memory:' ? undefined : `${location.path}.visits`;
}

/** Creates the analytics module: records visits, stores them, and reports clicks and scans. */
export function createAnalyticsModule(options: AnalyticsModuleOptions) {
  const { config, database, storage, isThreaded, outbox, getUrl, plans, clock, logger } = options;
  const { thresholds, retentionDays, trustedProxies: proxies } = config;
  const reports = openReports({ isThreaded, storage, database, logger });
  // Undefined before `start`. The server accepts requests only afterwards.
  let pipeline: VisitPipeline | undefined;
  let recorder: VisitRecorder | undefined;
  return {
    handlers: reportHandlers(
      new ReportService({
        getUrl,
        findQrCode: (organizationId, qrId) => findQrCode(database.read, organizationId, qrId),
        reports,
        clock,
      }),
    ),

    queues: [reports.queue],
    /** The ingest thread is in the list after `start`. */
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

    /** Returns why visits do not reach storage; undefined while they do. */
    storageError: (): string | undefined => pipeline?.storageError,

    /** Undefined before `start`. */
    figures: (): VisitFigures | undefined => pipeline?.figures,

    async start(): Promise<void> {
      pipeline = new VisitPipeline({
        database,
        storage,
        outbox,
        plans,
        journalFolder: journalFolderOf(config),
        durability: config.durability,
        thresholds,
        retentionDays,
        isThreaded,
        onCallbackError: options.onCallbackError,
        newId: newUuid,
        clock,
        logger,
      });
      const findCountry = await openCountryDatabase({
        path: config.countryDatabase,
        onError: (err) => logger.error({ err }, 'country database failed'),
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
