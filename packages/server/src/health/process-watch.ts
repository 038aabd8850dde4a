import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import type { Service } from '../lifecycle.js';
import { type Family, single } from './exposition.js';

const resolutionMs = 20;
const nanosecond = 1e-9;

/** What there is to tell of this process, by the names that dashboards for Node know. */
export class ProcessWatch implements Service {
  readonly name = 'process watch';
  readonly #delay: IntervalHistogram = monitorEventLoopDelay({ resolution: resolutionMs });

  start(): void {
    this.#delay.enable();
  }

  async stop(): Promise<void> {
    this.#delay.disable();
  }

  /** The lag is that of the time since it was last told. */
  families(): Family[] {
    const { heapUsed, heapTotal, external } = process.memoryUsage();
    const { user, system } = process.cpuUsage();
    const lag = (name: string, nanoseconds: number) =>
      single(
        `nodejs_eventloop_lag_${name}_seconds`,
        'gauge',
        `How late timers were since the last look (${name}).`,
        // Of no timer at all, nothing is known.
        Number.isFinite(nanoseconds) ? seconds(nanoseconds) : 0,
      );
    const families = [
      lag('mean', this.#delay.mean),
      lag('p99', this.#delay.percentile(99)),
      lag('max', this.#delay.max),
      single('process_resident_memory_bytes', 'gauge', 'Memory in use.', process.memoryUsage.rss()),
      single('nodejs_heap_size_used_bytes', 'gauge', 'Heap in use.', heapUsed),
      single('nodejs_heap_size_total_bytes', 'gauge', 'Heap that was taken.', heapTotal),
      single('nodejs_external_memory_bytes', 'gauge', 'Memory outside the heap.', external),
      single('process_cpu_seconds_total', 'counter', 'Processor time.', (user + system) / 1e6),
      single(
        'process_start_time_seconds',
        'gauge',
        'When the process started, in seconds since 1970.',
        Math.round(performance.timeOrigin / 1000),
      ),
    ];
    this.#delay.reset();
    return families;
  }
}

/** A timer that is on time counts as a delay of the resolution. */
function seconds(nanoseconds: number): number {
  return Math.max(0, nanoseconds * nanosecond - resolutionMs / 1000);
}
