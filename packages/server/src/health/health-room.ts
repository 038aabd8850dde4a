import type { VisitFigures } from '../clicks/visit-pipeline.js';
import type { Service } from '../lifecycle.js';
import type { DispatchFigures } from '../webhooks/webhook-dispatcher.js';
import type { Siblings } from '../workers/siblings.js';
import { renderFamilies } from './exposition.js';
import { type HealthOptions, healthHandlers } from './health-handlers.js';
import { ProcessWatch } from './process-watch.js';
import { deliveryFamilies, storageFamilies, visitFamilies } from './render-metrics.js';
import { type AnsweredRequest, RequestMeter } from './request-meter.js';

export interface HealthRoomOptions extends Omit<HealthOptions, 'dispatchFigures' | 'metrics'> {
  /** Undefined before the start. */
  readonly visitFigures: () => VisitFigures | undefined;
  readonly dispatchFigures: () => DispatchFigures;
  readonly siblings: Siblings;
}

/** What watches the server, and what tells of it. */
export function createHealthRoom(options: HealthRoomOptions) {
  const { database, visitFigures, siblings } = options;
  const dispatchFigures = siblings.keeps ? options.dispatchFigures : undefined;
  const requests = new RequestMeter();
  const processWatch = new ProcessWatch();

  /** Of this process; of what all processes share, only one tells. */
  async function ownMetrics(): Promise<string> {
    const visits = visitFigures();
    return renderFamilies([
      ...(visits ? visitFamilies(visits) : []),
      ...(dispatchFigures ? deliveryFamilies(dispatchFigures()) : []),
      ...(siblings.keeps ? storageFamilies(database.size()) : []),
      ...requests.families(),
      ...processWatch.families(),
    ]);
  }

  return {
    handlers: healthHandlers({
      ...options,
      dispatchFigures,
      metrics: () => siblings.metrics(ownMetrics),
    }),
    services: [processWatch] satisfies readonly Service[],
    onAnswered: (answered: AnsweredRequest) => requests.observe(answered),
    ownMetrics,
  };
}
