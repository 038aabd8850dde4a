import { randomInt } from 'node:crypto';
import type { Logger } from 'pino';
import type { IsOwnHost } from '../domains/own-hosts.js';
import type { EventOutbox } from '../events/event-outbox.js';
import { PeriodicService } from '../lifecycle.js';
import type { PlanTable } from '../organizations/plans.js';
import type { Clock } from '../ports.js';
import { runInBatches } from '../storage/batches.js';
import type { Database } from '../storage/database.js';
import { type BlockedHostHandlerOptions, blockedHostHandlers } from './blocked-host-handlers.js';
import { toRecord } from './present-url.js';
import { type ShortCodeOptions, shortCodeGenerator } from './short-code.js';
import { type TagHandlerOptions, tagHandlers } from './tag-handlers.js';
import { type FindTagged, TagRepository } from './tag-repository.js';
import { type TakedownHandlerOptions, takedownHandlers } from './takedown-handlers.js';
import { createTargetScan, type TargetScanOptions } from './target-scan.js';
import { type UrlHandlerOptions, urlHandlers } from './url-handlers.js';
import { UrlRecorder } from './url-recorder.js';
import { UrlRepository } from './url-repository.js';

export interface UrlModuleOptions
  extends Omit<UrlHandlerOptions, 'urls' | 'newShortCode' | 'eraseUrl'>,
    Pick<TakedownHandlerOptions, 'listTakedowns' | 'ignoresCase'>,
    Pick<BlockedHostHandlerOptions, 'listBlockedHosts' | 'onHostsChanged'> {
  readonly database: Database;
  readonly safeDns: TargetScanOptions['safeDns'] | undefined;
  readonly outbox: EventOutbox;
  readonly isOwnHost: IsOwnHost;
  /** Whether links of the platform's domain are found in any case. */
  readonly ignoreCase: boolean;
  readonly listTags: TagHandlerOptions['listTags'];
  readonly findTagged: FindTagged;
  readonly plans: PlanTable;
  readonly logger: Logger;
  readonly config: Pick<ShortCodeOptions, 'codeLength' | 'codeAlphabet'>;
}

const expiryEveryMs = 1_000;
const expiryIdleEveryMs = 3_000;
const expiredAtOnce = 50;
// 100 links a second are 8 million a day, and few questions for a resolver.
const scanEveryMs = 1_000;
const scanIdleEveryMs = 60_000;

/**
 * Deactivates links whose `expiresAt` has passed, with their events, until the signal aborts. Returns
 * their number.
 */
export function expireUrls(
  urls: Pick<UrlRepository, 'expireDue'>,
  clock: Clock,
  signal?: AbortSignal,
): Promise<number> {
  const now = clock();
  const expireBatch = async () => (await urls.expireDue(now, expiredAtOnce)).length;
  return runInBatches(expiredAtOnce, expireBatch, signal);
}

export function createUrlModule(options: UrlModuleOptions) {
  const { database, outbox, origins, plans, isOwnHost, ignoreCase, clock, logger } = options;
  const newShortCode = shortCodeGenerator(randomInt, { ...options, ...options.config });
  const recorder = new UrlRecorder({
    outbox,
    toEventData: (shortUrl, now) => toRecord(origins(), shortUrl, now),
  });
  const urls = new UrlRepository(database, { isOwnHost, ignoreCase, plans, recorder });
  const tags = new TagRepository(database, options.findTagged);
  const scanTargets = options.safeDns && createTargetScan({ ...options, safeDns: options.safeDns });
  const expire = (signal?: AbortSignal) => expireUrls(urls, clock, signal);
  return {
    urls,
    recorder,
    /** Erasures need modules that need this one. */
    handlersWith: ({ eraseUrl }: Pick<UrlHandlerOptions, 'eraseUrl'>) => ({
      ...urlHandlers({
        ...options,
        urls,
        newShortCode,
        eraseUrl,
      }),
      ...tagHandlers({ ...options, tags }),
      ...blockedHostHandlers(options),
      ...takedownHandlers({ ...options, urls, recorder }),
    }),
    expire,
    /** Checks the targets of one page of links; false if none is due. */
    scanTargets: scanTargets ?? (async () => false),
    services: [
      ...(scanTargets
        ? [
            new PeriodicService({
              name: 'target scan',
              everyMs: scanEveryMs,
              idleEveryMs: scanIdleEveryMs,
              tick: scanTargets,
              onError: (err) => logger.error({ err }, 'the check of targets failed'),
            }),
          ]
        : []),
      new PeriodicService({
        name: 'expiry',
        everyMs: expiryEveryMs,
        idleEveryMs: expiryIdleEveryMs,
        tick: async (signal) => (await expire(signal)) > 0,
        onError: (err) => logger.error({ err }, 'link expiry failed'),
      }),
    ],
  };
}
