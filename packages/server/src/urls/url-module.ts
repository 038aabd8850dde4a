import { randomInt } from 'node:crypto';
import type { Logger } from 'pino';
import type { EventOutbox } from '../events/event-outbox.js';
import { periodicService } from '../lifecycle.js';
import { runInBatches } from '../storage/batches.js';
import { createTargetScan, type TargetScanOptions } from './check-target.js';
import { type ModerationHandlerOptions, moderationHandlers } from './moderation-handlers.js';
import { toRecord } from './present-url.js';
import { type ShortCodeOptions, shortCodeGenerator } from './short-code.js';
import { type TagHandlerOptions, tagHandlers } from './tag-handlers.js';
import { urlRecorder } from './url-events.js';
import { type UrlHandlerOptions, urlHandlers } from './url-handlers.js';
import { createUrlReader, type UrlReaderOptions } from './url-reader.js';
import { createUrlWriter, type UrlWriterOptions } from './url-writer.js';

export interface UrlModuleOptions
  extends UrlReaderOptions,
    Omit<UrlHandlerOptions, 'urls' | 'writer' | 'eraseUrl'>,
    Omit<UrlWriterOptions, 'record' | 'newShortCode'>,
    Omit<ModerationHandlerOptions, 'urls' | 'record'>,
    Omit<TagHandlerOptions, 'record'> {
  readonly safeDns: TargetScanOptions['safeDns'] | undefined;
  readonly outbox: EventOutbox;
  readonly logger: Logger;
  readonly config: Pick<ShortCodeOptions, 'codeLength' | 'codeAlphabet'>;
}

const expiryEveryMs = 1_000;
const expiryIdleEveryMs = 3_000;
const expiredAtOnce = 50;
// 100 links a second are 8 million a day, and few questions for a resolver.
const scanEveryMs = 1_000;
const scanIdleEveryMs = 60_000;

export function createUrlModule(options: UrlModuleOptions) {
  const { database, origins, clock, logger } = options;
  const newShortCode = shortCodeGenerator(randomInt, { ...options, ...options.config });
  const record = urlRecorder(options.outbox, (url, now) => toRecord(origins(), url, now));
  const urls = createUrlReader(database, options);
  const writer = createUrlWriter({ ...options, record, newShortCode });
  /** Checks the targets of one page of links; false if none is due. */
  const scanTargets = options.safeDns
    ? createTargetScan({ ...options, safeDns: options.safeDns })
    : async () => false;
  /** Deactivates links whose `expiresAt` has passed, with their events. Returns their number. */
  const expire = (signal?: AbortSignal) => {
    const now = clock();
    return runInBatches(expiredAtOnce, () => writer.expireDue(now, expiredAtOnce), signal);
  };
  return {
    urls,
    record,
    /** Erasures need modules that need this one. */
    handlersWith: ({ eraseUrl }: Pick<UrlHandlerOptions, 'eraseUrl'>) => ({
      ...urlHandlers({ ...options, urls, writer, eraseUrl }),
      ...tagHandlers({ ...options, record }),
      ...moderationHandlers({ ...options, urls, record }),
    }),
    expire,
    scanTargets,
    services: [
      periodicService({
        everyMs: scanEveryMs,
        idleEveryMs: scanIdleEveryMs,
        tick: scanTargets,
        onError: (err) => logger.error({ err }, 'the check of targets failed'),
      }),
      periodicService({
        everyMs: expiryEveryMs,
        idleEveryMs: expiryIdleEveryMs,
        tick: async (signal) => (await expire(signal)) > 0,
        onError: (err) => logger.error({ err }, 'link expiry failed'),
      }),
    ],
  };
}
