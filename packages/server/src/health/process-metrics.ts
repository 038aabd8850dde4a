import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Registry } from 'prom-client';
import type { Service } from '../lifecycle.js';
import { registerMetric, type ScrapedMetric } from './scraped-metric.js';

const resolutionMs = 20;

/**
 * Registers metrics of the process, under the names that dashboards for Node use. Returns the service
 * that measures the delay of the event loop.
 *
 * Does not use the default metrics of prom-client. At each scrape, they list every open file and
 * handle, which blocks redirects on a server with many connections.
 */
export function registerProcessMetrics(registry: Registry): Service {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  const lag = (statistic: string, read: () => number): ScrapedMetric => ({
    name: `nodejs_eventloop_lag_${statistic}_seconds`,
    help: `Delay of timers since the last scrape (${statistic}).`,
    read: () => toLagSeconds(read()),
  });
  const memory = (name: string, help: string, field: keyof NodeJS.MemoryUsage): ScrapedMetric => ({
    name,
    help,
    read: () => process.memoryUsage()[field],
  });
  const metrics: readonly ScrapedMetric[] = [
    lag('mean', () => delay.mean),
    lag('p99', () => delay.percentile(99)),
    // Registered last: metrics are read in this order, and the reset starts the next period.
    lag('max', () => {
      const { max } = delay;
      delay.reset();
      return max;
    }),
    memory('process_resident_memory_bytes', 'Resident memory.', 'rss'),
    memory('nodejs_heap_size_used_bytes', 'Used heap.', 'heapUsed'),
    memory('nodejs_heap_size_total_bytes', 'Allocated heap.', 'heapTotal'),
    memory('nodejs_external_memory_bytes', 'Memory outside the heap.', 'external'),
    {
      name: 'process_cpu_seconds_total',
      help: 'User and system processor time.',
      read() {
        const { user, system } = process.cpuUsage();
        return (user + system) / 1e6;
      },
    },
    {
      name: 'process_start_time_seconds',
      help: 'Start time of the process, in seconds since 1970.',
      read: () => Math.round(performance.timeOrigin / 1000),
    },
  ];
  for (const metric of metrics) registerMetric(registry, metric);
  return {
    name: 'process metrics',
    start: () => delay.enable(),
    stop: async () => {
      delay.disable();
    },
  };
}

/** Subtracts the timer's own interval, which the measured delay includes. Returns 0 before the first timer. */
function toLagSeconds(nanoseconds: number): number {
  if (!Number.isFinite(nanoseconds)) return 0;
  return Math.max(0, nanoseconds / 1e9 - resolutionMs / 1000);
}
