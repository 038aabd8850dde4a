import { Registry } from 'prom-client';
import { type HealthOptions, healthHandlers } from './health-handlers.js';
import { processMetrics } from './process-metrics.js';
import { registerLinkMetrics, registerRequestMetrics } from './request-metrics.js';
import { type MetricSources, registerServerMetrics } from './server-metrics.js';

export function createHealthModule(
  options: Omit<HealthOptions, 'damagedLines' | 'dispatcherIdleMs' | 'metrics'> &
    MetricSources & {
      /** The ids of the operations of the API. */
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
