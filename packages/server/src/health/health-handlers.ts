import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { Registry } from 'prom-client';
import { ApiError } from '../contract/api-error.js';
import type { HandlersOf } from '../http/handlers.js';
import type { Database } from '../storage/database.js';
import { version } from '../version.js';
import type { healthRoutes } from './health-contract.js';
import { processMetrics } from './process-metrics.js';
import { registerLinkMetrics, registerRequestMetrics } from './request-metrics.js';
import { type MetricSources, registerServerMetrics } from './server-metrics.js';

export interface HealthOptions {
  readonly database: Database;
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

export function createHealthModule(
  options: Omit<HealthOptions, 'damagedLines' | 'dispatcherIdleMs' | 'metrics'> &
    MetricSources & {
      readonly operations: readonly string[];
    },
) {
  const metrics = new Registry();
  registerServerMetrics(metrics, options);
  const onFinished = registerRequestMetrics(metrics, options.operations);
  const onLinkResponse = registerLinkMetrics(metrics);

  return {
    handlers: healthHandlers({
      ...options,
      damagedLines: () => options.visitFigures().damagedLines,
      dispatcherIdleMs: () => options.dispatchFigures().sinceTickMs,
      metrics: [metrics, processMetrics()],
    }),
    onFinished,
    onLinkResponse,
  };
}

// A full disk may have some kilobytes left.
const probe = new Uint8Array(64 * 1024);

/** Returns a function that returns why a folder cannot be written, or undefined. Concurrent calls share one check. */
export function diskCheck(folder: string): () => Promise<string | undefined> {
  let running: Promise<string | undefined> | undefined;
  return () => {
    running ??= findDiskError(folder).finally(() => {
      running = undefined;
    });
    return running;
  };
}

async function findDiskError(folder: string): Promise<string | undefined> {
  const path = join(folder, `.health-${process.pid}`);
  try {
    await writeFile(path, probe, { mode: 0o600 });
    return undefined;
  } catch (error) {
    // Without the path, because anybody may ask.
    const [reason] = (error as Error).message.split(',', 1);
    return `The disk of the data cannot be written (${reason})`;
  } finally {
    await rm(path, { force: true }).catch(() => {});
  }
}
