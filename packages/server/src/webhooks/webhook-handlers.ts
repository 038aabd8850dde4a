import {
  parseReportQuery,
  type ReportWindow,
  toWindowFields,
} from '../analytics/reports/report-window.js';
import { ApiError, notFound, validationError } from '../contract/api-error.js';
import type { LinkOwner } from '../contract/caller.js';
import type { PageRange } from '../contract/fields.js';
import type { JsonText, PageText, ReadPage } from '../contract/json-text.js';
import { presentAs, withIsoTimes } from '../contract/present.js';
import { eventTypes, optInTypes } from '../events/event-types.js';
import { everyType } from '../events/subscription.js';
import { eventSchemas } from '../generated/event-schemas.js';
import { type HandlersOf, replyWithChange } from '../http/handlers.js';
import { replyWithPage } from '../http/open-page.js';
import { type IdempotentResult, requireFound } from '../idempotency/with-idempotency-key.js';
import { findUrlError } from '../network/receiver-url.js';
import type { OrganizationRepository } from '../organizations/organization-repository.js';
import { hasWebhooks, type PlanTable, planOf } from '../organizations/plans.js';
import type { Clock } from '../ports.js';
import type { DeliveryRecord, DeliveryRepository } from './delivery-repository.js';
import { type eventRoutes, events } from './event-contract.js';
import { eventExamples, exampleTime, zeros } from './event-examples.js';
import type { EventList } from './event-list.js';
import { defaultRotationMs, standardSecretOf } from './secrets.js';
import type { Stats } from './stats.js';
import {
  type DeliveryFilter,
  type RecoverRequest,
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
  readonly findFailed: (
    organizationId: string,
    webhookId: string,
    range: RecoverRequest,
  ) => Promise<readonly string[]>;
  readonly readStats: (
    organizationId: string,
    webhookId: string,
    window: ReportWindow,
  ) => Promise<Stats>;
  readonly allowPrivateNetwork: boolean;
  readonly clock: Clock;
  readonly wake: (webhookIds: readonly string[]) => void;
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
): HandlersOf<readonly [...typeof webhookRoutes, ...typeof eventRoutes]> {
  const { webhooks, deliveries, allowPrivateNetwork, clock } = options;
  const present = (webhook: Webhook) => toWebhookRecord(webhook, clock());

  /** Throws PLAN_REQUIRED unless the plan has webhooks, or else also replays. */
  async function requirePlan(organizationId: string, feature: 'Webhooks are' | 'Replay is') {
    const { plan: name } = await options.organizations.get(organizationId);
    const plan = planOf(options.plans, name);
    if (feature === 'Replay is' ? plan.hasReplay : hasWebhooks(plan)) return;
    throw new ApiError('PLAN_REQUIRED', `${feature} not part of the plan ${name}`);
  }

  /**
   * Throws PLAN_REQUIRED, or VALIDATION_FAILED for a receiver that gets nothing, or filters of others' links
   * or domains.
   */
  async function checkChange(
    organizationId: string,
    { url, filters }: { readonly url?: string | undefined } & WebhookSettings,
  ): Promise<void> {
    await requirePlan(organizationId, 'Webhooks are');
    const error = url === undefined ? undefined : findUrlError(url, { allowPrivateNetwork });
    if (error) throw validationError([{ path: 'url', message: error.message }]);
    const path = filters && (await webhooks.findUnknown(organizationId, filters));
    if (path) throw validationError([{ path, message: 'does not exist in this organization' }]);
  }

  async function getWebhook({ organizationId }: LinkOwner, id: string): Promise<Webhook> {
    const webhook = await webhooks.find(organizationId, id);
    if (!webhook) throw notFound('webhook', id);
    return webhook;
  }

  /** Returns a webhook that deliveries are sent to. Throws unless the plan has the feature. */
  async function getActiveWebhook(
    caller: LinkOwner,
    id: string,
    feature: 'Webhooks are' | 'Replay is',
  ): Promise<Webhook> {
    await requirePlan(caller.organizationId, feature);
    const webhook = await getWebhook(caller, id);
    if (webhook.isActive) return webhook;
    const message = 'must be an active webhook: activate it with PATCH { "isActive": true }';
    throw validationError([{ path: 'id', message }]);
  }

  /** Replies to a change of a webhook. If there is such a webhook, its deliveries may be due now. */
  async function replyAndWake<Row, Data>(
    changing: Promise<IdempotentResult<Row | null>>,
    id: string,
    toData: (row: Row) => Data,
  ) {
    const reply = await replyWithChange(changing, 'webhook', id, toData);
    options.wake([id]);
    return reply;
  }

  return {
    async createWebhook({ caller, body, context }) {
      await checkChange(caller.organizationId, body);
      const { result, replayed } = await webhooks.create(body, context);
      const record = { ...toWebhookRecord(result, result.createdAt), secret: result.secret };
      const data = presentAs(webhookCreated, withStandardSecret(record));
      return { status: 201, replayed, data };
    },

    listWebhooks: ({ caller: { organizationId }, query }) =>
      replyWithPage(organizationId, query, (owner, filter) =>
        options.listWebhooks(owner, filter, clock()),
      ),

    async getWebhook({ caller, params }) {
      return { status: 200, data: present(await getWebhook(caller, params.id)) };
    },

    async updateWebhook({ caller, params: { id }, body, context }) {
      await checkChange(caller.organizationId, body);
      return replyAndWake(webhooks.update(id, body, context), id, present);
    },

    async deleteWebhook({ params: { id }, context }) {
      return replyAndWake(webhooks.delete(id, context), id, present);
    },

    async testWebhook({ caller, params: { id }, body, context }) {
      const { events } = await getActiveWebhook(caller, id, 'Webhooks are');
      const type = body?.type ?? events.find((each) => each !== everyType) ?? 'url.created';
      const { result, replayed } = await deliveries.sendExample(id, type, context);
      return { status: 201, replayed, data: withIsoTimes(result) };
    },

    async rotateWebhookSecret({ caller, params: { id }, body, context }) {
      await requirePlan(caller.organizationId, 'Webhooks are');
      const seconds = body?.expireOldAfterSeconds;
      const expireOldAfterMs = seconds === undefined ? defaultRotationMs : seconds * 1000;
      const rotating = webhooks.rotateSecret(id, expireOldAfterMs, context);
      return replyAndWake(rotating, id, (result) => ({
        id,
        ...withIsoTimes(withStandardSecret(result)),
      }));
    },

    async listDeliveries({ caller, params: { id }, query }) {
      await getWebhook(caller, id);
      return replyWithPage(caller.organizationId, query, (owner, filter) =>
        options.listDeliveries(owner, id, filter),
      );
    },

    async getDelivery({ caller, params: { id, deliveryId } }) {
      await getWebhook(caller, id);
      const delivery = await deliveries.find(id, deliveryId);
      if (!delivery) throw notFound('delivery', deliveryId);
      const attemptHistory = delivery.attemptHistory.map(withIsoTimes);
      return { status: 200, data: { ...withIsoTimes(delivery), attemptHistory } };
    },

    async replayDelivery({ caller, params: { id, deliveryId }, context }) {
      await getActiveWebhook(caller, id, 'Replay is');
      const again = await deliveries.replay(id, deliveryId, context);
      const { result, replayed } = requireFound(again, 'delivery', deliveryId);
      return { status: 201, replayed, data: withIsoTimes(result) };
    },

    async recoverDeliveries({ caller, params: { id }, body, context }) {
      await getActiveWebhook(caller, id, 'Replay is');
      const failed = await options.findFailed(caller.organizationId, id, body);
      const { result, replayed } = await deliveries.recover(id, failed, context);
      return { status: 201, replayed, data: result };
    },

    async getWebhookStats({ caller, params: { id }, query }) {
      const { createdAt, lastSuccessAt } = await getWebhook(caller, id);
      // The default end is exclusive, too, and deliveries of this millisecond count.
      const window = parseReportQuery(query, clock() + 1, createdAt);
      const data = {
        webhookId: id,
        ...toWindowFields(window),
        ...(await options.readStats(caller.organizationId, id, window)),
        ...withIsoTimes({ lastSuccessAt }),
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
