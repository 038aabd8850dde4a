import { v7 as newUuid } from 'uuid';
import {
  parseReportQuery,
  toWindowFields,
  type Window,
} from '../analytics/reports/report-window.js';
import { newSecret } from '../auth/secrets.js';
import { ApiError, notFound, validationError } from '../contract/api-error.js';
import type { PageRange } from '../contract/fields.js';
import type { JsonText, PageText, ReadPage } from '../contract/json-text.js';
import { presentAs, withIsoTimes } from '../contract/present.js';
import { eventTypes, optInTypes } from '../events/event-types.js';
import { everyType } from '../events/subscription.js';
import { eventSchemas } from '../generated/event-schemas.js';
import { type HandlersOf, replyWithChange } from '../http/handlers.js';
import { openPage } from '../http/open-page.js';
import { requireFound } from '../idempotency/with-idempotency-key.js';
import { findUrlError } from '../network/receiver-url.js';
import type { OrganizationRepository } from '../organizations/organization-repository.js';
import { hasWebhooks, type PlanTable, planOf } from '../organizations/plans.js';
import type { Clock } from '../ports.js';
import type { DeliveryRecord, DeliveryRepository } from './delivery-repository.js';
import { events } from './event-contract.js';
import { eventExamples, exampleTime, zeros } from './event-examples.js';
import type { EventList } from './event-list.js';
import type { eventListRoutes } from './event-list-contract.js';
import type { eventTypeRoutes } from './event-type-contract.js';
import { defaultRotationMs, standardSecretOf } from './secrets.js';
import { type Attempts, presentAttempts } from './stats.js';
import type { statsRoutes } from './stats-contract.js';
import {
  type DeliveryFilter,
  type WebhookSettings,
  webhookCreated,
  type webhookRoutes,
} from './webhook-contract.js';
import {
  toWebhookRecord,
  type Webhook,
  type WebhookRecord,
  type WebhookRepository,
} from './webhook-repository.js';

export interface WebhookHandlerOptions {
  readonly webhooks: WebhookRepository;
  readonly deliveries: DeliveryRepository;
  readonly eventList: EventList;
  readonly organizations: Pick<OrganizationRepository, 'get'>;
  readonly plans: PlanTable;
  readonly listWebhooks: ReadPage<WebhookRecord, PageRange, [now: number]>;
  readonly listDeliveries: (
    organizationId: string,
    webhookId: string,
    filter: DeliveryFilter,
  ) => Promise<PageText<DeliveryRecord>>;
  readonly readAttempts: (
    organizationId: string,
    webhookId: string,
    window: Window,
  ) => Promise<Attempts>;
  readonly allowPrivateNetwork: boolean;
  readonly clock: Clock;
  readonly onChanged: () => void;
}

const typeItems = eventTypes.map((type) => ({
  type,
  description: events[type].summary,
  isOptIn: optInTypes.includes(type),
  schema: eventSchemas[type],
  example: { id: zeros, type, createdAt: exampleTime, data: eventExamples[type] },
}));

export function webhookHandlers(
  options: WebhookHandlerOptions,
): HandlersOf<
  readonly [
    ...typeof webhookRoutes,
    ...typeof statsRoutes,
    ...typeof eventListRoutes,
    ...typeof eventTypeRoutes,
  ]
> {
  const { webhooks, deliveries, allowPrivateNetwork, clock, onChanged } = options;
  const present = (webhook: Webhook) => toWebhookRecord(webhook, clock());

  /** Throws PLAN_REQUIRED unless the plan has webhooks, or else also replays. */
  async function requirePlan(organizationId: string, feature: 'Webhooks are' | 'Replay is') {
    const { plan: name } = await options.organizations.get(organizationId);
    const plan = planOf(options.plans, name);
    if (feature === 'Replay is' ? plan.hasReplay : hasWebhooks(plan)) return;
    throw new ApiError('PLAN_REQUIRED', `${feature} not part of the plan ${name}`);
  }

  /** Throws VALIDATION_FAILED for a receiver that gets nothing, or filters of others' links or domains. */
  async function checkSettings(
    organizationId: string,
    { url, filters }: { readonly url?: string | undefined } & WebhookSettings,
  ): Promise<void> {
    const error = url === undefined ? undefined : findUrlError(url, { allowPrivateNetwork });
    if (error) throw validationError([{ path: 'url', message: error.message }]);
    const path = filters && (await webhooks.findUnknown(organizationId, filters));
    if (path) throw validationError([{ path, message: 'does not exist in this organization' }]);
  }

  async function getWebhook(organizationId: string, id: string): Promise<Webhook> {
    const webhook = await webhooks.find(organizationId, id);
    if (!webhook) throw notFound('webhook', id);
    return webhook;
  }

  async function getActiveWebhook(organizationId: string, id: string): Promise<Webhook> {
    const webhook = await getWebhook(organizationId, id);
    if (webhook.isActive) return webhook;
    const message = 'must be an active webhook: activate it with PATCH { "isActive": true }';
    throw validationError([{ path: 'id', message }]);
  }

  return {
    async createWebhook({ caller: { organizationId }, body, write }) {
      await requirePlan(organizationId, 'Webhooks are');
      await checkSettings(organizationId, body);
      await deliveries.finishFanOut(organizationId);
      const { url, events, isActive = true, ...settings } = body;
      const secret = newSecret('webhookSecret');
      const webhook = { id: newUuid(), url, events, secret, isActive, createdAt: clock() };
      const { result, replayed } = await webhooks.create(organizationId, webhook, settings, write);
      const record = { ...toWebhookRecord(result, result.createdAt), secret: result.secret };
      const data = presentAs(webhookCreated, withStandardSecret(record));
      return { status: 201, replayed, data };
    },

    async listWebhooks({ caller: { organizationId }, query }) {
      const { filter, reply } = openPage({ name: 'webhooks', organizationId, ids: 'text' }, query);
      return reply(await options.listWebhooks(organizationId, filter, clock()));
    },

    async getWebhook({ caller, params }) {
      const webhook = await getWebhook(caller.organizationId, params.id);
      return { status: 200, data: present(webhook) };
    },

    async updateWebhook({ caller: { organizationId }, params: { id }, body, write, ifMatch }) {
      await requirePlan(organizationId, 'Webhooks are');
      await checkSettings(organizationId, body);
      await deliveries.finishFanOut(organizationId);
      const context = { organizationId, now: clock(), write, ifMatch };
      const updating = webhooks.update(id, body, context).finally(onChanged);
      return replyWithChange(updating, 'webhook', id, present);
    },

    async deleteWebhook({ caller: { organizationId }, params: { id }, write, ifMatch }) {
      const context = { organizationId, now: clock(), write, ifMatch };
      const deleting = webhooks.delete(id, context).finally(onChanged);
      return replyWithChange(deleting, 'webhook', id, present);
    },

    async testWebhook({ caller: { organizationId }, params: { id }, body, write }) {
      await requirePlan(organizationId, 'Webhooks are');
      const { events } = await getActiveWebhook(organizationId, id);
      const type = body?.type ?? events.find((each) => each !== everyType) ?? 'url.created';
      const context = { organizationId, now: clock(), write };
      const { result, replayed } = await deliveries.sendExample(id, type, context);
      return { status: 201, replayed, data: withIsoTimes(result) };
    },

    async rotateWebhookSecret({ caller: { organizationId }, params: { id }, body, write }) {
      await requirePlan(organizationId, 'Webhooks are');
      const seconds = body?.expireOldAfterSeconds;
      const rotating = webhooks.rotateSecret(
        id,
        newSecret('webhookSecret'),
        seconds === undefined ? defaultRotationMs : seconds * 1000,
        { organizationId, now: clock(), write },
      );
      return replyWithChange(rotating.finally(onChanged), 'webhook', id, (result) => ({
        id,
        ...withIsoTimes(withStandardSecret(result)),
      }));
    },

    async listDeliveries({ caller: { organizationId }, params: { id }, query }) {
      await getWebhook(organizationId, id);
      const list = { name: `deliveries of ${id}`, organizationId, ids: 'text' } as const;
      const { filter, reply } = openPage(list, query);
      return reply(await options.listDeliveries(organizationId, id, filter));
    },

    async getDelivery({ caller, params: { id, deliveryId } }) {
      await getWebhook(caller.organizationId, id);
      const delivery = await deliveries.find(id, deliveryId);
      if (!delivery) throw notFound('delivery', deliveryId);
      const attemptHistory = delivery.attemptHistory.map(withIsoTimes);
      return { status: 200, data: { ...withIsoTimes(delivery), attemptHistory } };
    },

    async replayDelivery({ caller: { organizationId }, params: { id, deliveryId }, write }) {
      await requirePlan(organizationId, 'Replay is');
      await getActiveWebhook(organizationId, id);
      const context = { organizationId, now: clock(), write };
      const again = await deliveries.replay(id, deliveryId, context);
      const { result, replayed } = requireFound(again, 'delivery', deliveryId);
      return { status: 201, replayed, data: withIsoTimes(result) };
    },

    async recoverDeliveries({ caller: { organizationId }, params: { id }, body, write }) {
      await requirePlan(organizationId, 'Replay is');
      await getActiveWebhook(organizationId, id);
      const context = { organizationId, now: clock(), write };
      const { result, replayed } = await deliveries.recover(id, body, context);
      return { status: 201, replayed, data: result };
    },

    async getWebhookStats({ caller: { organizationId }, params: { id }, query }) {
      const { createdAt, lastSuccessAt } = await getWebhook(organizationId, id);
      // The default end is exclusive, too, and deliveries of this millisecond count.
      const window = parseReportQuery(query, clock() + 1, createdAt);
      const found = await options.readAttempts(organizationId, id, window);
      const data = {
        webhookId: id,
        ...toWindowFields(window),
        ...presentAttempts(found, window),
        ...withIsoTimes({ lastSuccessAt }),
        pending: withIsoTimes(found.pending),
      };
      return { status: 200, data };
    },

    async listEvents({ caller: { organizationId }, query }) {
      await requirePlan(organizationId, 'Webhooks are');
      const { bodies, nextAfter } = await options.eventList.list(organizationId, query);
      const json = `{"items":[${bodies.join()}],"nextAfter":${JSON.stringify(nextAfter)}}`;
      return { status: 200, json: json as JsonText<never> };
    },

    listEventTypes: async () => ({ status: 200, data: { items: typeItems } }),
  };
}

function withStandardSecret<Fields extends { readonly secret: string }>(fields: Fields) {
  return { ...fields, standardWebhooksSecret: standardSecretOf(fields.secret) };
}
