import { ApiError, notFound, validationError } from '../contract/api-error.js';
import type { OrganizationRepository } from '../organizations/organization-repository.js';
import { hasWebhooks, type Plan, type PlanTable } from '../organizations/plans.js';
import type { WebhookSettings } from './webhook-contract.js';
import type { Webhook, WebhookRepository } from './webhook-repository.js';

export interface WebhookAccessOptions {
  readonly webhooks: Pick<WebhookRepository, 'find' | 'findUnknown'>;
  readonly organizations: Pick<OrganizationRepository, 'get'>;
  readonly plans: PlanTable;
}

const features = {
  webhooks: { isPartOf: hasWebhooks, subject: 'Webhooks are' },
  replay: { isPartOf: ({ hasReplay }: Plan) => hasReplay, subject: 'Replay is' },
};

export type WebhookAccess = ReturnType<typeof webhookAccess>;

/** Checks plans, and finds webhooks for handlers. */
export function webhookAccess({ webhooks, organizations, plans }: WebhookAccessOptions) {
  async function requirePlan(
    organizationId: string,
    feature: keyof typeof features,
  ): Promise<void> {
    const { plan } = await organizations.get(organizationId);
    const { isPartOf, subject } = features[feature];
    if (isPartOf(plans[plan])) return;
    throw new ApiError('PLAN_REQUIRED', `${subject} not part of the plan ${plan}`);
  }

  /** Throws VALIDATION_FAILED when filters name a link or a domain that the organization does not have. */
  async function checkFilters(
    organizationId: string,
    filters: WebhookSettings['filters'],
  ): Promise<void> {
    const path = filters && (await webhooks.findUnknown(organizationId, filters));
    if (path) throw validationError([{ path, message: 'does not exist in this organization' }]);
  }

  async function getWebhook(organizationId: string, id: string): Promise<Webhook> {
    return requireFound(await webhooks.find(organizationId, id), 'webhook', id);
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

  return { requirePlan, checkFilters, getWebhook, getActiveWebhook };
}

/** Returns a record that exists. Throws NOT_FOUND otherwise. */
export function requireFound<T>(thing: T | null | undefined, kind: string, id: string): T {
  if (thing) return thing;
  throw notFound(kind, id);
}
