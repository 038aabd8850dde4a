import { sql } from 'kysely';
import type { Registry } from 'prom-client';
import { ApiError } from '../contract/api-error.js';
import type { HandlersOf } from '../http/handlers.js';
import type { Database } from '../storage/database.js';
import { version } from '../version.js';
import type { healthRoutes } from './health-contract.js';

export interface HealthOptions {
  readonly database: Database;
  /** Returns the reason while the server is starting or stopping. */
  readonly lifecycleError: () => string | undefined;
  /** Returns the reason why the disk of the journals and the SQLite file cannot be written. */
  readonly diskError: () => Promise<string | undefined>;
  /** Returns the reason why visits cannot be stored; undefined while they can be. */
  readonly visitError: () => string | undefined;
  readonly damagedLines: () => number;
  /** Returns the time since the webhook dispatcher last queried due deliveries. */
  readonly dispatcherIdleMs: () => number;
  readonly metrics: readonly Registry[];
}

// One pass of the dispatcher may wait for a lock of another node, or for the restart of its thread.
const maxDispatcherIdleMs = 15_000;

export function healthHandlers({
  database,
  lifecycleError,
  diskError,
  visitError,
  damagedLines,
  dispatcherIdleMs,
  metrics,
}: HealthOptions): HandlersOf<typeof healthRoutes> {
  let running: Promise<string> | undefined;
  // Concurrent requests share one scrape, because each takes milliseconds of the event loop.
  const scrape = () => {
    running ??= Promise.all(metrics.map((each) => each.metrics()))
      .then((texts) => texts.join(''))
      .finally(() => {
        running = undefined;
      });
    return running;
  };
  return {
    getLiveness: async () => ({ status: 200, body: { status: 'ok', version } }),

    async getReadiness() {
      const error =
        lifecycleError() ??
        (await diskError()) ??
        visitError() ??
        dispatcherError(dispatcherIdleMs());
      if (error !== undefined) throw new ApiError('UNAVAILABLE', error);
      await sql`select 1 from organizations limit 1`.execute(database.read);
      return { status: 200, body: { status: 'ok', damagedLines: damagedLines() } };
    },

    getMetrics: async () => ({
      status: 200,
      text: await scrape(),
      mediaType: 'text/plain; version=0.0.4',
    }),
  };
}

function dispatcherError(idleMs: number): string | undefined {
  if (idleMs < maxDispatcherIdleMs) return undefined;
  const seconds = Math.floor(idleMs / 1000);
  return `The webhook dispatcher has made no progress for ${seconds} s`;
}
