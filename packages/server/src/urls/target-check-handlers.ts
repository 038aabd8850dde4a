import { validationError } from '../contract/api-error.js';
import { rateLimitedError } from '../contract/rate-limit.js';
import { FairQueue, QueueFullError } from '../fair-queue.js';
import type { HandlersOf } from '../http/handlers.js';
import type { GuardedFetch } from '../network/guarded-fetch.js';
import { parseUrl } from '../network/parse-url.js';
import type { Limit, LimitStore } from '../storage/limits.js';
import { checkTarget, type TargetCheck } from './check-target.js';
import { targetsOf } from './link-rules.js';
import {
  checksPerMinute,
  maxCheckedTargets,
  type targetCheckRoutes,
} from './target-check-contract.js';
import type { UrlRepository } from './url-repository.js';

export interface TargetCheckOptions {
  readonly urls: Pick<UrlRepository, 'findMany'>;
  readonly guardedFetch: Pick<GuardedFetch, 'request'>;
  readonly limits: LimitStore;
  readonly monotonicMs: () => number;
}

const checkLimit: Limit = {
  name: 'target checks',
  units: checksPerMinute,
  windowMs: 60_000,
  restores: 'evenly',
};

const busy: TargetCheck = {
  state: 'uncertain',
  status: null,
  error: 'Too many checks of this host are waiting',
  redirectsTo: null,
  durationMs: 0,
};

/** Checks the targets of links, for the API. */
export function createTargetChecks({
  urls,
  guardedFetch,
  limits,
  monotonicMs,
}: TargetCheckOptions) {
  // By host instead of organization: hosts take turns, and no host gets many requests at once.
  const queue = new FairQueue({
    name: 'target checks',
    concurrency: 16,
    maxRunningPerOrganization: 2,
    maxWaiting: 1_000,
    maxWaitingPerOrganization: checksPerMinute,
  });
  const request = guardedFetch.request.bind(guardedFetch);
  const check = (targetUrl: string) =>
    queue
      .run(parseUrl(targetUrl)?.host ?? '', () => checkTarget(targetUrl, { request, monotonicMs }))
      .catch((error: unknown) => {
        if (error instanceof QueueFullError) return busy;
        throw error;
      });

  /** Throws RATE_LIMITED if the organization has checked too many targets. */
  async function limit(organizationId: string, count: number): Promise<void> {
    const grant = await limits.take(checkLimit, organizationId, count);
    if (grant.granted === count) return;
    throw rateLimitedError(`An organization may check ${checksPerMinute} targets a minute`, {
      limit: checksPerMinute,
      windowSeconds: checkLimit.windowMs / 1000,
      remaining: 0,
      resetSeconds: Math.max(1, Math.ceil((count * checkLimit.windowMs) / checksPerMinute / 1000)),
    });
  }

  const handlers: HandlersOf<typeof targetCheckRoutes> = {
    async checkUrlTargets({ caller: { organizationId }, query: { ids } }) {
      const found = await urls.findMany(organizationId, ids);
      const targets = found.flatMap((url) =>
        targetsOf(url).map((target) => ({ id: String(url.id), ...target })),
      );
      const different = new Set(targets.map(({ targetUrl }) => targetUrl));
      // Rules of one link may have more.
      if (found.length > 1 && different.size > maxCheckedTargets) {
        const message = `these links have ${different.size} targets, and a request checks at most ${maxCheckedTargets}: send fewer ids`;
        throw validationError([{ path: 'ids', message }]);
      }
      if (different.size > 0) await limit(organizationId, different.size);
      const checks = await Promise.all(
        Array.from(different, async (url) => [url, await check(url)] as const),
      );
      const checkOf = new Map(checks);
      const known = new Set(found.map(({ id }) => id));
      return {
        status: 200,
        data: {
          items: targets.map((target) => ({
            ...target,
            ...(checkOf.get(target.targetUrl) ?? busy),
          })),
          skippedIds: ids.filter((id) => !known.has(id)).map(String),
        },
      };
    },
  };
  return { handlers, queue };
}
