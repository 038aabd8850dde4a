import type { VisitFigures } from '../analytics/ingest/visit-pipeline.js';
import type { FairQueue } from '../fair-queue.js';
import type { Service } from '../lifecycle.js';
import type { ObservedThread } from '../threads/thread.js';
import type { DispatchFigures } from '../webhooks/webhook-dispatcher.js';
import { renderFamilies } from './exposition.js';
import { type HealthOptions, healthHandlers } from './health-handlers.js';
import { ProcessWatch } from './process-watch.js';
import {
  deliveryFamilies,
  queueFamilies,
  storageFamilies,
  threadFamilies,
  visitFamilies,
} from './render-metrics.js';
import { type AnsweredRequest, RequestMeter } from './request-meter.js';
import type { UncaughtErrors } from './uncaught-errors.js';

export interface HealthRoomOptions extends Omit<HealthOptions, 'dispatcherIdleMs' | 'metrics'> {
  /** Undefined before the start. */
  readonly visitFigures: () => VisitFigures | undefined;
  readonly dispatchFigures: () => DispatchFigures;
  readonly threads: () => readonly ObservedThread[];
  readonly queues: readonly FairQueue[];
  readonly uncaughtErrors: UncaughtErrors;
}

/** What watches the server, and what tells of it. */
export function createHealthRoom(options: HealthRoomOptions) {
  const { database, visitFigures, dispatchFigures, threads, queues, uncaughtErrors } = options;
  const requests = new RequestMeter();
  const processWatch = new ProcessWatch();

  function metrics(): string {
    const visits = visitFigures();
    return renderFamilies([
      ...(visits ? visitFamilies(visits) : []),
      ...deliveryFamilies(dispatchFigures()),
      ...storageFamilies(database.size()),
      ...threadFamilies(threads()),
      ...queueFamilies(queues),
      ...requests.families(),
      ...uncaughtErrors.families(),
      ...processWatch.families(),
    ]);
  }

  return {
    handlers: healthHandlers({
      ...options,
      dispatcherIdleMs: () => dispatchFigures().sinceTurnMs,
      metrics,
    }),
    services: [processWatch] satisfies readonly Service[],
    onAnswered: (answered: AnsweredRequest) => requests.observe(answered),
  };
}
