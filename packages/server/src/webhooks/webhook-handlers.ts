import type { HandlersOf } from '../http/handlers.js';
import { instant, toAttempt, toDeliveryRecord, toWebhookRecord } from './present-webhook.js';
import type { webhookRoutes } from './webhook-contract.js';
import type { WebhookService } from './webhook-service.js';

export function webhookHandlers(service: WebhookService): HandlersOf<typeof webhookRoutes> {
  return {
    async createWebhook({ caller, body, idempotency }) {
      const { result, replayed } = await service.create(caller.organizationId, body, idempotency);
      const { id, url, events, secret, isActive } = result;
      return { status: 201, replayed, data: { id, url, events: [...events], secret, isActive } };
    },

    async listWebhooks({ caller, query }) {
      const { total, webhooks } = await service.list(caller.organizationId, query);
      return {
        status: 200,
        data: {
          total,
          limit: query.limit,
          offset: query.offset,
          items: webhooks.map(toWebhookRecord),
        },
      };
    },

    async getWebhook({ caller, params }) {
      return {
        status: 200,
        data: toWebhookRecord(await service.get(caller.organizationId, params.id)),
      };
    },

    async updateWebhook({ caller, params, body }) {
      const webhook = await service.update(caller.organizationId, params.id, body);
      return { status: 200, data: toWebhookRecord(webhook) };
    },

    async deleteWebhook({ caller, params }) {
      const webhook = await service.delete(caller.organizationId, params.id);
      return { status: 200, data: toWebhookRecord(webhook) };
    },

    async testWebhook({ caller, params, body, idempotency }) {
      const { result, replayed } = await service.test(
        caller.organizationId,
        params.id,
        body?.type,
        idempotency,
      );
      return { status: 201, replayed, data: toDeliveryRecord(result) };
    },

    async rotateWebhookSecret({ caller, params, idempotency }) {
      const { result, replayed } = await service.rotateSecret(
        caller.organizationId,
        params.id,
        idempotency,
      );
      const { secret, previousSecretExpiresAt } = result;
      return {
        status: 200,
        replayed,
        data: {
          id: params.id,
          secret,
          previousSecretExpiresAt: instant(previousSecretExpiresAt),
        },
      };
    },

    async listDeliveries({ caller, params, query }) {
      const { total, deliveries } = await service.listDeliveries(
        caller.organizationId,
        params.id,
        query,
      );
      return {
        status: 200,
        data: {
          total,
          limit: query.limit,
          offset: query.offset,
          items: deliveries.map(toDeliveryRecord),
        },
      };
    },

    async getDelivery({ caller, params }) {
      const { delivery, body, attempts } = await service.getDelivery(
        caller.organizationId,
        params.id,
        params.deliveryId,
      );
      return {
        status: 200,
        data: {
          ...toDeliveryRecord(delivery),
          requestBody: body,
          attemptHistory: attempts.map(toAttempt),
        },
      };
    },

    async replayDelivery({ caller, params, idempotency }) {
      const { result, replayed } = await service.replay(
        caller.organizationId,
        params.id,
        params.deliveryId,
        idempotency,
      );
      return { status: 201, replayed, data: toDeliveryRecord(result) };
    },
  };
}
