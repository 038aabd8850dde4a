import type { ApiPromise } from '../api-promise.js';
import type { RequestOptions } from '../options.js';
import type { PagedList } from '../paginate.js';
import type {
  Delivery,
  DeliveryDetail,
  DeliveryListQuery,
  DeliveryPage,
  EventTypeList,
  Recovered,
  RecoverRequest,
  Webhook,
  WebhookCreated,
  WebhookCreateRequest,
  WebhookListQuery,
  WebhookPage,
  WebhookRotateRequest,
  WebhookSecret,
  WebhookStats,
  WebhookStatsQuery,
  WebhookTestRequest,
  WebhookUpdateRequest,
} from '../types.js';
import { Resource } from './resource.js';

/** A list of webhooks: one page when awaited, all when iterated. */
export interface WebhookList extends PagedList<Webhook, WebhookPage> {}
/** A list of deliveries: one page when awaited, all when iterated. */
export interface DeliveryList extends PagedList<Delivery, DeliveryPage> {}

/**
 * Webhooks and their deliveries: `shorty.webhooks`. Calls that change something, other than `delete`,
 * reject with PermissionError if the plan has no webhooks.
 */
export class WebhooksResource extends Resource {
  /**
   * Subscribes a receiver to events. Only this response has the signing secret. Rejects with
   * ValidationError for an invalid URL, and with QuotaExceededError if the organization has 50 webhooks.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * const { id, secret } = await shorty.webhooks.create({
   *   url: 'https://example.com/hook',
   *   events: ['url.created', 'qr.scan_threshold'],
   * });
   * console.log(id, secret);
   * ```
   */
  create(body: WebhookCreateRequest, options?: RequestOptions): ApiPromise<WebhookCreated> {
    return this.api.send('POST /api/v1/webhooks', { body }, options);
  }

  /**
   * Lists webhooks, newest first: one page when awaited, all of them when iterated.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * for await (const { id, url, isActive } of shorty.webhooks.list()) console.log(id, url, isActive);
   * ```
   */
  list(query: WebhookListQuery = {}, options?: RequestOptions): WebhookList {
    return this.api.list('GET /api/v1/webhooks', { query }, options);
  }

  /**
   * Reads a webhook. Rejects with NotFoundError if the organization has no webhook with this id.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * const { url, events } = await shorty.webhooks.get('0192f0c1-2b7d-7c3e-9a51-3f1d2b6c8e47');
   * console.log(url, events);
   * ```
   */
  get(id: string, options?: RequestOptions): ApiPromise<Webhook> {
    return this.api.send('GET /api/v1/webhooks/{id}', { params: { id } }, options);
  }

  /**
   * Changes the given fields. While `isActive` is false, pending deliveries wait. Rejects with
   * NotFoundError, with ValidationError for an invalid URL, and with ConflictError if `ifMatch` does
   * not match.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * await shorty.webhooks.update('0192f0c1-2b7d-7c3e-9a51-3f1d2b6c8e47', { isActive: false });
   * ```
   */
  update(id: string, patch: WebhookUpdateRequest, options?: RequestOptions): ApiPromise<Webhook> {
    return this.api.send('PATCH /api/v1/webhooks/{id}', { params: { id }, body: patch }, options);
  }

  /**
   * Deletes a webhook and its deliveries, and returns its last state. Rejects with NotFoundError, and
   * with ConflictError if `ifMatch` does not match.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * const { url } = await shorty.webhooks.delete('0192f0c1-2b7d-7c3e-9a51-3f1d2b6c8e47');
   * console.log(url);
   * ```
   */
  delete(id: string, options?: RequestOptions): ApiPromise<Webhook> {
    return this.api.send('DELETE /api/v1/webhooks/{id}', { params: { id } }, options);
  }

  /**
   * Sends an example event to this webhook only. The default type is its first subscribed type. Rejects
   * with NotFoundError, and with ValidationError if the webhook is inactive.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * const { id, status } = await shorty.webhooks.test('0192f0c1-2b7d-7c3e-9a51-3f1d2b6c8e47', {
   *   type: 'url.created',
   * });
   * console.log(id, status);
   * ```
   */
  test(id: string, body: WebhookTestRequest = {}, options?: RequestOptions): ApiPromise<Delivery> {
    return this.api.send('POST /api/v1/webhooks/{id}/test', { params: { id }, body }, options);
  }

  /**
   * Replaces the signing secret. The previous one also signs until `previousSecretExpiresAt`, 24 hours
   * from now. `expireOldAfterSeconds` of the body ends all old secrets sooner; 0 ends them now. Rejects
   * with NotFoundError, and with ConflictError if the webhook has three live secrets.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * const { secret, previousSecretExpiresAt } = await shorty.webhooks.rotateSecret(
   *   '0192f0c1-2b7d-7c3e-9a51-3f1d2b6c8e47',
   * );
   * console.log(secret, previousSecretExpiresAt);
   * ```
   */
  rotateSecret(
    id: string,
    options?: RequestOptions,
    body?: WebhookRotateRequest,
  ): ApiPromise<WebhookSecret> {
    return this.api.send(
      'POST /api/v1/webhooks/{id}/rotate-secret',
      { params: { id }, body },
      options,
    );
  }

  /**
   * Lists a webhook's deliveries, newest first. `status` filters the list. Rejects with NotFoundError
   * if the organization has no webhook with this id.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * const failed = shorty.webhooks.deliveries('0192f0c1-2b7d-7c3e-9a51-3f1d2b6c8e47', { status: 'failed' });
   * for await (const { id, eventType, lastError } of failed) console.log(id, eventType, lastError);
   * ```
   */
  deliveries(id: string, query: DeliveryListQuery = {}, options?: RequestOptions): DeliveryList {
    return this.api.list(
      'GET /api/v1/webhooks/{id}/deliveries',
      { params: { id }, query },
      options,
    );
  }

  /**
   * Reads a delivery with its body and all attempts. Rejects with NotFoundError.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * const { attemptHistory } = await shorty.webhooks.delivery(
   *   '0192f0c1-2b7d-7c3e-9a51-3f1d2b6c8e47',
   *   '0192f0c1-3000-7c3e-9a51-3f1d2b6c8e47',
   * );
   * for (const { number, statusCode, error } of attemptHistory) console.log(number, statusCode, error);
   * ```
   */
  delivery(id: string, deliveryId: string, options?: RequestOptions): ApiPromise<DeliveryDetail> {
    return this.api.send(
      'GET /api/v1/webhooks/{id}/deliveries/{deliveryId}',
      { params: { id, deliveryId } },
      options,
    );
  }

  /**
   * Delivers the event of one delivery again, as a new delivery with its own id and the same body.
   * Rejects with NotFoundError, with PermissionError if the plan has no replay, and with ValidationError
   * if the webhook is inactive.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * await shorty.webhooks.replay(
   *   '0192f0c1-2b7d-7c3e-9a51-3f1d2b6c8e47',
   *   '0192f0c1-3000-7c3e-9a51-3f1d2b6c8e47',
   * );
   * ```
   */
  replay(id: string, deliveryId: string, options?: RequestOptions): ApiPromise<Delivery> {
    return this.api.send(
      'POST /api/v1/webhooks/{id}/deliveries/{deliveryId}/replay',
      { params: { id, deliveryId } },
      options,
    );
  }

  /**
   * Delivers the events again whose latest delivery failed in a time range, oldest first, up to 1,000.
   * While `hasMore` is true, more remain. Rejects with NotFoundError, with PermissionError if the plan has
   * no replay, and with ValidationError if the webhook is inactive.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * const { created, hasMore } = await shorty.webhooks.recover('0192f0c1-2b7d-7c3e-9a51-3f1d2b6c8e47', {
   *   since: new Date(Date.now() - 2 * 3_600_000),
   * });
   * console.log(created, hasMore);
   * ```
   */
  recover(id: string, body: RecoverRequest, options?: RequestOptions): ApiPromise<Recovered> {
    return this.api.send('POST /api/v1/webhooks/{id}/recover', { params: { id }, body }, options);
  }

  /**
   * Reads the statistics of a webhook's attempts: success rate, response times, and failures by cause.
   * Rejects with NotFoundError, and with ValidationError for an invalid window.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * const { totals, responseTimeMs, failures } = await shorty.webhooks.stats(
   *   '0192f0c1-2b7d-7c3e-9a51-3f1d2b6c8e47',
   *   { since: new Date(Date.now() - 24 * 3_600_000), groupBy: 'hour' },
   * );
   * console.log(totals.successRate, responseTimeMs.p95, failures);
   * ```
   */
  stats(
    id: string,
    query: WebhookStatsQuery = {},
    options?: RequestOptions,
  ): ApiPromise<WebhookStats> {
    return this.api.send('GET /api/v1/webhooks/{id}/stats', { params: { id }, query }, options);
  }

  /**
   * Lists all event types, each with its description, the JSON schema of its body, and an example.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * const { items } = await shorty.webhooks.eventTypes();
   * for (const { type, description } of items) console.log(type, description);
   * ```
   */
  eventTypes(options?: RequestOptions): ApiPromise<EventTypeList> {
    return this.api.send('GET /api/v1/event-types', {}, options);
  }
}
