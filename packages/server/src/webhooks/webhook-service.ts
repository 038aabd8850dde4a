import { newSecret } from '../auth/secrets.js';
import { ApiError, validationError } from '../contract/api-error.js';
import type { EventType } from '../events/event-types.js';
import type { IdempotentRequest, IdempotentResult } from '../idempotency/with-idempotency-key.js';
import { findUrlError } from '../network/receiver-url.js';
import type { OrganizationRepository } from '../organizations/organization-repository.js';
import { hasWebhooks, type Plan, type PlanTable } from '../organizations/plans.js';
import type { Clock, NewId, RandomBytes } from '../ports.js';
import type {
  AttemptRow,
  DeliveryFilter,
  DeliveryPage,
  DeliveryRepository,
  DeliveryRow,
} from './delivery-repository.js';
import { eventExamples } from './event-examples.js';
import {
  maxWebhooks,
  type WebhookCreateRequest,
  type WebhookUpdateRequest,
} from './webhook-contract.js';
import type {
  NewWebhook,
  Page,
  Webhook,
  WebhookPage,
  WebhookRepository,
} from './webhook-repository.js';

export interface WebhookServiceOptions {
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

type Idempotency = IdempotentRequest | undefined;

const features = {
  webhooks: { isPartOf: hasWebhooks, subject: 'Webhooks are' },
  replay: { isPartOf: ({ hasReplay }: Plan) => hasReplay, subject: 'Replay is' },
};

/** Checks plans, limits and receivers, and reads and changes webhooks and deliveries. */
export class WebhookService {
  readonly #options: WebhookServiceOptions;

  constructor(options: WebhookServiceOptions) {
    this.#options = options;
  }

  async create(
    organizationId: string,
    { url, events, isActive = true }: WebhookCreateRequest,
    idempotency: Idempotency,
  ): Promise<IdempotentResult<NewWebhook>> {
    const { webhooks, clock, newId, randomBytes } = this.#options;
    await this.#requirePlan(organizationId, 'webhooks');
    this.#checkUrl(url);
    const secret = newSecret('webhookSecret', randomBytes);
    const webhook = { id: newId(), url, events, secret, isActive, createdAt: clock() };
    const { result, replayed } = await webhooks.create(
      organizationId,
      webhook,
      maxWebhooks,
      idempotency,
    );
    if (result) return { result, replayed };
    throw new ApiError('QUOTA_EXCEEDED', `An organization has at most ${maxWebhooks} webhooks`);
  }

  list(organizationId: string, page: Page): Promise<WebhookPage> {
    return this.#options.listWebhooks(organizationId, page);
  }

  async get(organizationId: string, id: string): Promise<Webhook> {
    return requireFound(await this.#options.webhooks.find(organizationId, id));
  }

  async update(organizationId: string, id: string, patch: WebhookUpdateRequest): Promise<Webhook> {
    const { webhooks, clock, onChanged } = this.#options;
    await this.#requirePlan(organizationId, 'webhooks');
    if (patch.url !== undefined) this.#checkUrl(patch.url);
    const webhook = await webhooks.update(organizationId, id, patch, clock());
    onChanged();
    return requireFound(webhook);
  }

  async delete(organizationId: string, id: string): Promise<Webhook> {
    const { webhooks, clock, onChanged } = this.#options;
    const webhook = await webhooks.delete(organizationId, id, clock());
    onChanged();
    return requireFound(webhook);
  }

  async rotateSecret(organizationId: string, id: string, idempotency: Idempotency) {
    const { webhooks, clock, randomBytes, onChanged } = this.#options;
    await this.#requirePlan(organizationId, 'webhooks');
    const secret = newSecret('webhookSecret', randomBytes);
    const { result, replayed } = await webhooks.rotateSecret(
      organizationId,
      id,
      secret,
      clock(),
      idempotency,
    );
    onChanged();
    return { result: requireFound(result), replayed };
  }

  async test(
    organizationId: string,
    id: string,
    type: EventType | undefined,
    idempotency: Idempotency,
  ): Promise<IdempotentResult<DeliveryRow>> {
    const { deliveries, clock } = this.#options;
    await this.#requirePlan(organizationId, 'webhooks');
    const webhook = await this.#getActive(organizationId, id);
    const chosen = type ?? webhook.events[0] ?? 'url.created';
    return deliveries.sendTo(
      organizationId,
      id,
      chosen,
      eventExamples[chosen],
      clock(),
      idempotency,
    );
  }

  async listDeliveries(
    organizationId: string,
    id: string,
    filter: DeliveryFilter,
  ): Promise<DeliveryPage> {
    await this.get(organizationId, id);
    return this.#options.listDeliveries(organizationId, id, filter);
  }

  async getDelivery(
    organizationId: string,
    id: string,
    deliveryId: string,
  ): Promise<{ delivery: DeliveryRow; body: string; attempts: AttemptRow[] }> {
    await this.get(organizationId, id);
    return requireFound(await this.#options.deliveries.find(id, deliveryId), 'delivery');
  }

  async replay(
    organizationId: string,
    id: string,
    deliveryId: string,
    idempotency: Idempotency,
  ): Promise<IdempotentResult<DeliveryRow>> {
    const { deliveries, clock } = this.#options;
    await this.#requirePlan(organizationId, 'replay');
    await this.#getActive(organizationId, id);
    const { result, replayed } = await deliveries.replay(
      organizationId,
      id,
      deliveryId,
      clock(),
      idempotency,
    );
    return { result: requireFound(result, 'delivery'), replayed };
  }

  async #getActive(organizationId: string, id: string): Promise<Webhook> {
    const webhook = await this.get(organizationId, id);
    if (webhook.isActive) return webhook;
    throw validationError([
      {
        path: 'id',
        message: 'must be an active webhook: activate it with PATCH { "isActive": true }',
      },
    ]);
  }

  async #requirePlan(organizationId: string, feature: keyof typeof features): Promise<void> {
    const { organizations, plans } = this.#options;
    const { plan } = await organizations.get(organizationId);
    const { isPartOf, subject } = features[feature];
    if (isPartOf(plans[plan])) return;
    throw new ApiError('PLAN_REQUIRED', `${subject} not part of the plan ${plan}`);
  }

  #checkUrl(url: string): void {
    const { allowPrivateNetwork } = this.#options;
    const error = findUrlError(url, { allowPrivateNetwork });
    if (error) throw validationError([{ path: 'url', message: error.message }]);
  }
}

function requireFound<T>(thing: T | null | undefined, what = 'webhook'): T {
  if (thing) return thing;
  throw new ApiError('NOT_FOUND', `There is no such ${what} in this organization`);
}
