import type { z } from 'zod';
import type { EventType } from '../events/event-types.js';
import type { AttemptRow, DeliveryRow, DeliveryStatus } from './delivery-repository.js';
import type { deliveryAttempt, deliveryRecord, webhookRecord } from './webhook-contract.js';
import type { Webhook } from './webhook-repository.js';

export function toWebhookRecord(webhook: Webhook): z.input<typeof webhookRecord> {
  const { failureRate } = webhook;
  return {
    ...webhook,
    events: [...webhook.events],
    createdAt: instant(webhook.createdAt),
    updatedAt: instant(webhook.updatedAt),
    failureRate: failureRate === null ? null : Math.round(failureRate * 1000) / 1000,
    lastSuccessAt: instantOrNull(webhook.lastSuccessAt),
    failingSince: instantOrNull(webhook.failingSince),
    disabledAt: instantOrNull(webhook.disabledAt),
    oldestDueAt: instantOrNull(webhook.oldestDueAt),
  };
}

export function toDeliveryRecord(row: DeliveryRow): z.input<typeof deliveryRecord> {
  return {
    id: row.id,
    webhookId: row.webhook_id,
    eventId: row.event_id,
    eventType: row.type as EventType,
    status: row.status as DeliveryStatus,
    attempts: row.attempts,
    nextAttemptAt: instantOrNull(row.next_attempt_at),
    lastStatusCode: row.last_status_code,
    lastError: row.last_error,
    createdAt: instant(row.created_at),
    deliveredAt: instantOrNull(row.delivered_at),
  };
}

export function toAttempt(row: AttemptRow): z.input<typeof deliveryAttempt> {
  return {
    number: row.number,
    attemptedAt: instant(row.attempted_at),
    durationMs: row.duration_ms,
    statusCode: row.status_code,
    error: row.error,
    responseBody: row.response_body,
  };
}

function instantOrNull(ms: number | null): string | null {
  return ms === null ? null : instant(ms);
}

export function instant(ms: number): string {
  return new Date(ms).toISOString();
}
