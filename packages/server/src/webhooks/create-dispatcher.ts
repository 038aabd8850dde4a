import { createGuardedFetch } from '../network/guarded-fetch.js';
import type { Clock } from '../ports.js';
import type { Database } from '../storage/database.js';
import { DeliveryQueue } from './delivery-queue.js';
import type { RetrySchedule } from './retry-schedule.js';
import { WebhookDispatcher } from './webhook-dispatcher.js';

export interface DispatchSettings {
  readonly schedule: RetrySchedule;
  readonly allowPrivateNetwork: boolean;
  /** An endpoint whose every attempt has failed for so long is disabled; 0 for never. */
  readonly disableAfterMs: number;
}

/** A dispatcher with a guarded fetch of its own, which ends with it. */
export function createDispatcher(
  database: Database,
  { schedule, allowPrivateNetwork, disableAfterMs }: DispatchSettings,
  clock: Clock,
  onError: (error: unknown) => void,
): WebhookDispatcher {
  const queue = new DeliveryQueue(database, { disableAfterMs });
  const fetch = createGuardedFetch({ allowPrivateNetwork });
  return new WebhookDispatcher({ queue, fetch, schedule, clock, onError });
}
