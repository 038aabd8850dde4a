import type { z } from 'zod';
import { newSecret } from '../auth/secrets.js';
import { ApiError, validationError } from '../contract/api-error.js';
import type { HandlersOf } from '../http/handlers.js';
import { findUrlError } from '../network/receiver-url.js';
import type { OrganizationRepository } from '../organizations/organization-repository.js';
import { hasWebhooks, type Plan, type PlanTable } from '../organizations/plans.js';
import type { Clock, NewId, RandomBytes } from '../ports.js';
import type {
  Delivery,
  DeliveryDetail,
  DeliveryFilter,
  DeliveryPage,
  DeliveryRepository,
} from './delivery-repository.js';
import { eventExamples } from './event-examples.js';
import {
  type deliveryAttempt,
  type deliveryRecord,
  maxWebhooks,
  type webhookRecord,
  type webhookRoutes,
} from './webhook-contract.js';
import type { Page, Webhook, WebhookPage, WebhookRepository } from './webhook-repository.js';

export interface WebhookHandlerOptions {
  readonly webhooks: WebhookRepository;
  readonly deliveries: DeliveryRepository;
  readonly listWebhooks: (organizationId: string, page: Page) => Promise<WebhookPage>;
  readonly listDeliveries: (
    organizationId: string,
    webhookId: string,
    filter: DeliveryFilter,
  ) => Promise<DeliveryPage>;
  readonly organizations: Pick<OrganizationRepository, 'get'>;
  readonly plans: PlanTable;
  readonly allowPrivateNetwork: boolean;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly randomBytes: RandomBytes;
  /** Called after a webhook has changed. */
  readonly onChanged: () => void;
}

const features = {
  webhooks: { isPartOf: hasWebhooks, subject: 'Webhooks are' },
  replay: { isPartOf: ({ hasReplay }: Plan) => hasReplay, subject: 'Replay is' },
};

/** Checks plans, limits and receivers, and reads and changes webhooks and deliveries. */
export function webhookHandlers(options: WebhookHandlerOptions): HandlersOf<typeof webhookRoutes> {
  const { webhooks, deliveries, plans, allowPrivateNetwork, clock, onChanged } = options;

  async function requirePlan(organizationId: string, feature: keyof typeof features) {
    const { plan } = await options.organizations.get(organizationId);
    const { isPartOf, subject } = features[feature];
    if (isPartOf(plans[plan])) return;
    throw new ApiError('PLAN_REQUIRED', `${subject} not part of the plan ${plan}`);
  }

  function checkUrl(url: string): void {
    const error = findUrlError(url, { allowPrivateNetwork });
    if (error) throw validationError([{ path: 'url', message: error.message }]);
  }

  async function getWebhook(organizationId: string, id: string): Promise<Webhook> {
    return requireFound(await webhooks.find(organizationId, id));
  }

  async function getActiveWebhook(organizationId: string, id: string): Promise<Webhook> {
    const webhook = await getWebhook(organizationId, id);
    if (webhook.isActive) return webhook;
    throw validationError([
      {
        path: 'id',
        message: 'must be an active webhook: activate it with PATCH { "isActive": true }',
      },
    ]);
  }

  return {
    async createWebhook({ caller: { organizationId }, body, idempotency }) {
      await requirePlan(organizationId, 'webhooks');
      checkUrl(body.url);
      const { url, events, isActive = true } = body;
      const secret = newSecret('webhookSecret', options.randomBytes);
      const webhook = { id: options.newId(), url, events, secret, isActive };
      const { result, replayed } = await webhooks.create(
        organizationId,
        { ...webhook, createdAt: clock() },
        maxWebhooks,
        idempotency,
      );
      if (!result) {
        const message = `An organization has at most ${maxWebhooks} webhooks`;
        throw new ApiError('QUOTA_EXCEEDED', message);
      }
      const { createdAt: _, ...data } = result;
      return { status: 201, replayed, data: { ...data, events: [...data.events] } };
    },

    async listWebhooks({ caller, query }) {
      const page = await options.listWebhooks(caller.organizationId, query);
      const { limit, offset } = query;
      const items = page.webhooks.map(toWebhookRecord);
      return { status: 200, data: { total: page.total, limit, offset, items } };
    },

    async getWebhook({ caller, params }) {
      const webhook = await getWebhook(caller.organizationId, params.id);
      return { status: 200, data: toWebhookRecord(webhook) };
    },

    async updateWebhook({ caller: { organizationId }, params, body }) {
      await requirePlan(organizationId, 'webhooks');
      if (body.url !== undefined) checkUrl(body.url);
      const webhook = await webhooks.update(organizationId, params.id, body, clock());
      onChanged();
      return { status: 200, data: toWebhookRecord(requireFound(webhook)) };
    },

    async deleteWebhook({ caller, params }) {
      const webhook = await webhooks.delete(caller.organizationId, params.id, clock());
      onChanged();
      return { status: 200, data: toWebhookRecord(requireFound(webhook)) };
    },

    async testWebhook({ caller: { organizationId }, params: { id }, body, idempotency }) {
      await requirePlan(organizationId, 'webhooks');
      const { events } = await getActiveWebhook(organizationId, id);
      const type = body?.type ?? events[0] ?? 'url.created';
      const { result, replayed } = await deliveries.sendTo(
        organizationId,
        id,
        type,
        eventExamples[type],
        clock(),
        idempotency,
      );
      return { status: 201, replayed, data: toDeliveryRecord(result) };
    },

    async rotateWebhookSecret({ caller: { organizationId }, params: { id }, idempotency }) {
      await requirePlan(organizationId, 'webhooks');
      const newest = newSecret('webhookSecret', options.randomBytes);
      const { result, replayed } = await webhooks.rotateSecret(
        organizationId,
        id,
        newest,
        clock(),
        idempotency,
      );
      onChanged();
      const { secret, previousSecretExpiresAt } = requireFound(result);
      const data = { id, secret, previousSecretExpiresAt: instant(previousSecretExpiresAt) };
      return { status: 200, replayed, data };
    },

    async listDeliveries({ caller: { organizationId }, params, query }) {
      await getWebhook(organizationId, params.id);
      const page = await options.listDeliveries(organizationId, params.id, query);
      const { limit, offset } = query;
      const items = page.deliveries.map(toDeliveryRecord);
      return { status: 200, data: { total: page.total, limit, offset, items } };
    },

    async getDelivery({ caller, params: { id, deliveryId } }) {
      await getWebhook(caller.organizationId, id);
      const found = requireFound(await deliveries.find(id, deliveryId), 'delivery');
      const { requestBody, attemptHistory, ...delivery } = found;
      return {
        status: 200,
        data: {
          ...toDeliveryRecord(delivery),
          requestBody,
          attemptHistory: attemptHistory.map(toAttempt),
        },
      };
    },

    async replayDelivery({ caller: { organizationId }, params, idempotency }) {
      await requirePlan(organizationId, 'replay');
      await getActiveWebhook(organizationId, params.id);
      const { result, replayed } = await deliveries.replay(
        organizationId,
        params.id,
        params.deliveryId,
        clock(),
        idempotency,
      );
      return { status: 201, replayed, data: toDeliveryRecord(requireFound(result, 'delivery')) };
    },
  };
}

function requireFound<T>(thing: T | null | undefined, what = 'webhook'): T {
  if (thing) return thing;
  throw new ApiError('NOT_FOUND', `There is no such ${what} in this organization`);
}

function toWebhookRecord(webhook: Webhook): z.input<typeof webhookRecord> {
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

function toDeliveryRecord(delivery: Delivery): z.input<typeof deliveryRecord> {
  return {
    ...delivery,
    nextAttemptAt: instantOrNull(delivery.nextAttemptAt),
    createdAt: instant(delivery.createdAt),
    deliveredAt: instantOrNull(delivery.deliveredAt),
  };
}

function toAttempt(
  attempt: DeliveryDetail['attemptHistory'][number],
): z.input<typeof deliveryAttempt> {
  return { ...attempt, attemptedAt: instant(attempt.attemptedAt) };
}

function instantOrNull(ms: number | null): string | null {
  return ms === null ? null : instant(ms);
}

function instant(ms: number): string {
  return new Date(ms).toISOString();
}
