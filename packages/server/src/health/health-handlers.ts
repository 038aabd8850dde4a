import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { ApiError } from '../contract/api-error.js';
import type { HandlersOf } from '../http/handlers.js';
import { version } from '../version.js';
import type { healthRoutes } from './health-contract.js';
import { registerLinkMetrics, registerRequestMetrics } from './request-metrics.js';
import { type MetricSources, registerServerMetrics } from './server-metrics.js';

export interface HealthOptions
  extends Pick<MetricSources, 'database' | 'visitFigures' | 'dispatchFigures'> {
  /** Returns the reason while the server is starting or stopping. */
  readonly lifecycleError: () => string | undefined;
  /** Returns the reason why the disk of the journals and the SQLite file cannot be written. */
  readonly diskError: () => Promise<string | undefined>;
  /** Returns the reason why visits cannot be stored; undefined while they can be. */
  readonly visitError: () => string | undefined;
}

// One pass of the dispatcher may wait for a lock of another node, or for the restart of its thread.
const maxDispatcherIdleMs = 15_000;

export function healthHandlers(
  options: HealthOptions,
  metrics: readonly Registry[],
): HandlersOf<typeof healthRoutes> {
  // Each scrape takes milliseconds of the event loop.
  const scrape = shareCalls(async () =>
    (await Promise.all(metrics.map((each) => each.metrics()))).join(''),
  );
  return {
    getLiveness: async () => ({ status: 200, body: { status: 'ok', version } }),

    async getReadiness() {
      const error =
        options.lifecycleError() ??
        (await options.diskError()) ??
        options.visitError() ??
        dispatcherError(options.dispatchFigures().sinceTickMs);
      if (error !== undefined) throw new ApiError('UNAVAILABLE', error);
      await sql`select 1 from organizations limit 1`.execute(options.database.read);
      const { damagedLines } = options.visitFigures();
      return { status: 200, body: { status: 'ok', damagedLines } };
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
  options: HealthOptions & MetricSources & { readonly operations: readonly string[] },
) {
  const metrics = new Registry();
  registerServerMetrics(metrics, options);
  const onFinished = registerRequestMetrics(metrics, options.operations);
  const onLinkResponse = registerLinkMetrics(metrics);
  const handlers = healthHandlers(options, [metrics, processMetrics()]);
  return { handlers, onFinished, onLinkResponse };
}

let ofProcess: Registry | undefined;

// They list every open socket at each scrape, and promtool refuses their names.
const listings = ['handles', 'requests', 'resources'].flatMap((kind) => [
  `nodejs_active_${kind}`,
  `nodejs_active_${kind}_total`,
]);

/** Returns the metrics of the process, which all servers in it share. */
function processMetrics(): Registry {
  if (!ofProcess) {
    ofProcess = new Registry();
    // Half of the default's work, which an idle server notices. The lag contains this time.
    collectDefaultMetrics({ register: ofProcess, eventLoopMonitoringPrecision: 20 });
    for (const name of listings) ofProcess.removeSingleMetric(name);
  }
  return ofProcess;
}

/** Returns a function whose concurrent calls share one call of `work`. */
function shareCalls<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<Result> | undefined;
  return () => {
    running ??= work().finally(() => {
      running = undefined;
    });
    return running;
  };
}

// A full disk may have some kilobytes left.
const probe = new Uint8Array(64 * 1024);

/** Returns a function that returns why a folder cannot be written, or undefined. */
export const diskCheck = (folder: string) => shareCalls(() => findDiskError(folder));

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
