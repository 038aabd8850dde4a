import type { Logger } from 'pino';
import { PeriodicService, type Service } from '../lifecycle.js';
import { createGuardedFetch, type GuardedFetch } from '../network/guarded-fetch.js';
import type { Clock } from '../ports.js';
import type { Database } from '../storage/database.js';
import type { FetchedPreview } from './fetch-preview.js';
import { type ClaimedTarget, PreviewQueue } from './preview-queue.js';

export interface PreviewServiceOptions {
  readonly database: Database;
  readonly allowPrivateNetwork: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called with the id of a link whose preview was stored. */
  readonly onFetched: (urlId: number) => void;
}

const everyMs = 1_000;
const concurrency = { total: 16, perOrganization: 4 };

/** Creates the background task that reads the targets of links for their previews. */
export function createPreviewService({
  database,
  allowPrivateNetwork,
  clock,
  logger,
  onFetched,
}: PreviewServiceOptions): Service {
  const queue = new PreviewQueue(database);
  let guardedFetch: GuardedFetch | undefined;

  async function read(guarded: GuardedFetch, claim: ClaimedTarget, signal: AbortSignal) {
    // Most servers read no target, and so need no HTML parser.
    const { fetchPreview } = await import('./fetch-preview.js');
    const outcome = await fetchPreview(guarded, claim.targetUrl).catch(
      (err: unknown): FetchedPreview => {
        if (!signal.aborted) logger.error({ err, urlId: claim.urlId }, 'reading a target failed');
        return { error: 'The target could not be read', isFinal: false };
      },
    );
    // The server stops, which ends attempts. The next one reads the target.
    if (signal.aborted) return;
    if (await queue.settle(claim, outcome, clock())) onFetched(claim.urlId);
  }

  /** Reads all targets that are due. */
  async function tick(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const claims = await queue.claim(clock(), concurrency.total, concurrency.perOrganization);
      if (claims.length === 0) return;
      guardedFetch ??= createGuardedFetch({ allowPrivateNetwork });
      const guarded = guardedFetch;
      const results = await Promise.allSettled(claims.map((claim) => read(guarded, claim, signal)));
      const failed = results.find((result) => result.status === 'rejected');
      if (failed) throw failed.reason;
    }
  }

  const service = new PeriodicService({
    name: 'previews',
    everyMs,
    tick,
    onError: (err) => logger.error({ err }, 'reading the targets of links for previews failed'),
  });
  return {
    name: service.name,
    start: () => service.start(),
    async stop() {
      const stopped = service.stop();
      // Ends the attempts in progress.
      guardedFetch?.close();
      guardedFetch = undefined;
      await stopped;
    },
  };
}
