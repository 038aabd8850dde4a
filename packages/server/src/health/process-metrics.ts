import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import type { Registry } from 'prom-client';
import type { Service } from '../lifecycle.js';
import { registerCounter, registerGauge } from './scraped-metric.js';

const resolutionMs = 20;

/**
 * Metrics of the process, under the names that dashboards for Node use. prom-client's default metrics
 * are not used: at each scrape they list every open file and handle, which blocks redirects on a
 * server with many connections.
 */
export class ProcessMetrics implements Service {
  readonly name = 'process metrics';
  readonly #delay: IntervalHistogram = monitorEventLoopDelay({ resolution: resolutionMs });

  constructor(registry: Registry) {
    this.#registerEventLoopLag(registry);
    registerGauge(registry, {
      name: 'process_resident_memory_bytes',
      help: 'Resident memory.',
      read: () => process.memoryUsage.rss(),
    });
    registerGauge(registry, {
      name: 'nodejs_heap_size_used_bytes',
      help: 'Used heap.',
      read: () => process.memoryUsage().heapUsed,
    });
    registerGauge(registry, {
      name: 'nodejs_heap_size_total_bytes',
      help: 'Allocated heap.',
      read: () => process.memoryUsage().heapTotal,
    });
    registerGauge(registry, {
      name: 'nodejs_external_memory_bytes',
      help: 'Memory outside the heap.',
      read: () => process.memoryUsage().external,
    });
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
  }

  start(): void {
    this.#delay.enable();
  }

  async stop(): Promise<void> {
    this.#delay.disable();
  }

  #registerEventLoopLag(registry: Registry): void {
    const lags = {
      mean: () => this.#delay.mean,
      p99: () => this.#delay.percentile(99),
      // Registered last: metrics are read in this order, and the reset starts the next period.
      max: () => {
        const { max } = this.#delay;
        this.#delay.reset();
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
}

/** Subtracts the timer's own interval, which the measured delay includes. Returns 0 before the first timer. */
function toLagSeconds(nanoseconds: number): number {
  if (!Number.isFinite(nanoseconds)) return 0;
  return Math.max(0, nanoseconds / 1e9 - resolutionMs / 1000);
}
