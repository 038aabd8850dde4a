import { Registry } from 'prom-client';
import type { Service } from '../lifecycle.js';
import { type HealthOptions, healthHandlers } from './health-handlers.js';
import { ProcessMetrics } from './process-metrics.js';
import { type FinishedRequest, RequestMetrics } from './request-metrics.js';
import { type MetricSources, registerServerMetrics } from './server-metrics.js';

export interface HealthModuleOptions
  extends Omit<HealthOptions, 'dispatcherIdleMs' | 'metrics'>,
    MetricSources {}

/** Composes the health checks and the metrics. */
export function createHealthModule(options: HealthModuleOptions) {
  const metrics = new Registry();
  registerServerMetrics(metrics, options);
  const requestMetrics = new RequestMetrics(metrics);
  const processMetrics = new ProcessMetrics(metrics);

  return {
    handlers: healthHandlers({
      ...options,
      dispatcherIdleMs: () => options.dispatchFigures().sinceTurnMs,
      metrics,
    }),
    services: [processMetrics] satisfies readonly Service[],
    onFinished: (request: FinishedRequest) => requestMetrics.observe(request),
  };
}
