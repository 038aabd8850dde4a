import type { Selectable } from 'kysely';
import type { EventType } from '../events/event-types.js';
import type { WebhookTable } from '../storage/schema.js';
import type { DisabledReason } from './endpoint-health.js';

/** A subscription of one receiver to event types. */
export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly events: readonly EventType[];
  readonly isActive: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly health: EndpointHealth;
}

/** The health of an endpoint, from its attempts. */
export interface EndpointHealth {
  readonly failureRate: number | null;
  readonly lastSuccessAt: number | null;
  readonly failingSince: number | null;
  readonly disabledAt: number | null;
  readonly disabledReason: DisabledReason | null;
  /** When the earliest pending delivery is due. In the past if that delivery is late. */
  readonly oldestDueAt: number | null;
}

export type WebhookRow = Pick<Selectable<WebhookTable>, (typeof webhookColumns)[number]> & {
  readonly oldest_due_at: number | null;
};

export const webhookColumns = [
  'id',
  'url',
  'events',
  'is_active',
  'created_at',
  'updated_at',
  'failure_rate',
  'last_success_at',
  'failing_since',
  'disabled_at',
  'disabled_reason',
] as const;

export function webhookOf(row: WebhookRow): Webhook {
  return {
    id: row.id,
    url: row.url,
    events: JSON.parse(row.events) as EventType[],
    isActive: row.is_active === 1,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    health: {
      failureRate: row.failure_rate,
      lastSuccessAt: row.last_success_at,
      failingSince: row.failing_since,
      disabledAt: row.disabled_at,
      disabledReason: row.disabled_reason as DisabledReason | null,
      oldestDueAt: row.oldest_due_at,
    },
  };
}
