import type { VisitFigures } from '../clicks/visit-pipeline.js';
import type { Service } from '../lifecycle.js';
import type { DispatchFigures } from '../webhooks/webhook-dispatcher.js';
import type { Siblings } from '../workers/siblings.js';
import { renderFamilies } from './exposition.js';
import { type HealthOptions, healthHandlers } from './health-handlers.js';
import { ProcessWatch } from './process-watch.js';
import { deliveryFamilies, storageFamilies, visitFamilies } from './render-metrics.js';
import { type AnsweredRequest, RequestMeter } from './request-meter.js';

export interface HealthRoomOptions extends Omit<HealthOptions, 'dispatcherIdleMs' | 'metrics'> {
  /** Undefined before the start. */
  readonly visitFigures: () => VisitFigures | undefined;
  readonly dispatchFigures: () => DispatchFigures;
  readonly siblings: Siblings;
}

/** What watches the server, and what tells of it. */
export function createHealthRoom(options: HealthRoomOptions) {
  const { database, visitFigures, dispatchFigures, siblings } = options;
  const requests = new RequestMeter();
  const processWatch = new ProcessWatch();

  const dispatcherIdleMs = () => dispatchFigures().sinceTurnMs;

  /** Of this process; of what all processes share, only the one that keeps tells. */
  async function ownMetrics(): Promise<string> {
    const visits = visitFigures();
    return renderFamilies([
      ...(visits ? visitFamilies(visits) : []),
      ...(siblings.keeps ? deliveryFamilies(dispatchFigures()) : []),
      ...(siblings.keeps ? storageFamilies(database.size()) : []),
      ...requests.families(),
      ...processWatch.families(),
    ]);
  }

  return {
    handlers: healthHandlers({
      ...options,
      dispatcherIdleMs: () => siblings.dispatcherIdleMs(dispatcherIdleMs),
      metrics: () => siblings.metrics(ownMetrics),
    }),
    services: [processWatch] satisfies readonly Service[],
    onAnswered: (answered: AnsweredRequest) => requests.observe(answered),
    ownMetrics,
    dispatcherIdleMs,
  };
}
