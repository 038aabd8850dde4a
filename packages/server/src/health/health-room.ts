import type { Service } from '../lifecycle.js';
import { type HealthOptions, healthHandlers } from './health-handlers.js';
import { ProcessWatch } from './process-watch.js';
import { type AnsweredRequest, RequestMeter } from './request-meter.js';

/** What watches the server, and what tells of it. */
export function createHealthRoom(options: Omit<HealthOptions, 'watched'>) {
  const requests = new RequestMeter();
  const processWatch = new ProcessWatch();
  return {
    handlers: healthHandlers({ ...options, watched: [requests, processWatch] }),
    services: [processWatch] satisfies readonly Service[],
    onAnswered: (answered: AnsweredRequest) => requests.observe(answered),
  };
}
