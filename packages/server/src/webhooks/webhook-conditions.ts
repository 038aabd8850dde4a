import type { ExpressionBuilder } from 'kysely';
import type { Schema } from '../storage/schema.js';

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
