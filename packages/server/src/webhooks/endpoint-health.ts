import { withIsoTimes } from '../contract/present.js';
import type { EventOutbox } from '../events/event-outbox.js';
import { nextUpdatedAt } from '../preconditions/if-match.js';
import type { Database, WriteTransaction } from '../storage/database.js';
import { updateEach } from '../storage/statements.js';
import type { AttemptOutcome } from './attempt.js';
import type { webhookDisabled } from './event-contract.js';
import type { DisabledReason } from './webhook-contract.js';

// The weight of a new attempt in the failure rate; all earlier attempts have the rest.
const newestWeight = 0.02;

export interface HealthRules {
  /** An endpoint is disabled when all its attempts fail for this time. 0 turns this rule off. */
  readonly disableAfterMs: number;
}

interface Health {
  last_success_at: number | null;
  failing_since: number | null;
  failure_rate: number | null;
  is_active: number;
  disabled_at: number | null;
  disabled_reason: string | null;
  updated_at: number;
}

/**
 * Updates the health of endpoints. Disables those that have failed for too long, and writes an event for
 * the other webhooks of their organization.
 */
export async function recordHealth(
  { engine }: Pick<Database, 'engine'>,
  outbox: Pick<EventOutbox, 'record'>,
  transaction: WriteTransaction,
  outcomes: readonly AttemptOutcome[],
  { disableAfterMs }: HealthRules,
): Promise<void> {
  const byWebhook = new Map<string, AttemptOutcome[]>();
  for (const outcome of outcomes) {
    const own = byWebhook.get(outcome.delivery.webhookId);
    if (own) own.push(outcome);
    else byWebhook.set(outcome.delivery.webhookId, [outcome]);
  }
  if (byWebhook.size === 0) return;
  const query = transaction
    .selectFrom('webhooks')
    .select(['id', 'organization_id', 'url', 'is_active', 'deleted_at'])
    .select(['last_success_at', 'failing_since'])
    .select(['failure_rate', 'disabled_at', 'disabled_reason', 'updated_at'])
    .where('id', 'in', [...byWebhook.keys()])
    // All dispatchers lock in ascending order, which prevents deadlock.
    .orderBy('id');
  const rows = await (engine === 'postgres' ? query.forNoKeyUpdate() : query).execute();
  const changes = rows.map(({ id, organization_id, url, deleted_at, ...health }) => {
    // Attempts at another URL do not change the health.
    const own = (byWebhook.get(id) ?? []).filter((outcome) => outcome.url === url);
    for (const outcome of own) addOutcome(health, outcome);
    const isLive = health.is_active === 1 && deleted_at === null;
    const change = isLive ? disable(health, own, disableAfterMs) : undefined;
    if (change) {
      const { failing_since: failingSince, last_success_at: lastSuccessAt } = health;
      const data = withIsoTimes({ id, url, ...change, failingSince, lastSuccessAt });
      const now = change.disabledAt;
      const event = { organizationId: organization_id, now, data, exceptId: id };
      outbox.record<typeof webhookDisabled>(transaction, { type: 'webhook.disabled' }, event);
    }
    return { set: health, where: { id } };
  });
  await updateEach(transaction, 'webhooks', changes);
}

function addOutcome(health: Health, { error, attemptedAt, durationMs }: AttemptOutcome): void {
  const failure = error === null ? 0 : 1;
  const rate = health.failure_rate ?? failure;
  health.failure_rate = rate * (1 - newestWeight) + failure * newestWeight;
  if (error === null) {
    health.last_success_at = Math.max(health.last_success_at ?? 0, attemptedAt + durationMs);
    health.failing_since = null;
  } else {
    health.failing_since ??= attemptedAt;
  }
}

/** Disables an endpoint if it has failed for too long. Returns the time and the reason, or undefined. */
function disable(health: Health, outcomes: readonly AttemptOutcome[], disableAfterMs: number) {
  const disabledAt = outcomes.at(-1)?.attemptedAt;
  const { failing_since } = health;
  if (disabledAt === undefined || failing_since === null || disableAfterMs === 0) return undefined;
  if (failing_since > disabledAt - disableAfterMs) return undefined;
  const disabledReason: DisabledReason = 'failing';
  health.is_active = 0;
  health.disabled_at = disabledAt;
  health.disabled_reason = disabledReason;
  health.updated_at = nextUpdatedAt(health.updated_at, disabledAt);
  return { disabledAt, disabledReason };
}
