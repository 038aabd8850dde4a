import type { z } from 'zod';
import { presentAs, type WithIsoTimes, withIsoTimes } from '../contract/present.js';
import type { EventFilters } from '../events/subscription.js';
import type { Delivery } from './delivery-repository.js';
import { webhookRecord } from './webhook-contract.js';
import type { Webhook } from './webhook-repository.js';
import type { filtersRecord } from './webhook-settings.js';

/** A webhook as the API presents it. */
export type WebhookRecord = z.input<typeof webhookRecord>;

/** A delivery as the API presents it. */
export type DeliveryRecord = WithIsoTimes<Delivery>;

/** Returns a webhook as it is at `now`. */
export function toWebhookRecord(webhook: Webhook, now: number): WebhookRecord {
  const { events, filters, failureRate, previousSecret: previous } = webhook;
  return presentAs(webhookRecord, {
    ...withIsoTimes(webhook),
    events: [...events],
    filters: filters && presentFilters(filters),
    previousSecrets:
      previous && now < previous.expiresAt ? [withIsoTimes({ expiresAt: previous.expiresAt })] : [],
    failureRate: failureRate === null ? null : Math.round(failureRate * 1000) / 1000,
  });
}

export function toDeliveryRecord(delivery: Delivery): DeliveryRecord {
  return withIsoTimes(delivery);
}

/** Returns filters for the API, which has the ids of links as strings. */
function presentFilters({ tags, domainIds, urlIds }: EventFilters): z.input<typeof filtersRecord> {
  return {
    ...(tags && { tags: [...tags] }),
    ...(domainIds && { domainIds: [...domainIds] }),
    ...(urlIds && { urlIds: urlIds.map(String) }),
  };
}
