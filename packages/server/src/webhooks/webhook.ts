import type { Selectable } from 'kysely';
import type { EventType } from '../events/event-types.js';
import type { WebhookTable } from '../storage/schema.js';

/** A receiver and what it subscribes to. */
export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly events: readonly EventType[];
  readonly isActive: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export type WebhookRow = Pick<
  Selectable<WebhookTable>,
  'id' | 'url' | 'events' | 'is_active' | 'created_at' | 'updated_at'
>;

export const webhookColumns = [
  'id',
  'url',
  'events',
  'is_active',
  'created_at',
  'updated_at',
] as const;

export function webhookOf(row: WebhookRow): Webhook {
  return {
    id: row.id,
    url: row.url,
    events: JSON.parse(row.events) as EventType[],
    isActive: row.is_active === 1,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
