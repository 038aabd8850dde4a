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

interface Health {
  last_success_at: number | null;
  failing_since: number | null;
  failure_rate: number | null;
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
  disableAfterMs: number,
): Promise<void> {
  const ids = [...new Set(outcomes.map(({ delivery }) => delivery.webhookId))];
  if (ids.length === 0) return;
  const rows = await transaction
    .selectFrom('webhooks')
    .select(['id', 'organization_id', 'url', 'is_active', 'deleted_at'])
    .select(['last_success_at', 'failing_since'])
    .select(['failure_rate', 'disabled_at', 'disabled_reason', 'updated_at'])
    .where('id', 'in', ids)
    // All dispatchers lock in ascending order, which prevents deadlock.
    .orderBy('id')
    .$if(engine === 'postgres', (query) => query.forNoKeyUpdate())
    .execute();
  const changes = rows.map(({ id, organization_id, url, deleted_at, ...health }) => {
    // Attempts at another URL do not change the health.
    const own = outcomes.filter((each) => each.delivery.webhookId === id && each.url === url);
    for (const outcome of own) addOutcome(health, outcome);
    const now = own.at(-1)?.attemptedAt ?? 0;
    const { failing_since: failingSince, last_success_at: lastSuccessAt } = health;
    const isFailing = failingSince !== null && failingSince <= now - disableAfterMs;
    if (isFailing && disableAfterMs > 0 && health.is_active === 1 && deleted_at === null) {
      const disabledReason: DisabledReason = 'failing';
      health.is_active = 0;
      health.disabled_at = now;
      health.disabled_reason = disabledReason;
      health.updated_at = nextUpdatedAt(health.updated_at, now);
      const fields = { id, url, disabledAt: now, disabledReason, failingSince, lastSuccessAt };
      const data = withIsoTimes(fields);
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
