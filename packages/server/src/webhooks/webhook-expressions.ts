import { type ExpressionBuilder, sql } from 'kysely';
import type { Schema } from '../storage/schema.js';

/** Selects the time at which the oldest pending delivery of a webhook is due; null without one. */
export function oldestDueAt({ selectFrom }: ExpressionBuilder<Schema, 'webhooks'>) {
  return (
    selectFrom('deliveries')
      .select('due_at')
      .whereRef('deliveries.webhook_id', '=', 'webhooks.id')
      .where('due_at', 'is not', null)
      .orderBy('due_at')
      // A literal, because queries that are prepared have no other parameters.
      .limit(sql.lit(1))
  );
}

/** Selects the webhooks of organizations that are not suspended. Others send nothing. */
export function isOfActiveOrganization({
  exists,
  not,
  selectFrom,
}: ExpressionBuilder<Schema, 'webhooks'>) {
  return not(
    exists(
      selectFrom('organizations')
        .select('organizations.id')
        .whereRef('organizations.id', '=', 'webhooks.organization_id')
        .where('suspended_at', 'is not', null),
    ),
  );
}
