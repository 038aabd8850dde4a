import { collectDefaultMetrics, Registry } from 'prom-client';

let registry: Registry | undefined;

/** Returns the metrics of the process and of Node. All servers in a process share them. */
export function processMetrics(): Registry {
  if (!registry) {
    registry = new Registry();
    collectDefaultMetrics({ register: registry });
  }
  return registry;
}
