import { collectDefaultMetrics, Registry } from 'prom-client';

let registry: Registry | undefined;

// They list every open socket at each scrape, and promtool refuses their names.
const listings = ['handles', 'requests', 'resources'].flatMap((kind) => [
  `nodejs_active_${kind}`,
  `nodejs_active_${kind}_total`,
]);

export function processMetrics(): Registry {
  if (!registry) {
    registry = new Registry();
    // A measurement every 10 ms, the default, is most of the work of an idle server.
    collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 50 });
    for (const name of listings) registry.removeSingleMetric(name);
  }
  return registry;
}
