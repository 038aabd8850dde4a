import { monitorEventLoopDelay } from 'node:perf_hooks';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';

let registry: Registry | undefined;

// They list every open socket at each scrape, and promtool refuses their names.
const listings = ['handles', 'requests', 'resources'].flatMap((kind) => [
  `nodejs_active_${kind}`,
  `nodejs_active_${kind}_total`,
]);

export function processMetrics(): Registry {
  if (!registry) {
    registry = new Registry();
    // A measurement every 10 ms, the default, is most of the work of an idle server. `measureLag` replaces it.
    collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 60_000 });
    measureLag(registry);
    for (const name of listings) registry.removeSingleMetric(name);
  }
  return registry;
}

const lagResolutionMs = 100;

/** Replaces the metrics of the event loop's lag since the last scrape. Their values are without the resolution. */
function measureLag(registry: Registry): void {
  const delays = monitorEventLoopDelay({ resolution: lagResolutionMs });
  delays.enable();
  const figures: Readonly<Record<string, () => number>> = {
    min: () => delays.min,
    max: () => delays.max,
    mean: () => delays.mean,
    p50: () => delays.percentile(50),
    p90: () => delays.percentile(90),
    p99: () => delays.percentile(99),
  };
  registry.removeSingleMetric('nodejs_eventloop_lag_stddev_seconds');
  for (const [figure, read] of Object.entries(figures)) {
    const name = `nodejs_eventloop_lag_${figure}_seconds`;
    registry.removeSingleMetric(name);
    const help = `Lag of the event loop since the last scrape: ${figure}.`;
    const collect = () => {
      const seconds = delays.count === 0 ? 0 : read() / 1e9 - lagResolutionMs / 1e3;
      gauge.set(Math.max(0, seconds));
      if (figure === 'p99') delays.reset();
    };
    const gauge = new Gauge({ name, help, registers: [registry], collect });
  }
}
