import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Logger } from 'pino';
import { v7 as newUuid } from 'uuid';
import type { Config } from '../config.js';
import type { EventOutbox } from '../events/event-outbox.js';
import type { PlanTable } from '../organizations/plans.js';
import type { Clock } from '../ports.js';
import type { Link } from '../redirect/link.js';
import type { Database } from '../storage/database.js';
import { locateDatabase } from '../storage/locate-database.js';
import type { StorageOptions } from '../storage/open-storage.js';
import type { ObservedThread } from '../threads/thread.js';
import type { LinkOrigins } from '../urls/present-url.js';
import type { UrlService } from '../urls/url-service.js';
import { createVisitDescriber } from './classify/describe-visit.js';
import { openCountryDatabase } from './classify/find-country.js';
import { ChunkRepository } from './ingest/chunk-repository.js';
import { type VisitFigures, VisitPipeline } from './ingest/visit-pipeline.js';
import { VisitRepository } from './ingest/visit-repository.js';
import { toCallLine, toDownloadLine } from './journal/journal-lines.js';
import { VisitRecorder } from './journal/visit-recorder.js';
import { clickHandlers } from './reports/click-handlers.js';
import { openClickReports } from './reports/click-reports.js';
import { ClickService } from './reports/click-service.js';
import { scanHandlers } from './reports/scan-handlers.js';
import { ScanRepository } from './reports/scan-repository.js';
import { ScanService } from './reports/scan-service.js';

export interface ClickRoomOptions {
  readonly config: Config;
  readonly database: Database;
  readonly storage: StorageOptions;
  readonly isThreaded: boolean;
  readonly outbox: EventOutbox;
  readonly urls: UrlService;
  readonly origins: () => LinkOrigins;
  readonly plans: PlanTable;
  /** Called with what throws once a visit is in the journal. */
  readonly onCallbackError: (error: unknown) => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Beside the database file; in a folder of its own where the database is elsewhere. */
function journalFolderOf({ databaseUrl, journalFolder }: Config): string | undefined {
  const location = locateDatabase(databaseUrl);
  if (location.engine === 'postgres') return journalFolder;
  return location.path === ':memory:' ? undefined : `${location.path}.visits`;
}

/** Visits, from the request to the report; scans are visits, too. */
export function createClickRoom(options: ClickRoomOptions) {
  const { config, database, storage, isThreaded, outbox, urls, origins, plans, clock, logger } =
    options;
  const { thresholds, retentionDays, trustedProxies: proxies } = config;
  const reports = openClickReports({ isThreaded, storage, database, logger });
  // Both exist once the server has started; nobody visits or calls before.
  let pipeline: VisitPipeline | undefined;
  let recorder: VisitRecorder | undefined;
  return {
    handlers: {
      ...clickHandlers(new ClickService({ urls, reports, clock }), origins),
      ...scanHandlers(new ScanService({ scans: new ScanRepository(database), reports, clock })),
    },

    queues: [reports.queue],
    /** The ingest thread exists once the server has started. */
    threads: (): ObservedThread[] => [reports.thread, ...(pipeline ? [pipeline.thread] : [])],

    /** Keeps the visit, and then has it answered. */
    record(request: IncomingMessage, link: Link, answer: () => void): void {
      recorder?.record(request, link, answer);
    },

    /** Counts a download, keeps that, and then has it answered. */
    countDownload(qrId: string, answer: () => void): void {
      pipeline?.journal.append(toDownloadLine(qrId), answer);
    },

    /** Counts a request of the API; resolves when that is kept. */
    countCall(organizationId: string): Promise<void> {
      return new Promise((resolve) => {
        pipeline?.journal.appendNow(toCallLine(organizationId, clock()), resolve);
      });
    },

    /** Why visits do not reach storage; undefined while they do. */
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
