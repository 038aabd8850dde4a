import { newSecret } from '../auth/secrets.js';
import { quotaError, validationError } from '../contract/api-error.js';
import type { PageRange } from '../contract/fields.js';
import type { JsonText, PageText } from '../contract/json-text.js';
import { presentAs, withIsoTimes } from '../contract/present.js';
import { everyType } from '../events/subscription.js';
import type { HandlersOf } from '../http/handlers.js';
import { openPage } from '../http/open-page.js';
import { findUrlError } from '../network/receiver-url.js';
import type { Clock, NewId, RandomBytes } from '../ports.js';
import { etagOf } from '../preconditions/if-match.js';
import type { DeliveryRepository } from './delivery-repository.js';
import { eventExamples } from './event-examples.js';
import type { EventList } from './event-list.js';
import type { eventListRoutes } from './event-list-contract.js';
import { type DeliveryRecord, toWebhookRecord, type WebhookRecord } from './present-webhook.js';
import { defaultRotationMs, standardSecretOf } from './secrets.js';
import { requireFound, type WebhookAccess } from './webhook-access.js';
import { type DeliveryFilter, webhookCreated, type webhookRoutes } from './webhook-contract.js';
import { maxWebhooks } from './webhook-limits.js';
import type { WebhookRepository } from './webhook-repository.js';

export interface WebhookHandlerOptions {
  readonly webhooks: WebhookRepository;
  readonly deliveries: DeliveryRepository;
  readonly eventList: EventList;
  readonly listWebhooks: (
    organizationId: string,
    range: PageRange,
    now: number,
  ) => Promise<PageText<WebhookRecord>>;
  readonly listDeliveries: (
    organizationId: string,
    webhookId: string,
    filter: DeliveryFilter,
  ) => Promise<PageText<DeliveryRecord>>;
  readonly access: WebhookAccess;
  readonly allowPrivateNetwork: boolean;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly randomBytes: RandomBytes;
  /** Called after a webhook has changed. */
  readonly onChanged: () => void;
}

/** Checks plans, limits and receivers, and reads and changes webhooks and deliveries. */
export function webhookHandlers(
  options: WebhookHandlerOptions,
): HandlersOf<readonly [...typeof webhookRoutes, ...typeof eventListRoutes]> {
  const { webhooks, deliveries, allowPrivateNetwork, clock, onChanged } = options;
  const { requirePlan, checkFilters, getWebhook, getActiveWebhook } = options.access;

  function checkUrl(url: string): void {
    const error = findUrlError(url, { allowPrivateNetwork });
    if (error) throw validationError([{ path: 'url', message: error.message }]);
  }

  return {
    async createWebhook({ caller: { organizationId }, body, write }) {
      await requirePlan(organizationId, 'webhooks');
      checkUrl(body.url);
      await checkFilters(organizationId, body.filters);
      await deliveries.finishFanOut(organizationId);
      const { url, events, isActive = true, ...settings } = body;
      const secret = newSecret('webhookSecret', options.randomBytes);
      const id = options.newId();
      const webhook = { id, url, events, secret, isActive, createdAt: clock() };
      const { result, replayed } = await webhooks.create(organizationId, webhook, settings, write);
      if (result) {
        const headers = { ETag: etagOf(result.createdAt) };
        const data = presentAs(webhookCreated, withStandardSecret(result));
        return { status: 201, replayed, headers, data };
      }
      const use = `An organization has at most ${maxWebhooks} webhooks, and ${maxWebhooks} exist`;
      throw quotaError(use, 'Delete one first');
    },

    async listWebhooks({ caller: { organizationId }, query }) {
      const { filter, reply } = openPage({ name: 'webhooks', organizationId, ids: 'text' }, query);
      return reply(await options.listWebhooks(organizationId, filter, clock()));
    },

    async getWebhook({ caller, params }) {
      const webhook = await getWebhook(caller.organizationId, params.id);
      return { status: 200, data: toWebhookRecord(webhook, clock()) };
    },

    async updateWebhook({ caller: { organizationId }, params: { id }, body, write, ifMatch }) {
      await requirePlan(organizationId, 'webhooks');
      if (body.url !== undefined) checkUrl(body.url);
      await checkFilters(organizationId, body.filters);
      await deliveries.finishFanOut(organizationId);
      const { result, replayed } = await webhooks.update(organizationId, id, body, {
        now: clock(),
        write,
        ifMatch,
      });
      onChanged();
      const webhook = requireFound(result, 'webhook', id);
      return { status: 200, replayed, data: toWebhookRecord(webhook, clock()) };
    },

    async deleteWebhook({ caller: { organizationId }, params: { id }, write, ifMatch }) {
      const { result, replayed } = await webhooks.delete(organizationId, id, {
        now: clock(),
        write,
        ifMatch,
      });
      onChanged();
      const webhook = requireFound(result, 'webhook', id);
      return { status: 200, replayed, data: toWebhookRecord(webhook, clock()) };
    },

    async testWebhook({ caller: { organizationId }, params: { id }, body, write }) {
      await requirePlan(organizationId, 'webhooks');
      const { events } = await getActiveWebhook(organizationId, id);
      const type = body?.type ?? events.find((each) => each !== everyType) ?? 'url.created';
      const { result, replayed } = await deliveries.sendTo(
        organizationId,
        id,
        type,
        eventExamples[type],
        clock(),
        write,
      );
      return { status: 201, replayed, data: withIsoTimes(result) };
    },

    async rotateWebhookSecret({ caller: { organizationId }, params: { id }, body, write }) {
      await requirePlan(organizationId, 'webhooks');
      const secret = newSecret('webhookSecret', options.randomBytes);
      const seconds = body?.expireOldAfterSeconds;
      const expireOldAfterMs = seconds === undefined ? defaultRotationMs : seconds * 1000;
      const rotation = { secret, expireOldAfterMs };
      const { result, replayed } = await webhooks.rotateSecret(organizationId, id, rotation, {
        now: clock(),
        write,
      });
      onChanged();
      const rotated = withStandardSecret(requireFound(result, 'webhook', id));
      return { status: 200, replayed, data: { id, ...withIsoTimes(rotated) } };
    },

    async listDeliveries({ caller: { organizationId }, params, query }) {
      await getWebhook(organizationId, params.id);
      const list = { name: `deliveries of ${params.id}`, organizationId, ids: 'text' } as const;
      const { filter, reply } = openPage(list, query);
      const page = await options.listDeliveries(organizationId, params.id, filter);
      return reply(page);
    },

    async getDelivery({ caller, params: { id, deliveryId } }) {
      await getWebhook(caller.organizationId, id);
      const delivery = requireFound(await deliveries.find(id, deliveryId), 'delivery', deliveryId);
      const attemptHistory = delivery.attemptHistory.map((attempt) => withIsoTimes(attempt));
      return { status: 200, data: { ...withIsoTimes(delivery), attemptHistory } };
    },

    async replayDelivery({ caller: { organizationId }, params, write }) {
      await requirePlan(organizationId, 'replay');
      await getActiveWebhook(organizationId, params.id);
      const { result, replayed } = await deliveries.replay(
        organizationId,
        params.id,
        params.deliveryId,
        clock(),
        write,
      );
      return {
        status: 201,
        replayed,
        data: withIsoTimes(requireFound(result, 'delivery', params.deliveryId)),
      };
    },

    async listEvents({ caller: { organizationId }, query }) {
      await requirePlan(organizationId, 'webhooks');
      const { bodies, nextAfter } = await options.eventList.list(organizationId, query);
      const json = `{"items":[${bodies.join()}],"nextAfter":${JSON.stringify(nextAfter)}}`;
      return { status: 200, json: json as JsonText<never> };
    },

    async recoverDeliveries({ caller: { organizationId }, params, body, write }) {
      await requirePlan(organizationId, 'replay');
      const { id } = await getActiveWebhook(organizationId, params.id);
      const { result, replayed } = await deliveries.recover(
        organizationId,
        id,
        body,
        clock(),
        write,
      );
      return { status: 201, replayed, data: result };
    },
  };
}

function withStandardSecret<Fields extends { readonly secret: string }>(fields: Fields) {
  return { ...fields, standardWebhooksSecret: standardSecretOf(fields.secret) };
}
