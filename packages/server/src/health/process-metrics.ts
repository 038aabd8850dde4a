import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import type { Registry } from 'prom-client';
import type { Service } from '../lifecycle.js';
import { registerCounter, registerGauge } from './scraped-metric.js';

const resolutionMs = 20;

const heapMetrics = [
  { name: 'nodejs_heap_size_used_bytes', help: 'Used heap.', field: 'heapUsed' },
  { name: 'nodejs_heap_size_total_bytes', help: 'Allocated heap.', field: 'heapTotal' },
  { name: 'nodejs_external_memory_bytes', help: 'Memory outside the heap.', field: 'external' },
] as const;

/**
 * Registers metrics of the process, under the names that dashboards for Node use, and returns the
 * service that measures the delay of the event loop. prom-client's default metrics are not used: at
 * each scrape they list every open file and handle, which blocks redirects on a server with many
 * connections.
 */
export function registerProcessMetrics(registry: Registry): Service {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  registerEventLoopLag(registry, delay);
  registerGauge(registry, {
    name: 'process_resident_memory_bytes',
    help: 'Resident memory.',
    read: () => process.memoryUsage.rss(),
  });
  for (const { name, help, field } of heapMetrics) {
    registerGauge(registry, { name, help, read: () => process.memoryUsage()[field] });
  }
  registerCounter(registry, {
    name: 'process_cpu_seconds_total',
    help: 'User and system processor time.',
    read() {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    },
  });
  registerGauge(registry, {
    name: 'process_start_time_seconds',
    help: 'Start time of the process, in seconds since 1970.',
    read: () => Math.round(performance.timeOrigin / 1000),
  });
  return {
    name: 'process metrics',
    start: () => delay.enable(),
    stop: async () => {
      delay.disable();
    },
  };
}

function registerEventLoopLag(registry: Registry, delay: IntervalHistogram): void {
  const lags = {
    mean: () => delay.mean,
    p99: () => delay.percentile(99),
    // Registered last: metrics are read in this order, and the reset starts the next period.
    max: () => {
      const { max } = delay;
      delay.reset();
      return max;
    },
  };
  for (const [statistic, read] of Object.entries(lags)) {
    registerGauge(registry, {
      name: `nodejs_eventloop_lag_${statistic}_seconds`,
      help: `Delay of timers since the last scrape (${statistic}).`,
      read: () => toLagSeconds(read()),
    });
  }
}

/** Subtracts the timer's own interval, which the measured delay includes. Returns 0 before the first timer. */
function toLagSeconds(nanoseconds: number): number {
  if (!Number.isFinite(nanoseconds)) return 0;
  return Math.max(0, nanoseconds / 1e9 - resolutionMs / 1000);
}
