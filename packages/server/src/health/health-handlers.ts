import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { ApiError } from '../contract/api-error.js';
import type { HandlersOf } from '../http/handlers.js';
import type { Database } from '../storage/database.js';
import type { healthRoutes } from './health-contract.js';

export interface HealthOptions {
  readonly database: Database;
  readonly isStopping: () => boolean;
  /** Why visits do not reach storage; undefined while they do. */
  readonly visitFault: () => string | undefined;
  /** How long ago the webhook dispatcher last looked for work. */
  readonly dispatcherIdleMs: () => number;
  /** In Prometheus' text format. */
  readonly metrics: () => string;
}

// A turn may wait for a lock of another process, and for a thread that has to be started again.
const dispatcherPatienceMs = 15_000;

export function healthHandlers({
  database,
  isStopping,
  visitFault,
  dispatcherIdleMs,
  metrics,
}: HealthOptions): HandlersOf<typeof healthRoutes> {
  const ok = { status: 200, body: { status: 'ok' } };
  return {
    getLiveness: async () => ok,

    async getReadiness() {
      if (isStopping()) throw new ApiError('UNAVAILABLE', 'The server is stopping');
      const fault = visitFault() ?? dispatchFault(dispatcherIdleMs());
      if (fault !== undefined) throw new ApiError('UNAVAILABLE', fault);
      await sql`select 1 from organizations limit 1`.execute(database.read);
      return ok;
    },

    async getMetrics() {
      // The event loop's delay is recorded by a timer. One that is overdue runs before this one, so
      // that a stall right before the request is part of the figures.
      await sleep(1);
      return { status: 200, text: metrics(), mediaType: 'text/plain; version=0.0.4' };
    },
  };
}

function dispatchFault(idleMs: number): string | undefined {
  if (idleMs < dispatcherPatienceMs) return undefined;
  return 'Webhooks wait: their dispatcher does not get on';
}
