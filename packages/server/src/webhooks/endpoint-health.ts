import { sql } from 'kysely';
import type { Database, WriteTransaction } from '../storage/database.js';
import type { AttemptOutcome } from './attempt.js';

export const disabledReasons = ['failing', 'gone'] as const;
export type DisabledReason = (typeof disabledReasons)[number];

// The weight of a new attempt in the failure rate; all earlier attempts have the rest.
const newestWeight = 0.02;
/** 410 Gone: the receiver no longer exists (RFC 9110). */
export const goneStatus = 410;

/** The sum of the outcomes of one endpoint that are recorded together. */
export interface EndpointHealthChange {
  readonly webhookId: string;
  /** The URL of the attempts. They do not change the health of a webhook whose URL has changed. */
  readonly url: string;
  readonly attempts: number;
  readonly failures: number;
  readonly lastSuccessAt: number | null;
  /** When the first failure after the last success was attempted. */
  readonly firstFailureAt: number | null;
  readonly lastFailureAt: number | null;
  readonly isGone: boolean;
}

/** Sums up outcomes by endpoint, in their order. */
export function summarizeHealth(outcomes: readonly AttemptOutcome[]): EndpointHealthChange[] {
  const changes = new Map<string, EndpointHealthChange>();
  for (const { delivery, url, attemptedAt, durationMs, statusCode, error } of outcomes) {
    const key = `${delivery.webhookId} ${url}`;
    const before = changes.get(key) ?? {
      webhookId: delivery.webhookId,
      url,
      attempts: 0,
      failures: 0,
      lastSuccessAt: null,
      firstFailureAt: null,
      lastFailureAt: null,
      isGone: false,
    };
    const attempts = before.attempts + 1;
    changes.set(
      key,
      error === null
        ? {
            ...before,
            attempts,
            lastSuccessAt: Math.max(before.lastSuccessAt ?? 0, attemptedAt + durationMs),
            firstFailureAt: null,
            lastFailureAt: null,
          }
        : {
            ...before,
            attempts,
            failures: before.failures + 1,
            firstFailureAt: before.firstFailureAt ?? attemptedAt,
            lastFailureAt: attemptedAt,
            isGone: before.isGone || statusCode === goneStatus,
          },
    );
  }
  return [...changes.values()];
}

export interface HealthRules {
  /** An endpoint is disabled when all its attempts fail for this time. 0 turns this rule off. */
  readonly disableAfterMs: number;
}

/** Updates the health of endpoints. Disables those that are gone or have failed for too long. */
export async function recordHealth(
  database: Pick<Database, 'lockRows'>,
  transaction: WriteTransaction,
  changes: readonly EndpointHealthChange[],
  { disableAfterMs }: HealthRules,
): Promise<void> {
  if (changes.length === 0) return;
  const ids = changes.map(({ webhookId }) => webhookId);
  await database.lockRows(transaction, 'webhooks', ids);
  const rows = changes.map(({ webhookId, url, attempts, failures, ...change }) => {
    const oldWeight = (1 - newestWeight) ** attempts;
    return sql`(${webhookId}, ${url}, cast(${change.lastSuccessAt} as bigint),
      cast(${change.firstFailureAt} as bigint), cast(${failures / attempts} as double precision),
      cast(${oldWeight} as double precision))`;
  });
  await sql`
    with given (id, url, last_success_at, first_failure_at, rate, old_weight)
      as (values ${sql.join(rows)})
    update webhooks set
      last_success_at = case
        when given.last_success_at > coalesce(webhooks.last_success_at, 0)
        then given.last_success_at else webhooks.last_success_at end,
      failing_since = case
        when given.last_success_at is not null then given.first_failure_at
        else coalesce(webhooks.failing_since, given.first_failure_at) end,
      failure_rate = case
        when webhooks.failure_rate is null then given.rate
        else webhooks.failure_rate * given.old_weight + given.rate * (1 - given.old_weight) end
    from given
    where webhooks.id = given.id and webhooks.url = given.url`.execute(transaction);
  const suspects = changes.filter(
    ({ isGone, firstFailureAt }) => isGone || (disableAfterMs > 0 && firstFailureAt !== null),
  );
  if (suspects.length > 0) await disable(transaction, suspects, disableAfterMs);
}

async function disable(
  transaction: WriteTransaction,
  suspects: readonly EndpointHealthChange[],
  disableAfterMs: number,
): Promise<void> {
  const rows = suspects.map(({ webhookId, url, isGone, lastFailureAt, lastSuccessAt }) => {
    const at = lastFailureAt ?? lastSuccessAt;
    const reason: DisabledReason = isGone ? 'gone' : 'failing';
    const cutoff = isGone ? null : (lastFailureAt ?? 0) - disableAfterMs;
    return sql`(${webhookId}, ${url}, ${reason}, cast(${at} as bigint), cast(${cutoff} as bigint))`;
  });
  await sql`
    with given (id, url, reason, at, cutoff) as (values ${sql.join(rows)})
    update webhooks
      set is_active = 0, disabled_at = given.at, disabled_reason = given.reason,
        updated_at = given.at
    from given
    where webhooks.id = given.id and webhooks.url = given.url
      and is_active = 1 and deleted_at is null
      and (cutoff is null or failing_since <= cutoff)`.execute(transaction);
}
