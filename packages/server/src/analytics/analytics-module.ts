import { randomBytes } from 'node:crypto';
import type { ObservedThread } from '../threads/thread.js';
import { createVisitDescriber } from './classify/describe-visit.js';
import { openCountryDatabase } from './classify/find-country.js';
import {
  startVisitPipeline,
  type VisitFigures,
  type VisitPipeline,
  type VisitPipelineOptions,
} from './ingest/visit-pipeline.js';
import { toCallLine, toDownloadLine } from './journal/journal-lines.js';
import { createVisitRecorder, type RecordVisit } from './journal/visit-recorder.js';
import { type ReportSources, reportHandlers } from './reports/report-handlers.js';
import { openReports } from './reports/report-thread.js';

export type AnalyticsModuleOptions = VisitPipelineOptions & Pick<ReportSources, 'getUrl'>;

/** Creates the analytics module: records visits, stores them, and reports clicks and scans. */
export function createAnalyticsModule(options: AnalyticsModuleOptions) {
  const { config, database, clock, logger } = options;
  const reports = openReports(options);
  // Undefined before `start`. The server accepts requests only after it.
  let pipeline: VisitPipeline | undefined;
  let record: RecordVisit | undefined;
  return {
    handlers: reportHandlers({ ...options, reports }),
    queues: [reports.queue],
    /** Returns the threads. Includes the ingest thread after `start`. */
    threads: (): ObservedThread[] => [reports.thread, ...(pipeline ? [pipeline.thread] : [])],

    /** Writes a visit to the journal, then calls `respond`. */
    record: (...visit: Parameters<RecordVisit>): void => record?.(...visit),

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
    storageError: (): string | undefined => pipeline?.storageError(),

    /** Undefined before `start`. */
    figures: (): VisitFigures | undefined => pipeline?.figures(),

    async start(): Promise<void> {
      const findCountry = await openCountryDatabase({
        path: config.countryDatabase,
        onError: (err) => logger.error({ err }, 'country database failed'),
      });
      const describe = createVisitDescriber({
        ...config,
        secretKey:
          config.secretKey ??
          (await database.loadKey('visitors', randomBytes(32).toString('base64url'))),
        findCountry,
      });
      pipeline = startVisitPipeline(options);
      const { journal } = pipeline;
      const proxies = config.trustedProxies;
      record = createVisitRecorder({ journal, describe, proxies, clock });
    },

    async stop(): Promise<void> {
      await Promise.all([pipeline?.stop(), reports.thread.stop()]);
    },
  };
}
