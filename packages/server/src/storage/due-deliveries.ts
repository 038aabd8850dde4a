import { type SqlBool, sql } from 'kysely';
import type { Database, WriteTransaction } from './database.js';
import { prepare } from './prepared.js';

/** The number of deliveries that the dispatcher wants to claim for a webhook. */
interface Claim {
  readonly webhookId: string;
  readonly count: number;
  /** The ids of deliveries that are not claimed again. */
  readonly except?: readonly string[];
}

/** Whether a delivery is not in a list of ids, which is a JSON text. */
function isNotAmong({ engine }: Pick<Database, 'engine'>, list: string) {
  // Both engines read the list into a hash table or a tree once.
  return engine === 'postgres'
    ? sql<SqlBool>`deliveries.id not in (select json_array_elements_text(${list}::json))`
    : sql<SqlBool>`deliveries.id not in (select value from json_each(${list}))`;
}

/**
 * Returns a function that finds the oldest due deliveries of each webhook. With `skipsLocked`, it locks
 * them, and skips those that another node has locked.
 */
export function dueDeliveryFinder(
  database: Pick<Database, 'engine' | 'read'>,
  { skipsLocked = false } = {},
) {
  // The only writer of SQLite needs no row locks.
  const locks = skipsLocked && database.engine === 'postgres';
  const dueOf = prepare(
    (claim: { webhookId: string; now: number; except: string; count: number }) => {
      const query = database.read
        .selectFrom('deliveries')
        .innerJoin('webhooks', 'webhooks.id', 'deliveries.webhook_id')
        .innerJoin('organizations', 'organizations.id', 'webhooks.organization_id')
        .innerJoin('events', 'events.id', 'deliveries.event_id')
        .select(['deliveries.id', 'webhook_id as webhookId', 'deliveries.attempts'])
        // 1 if it counts in the organization's usage when it is delivered.
        .select('is_charged as isCharged')
        .select(['events.organization_id as organizationId', 'events.type as eventType'])
        .select('events.body')
        .where('webhook_id', '=', claim.webhookId)
        .where('webhooks.is_active', '=', sql.lit(1))
        .where('webhooks.deleted_at', 'is', null)
        .where('organizations.suspended_at', 'is', null)
        .where('due_at', 'is not', null)
        .where('due_at', '<=', claim.now)
        .where(isNotAmong(database, claim.except))
        .orderBy('due_at')
        .limit(claim.count);
      return locks ? query.forUpdate('deliveries').skipLocked() : query;
    },
  );

  return async (transaction: WriteTransaction, claims: readonly Claim[], now: number) => {
    const due = [];
    for (const { webhookId, count, except = [] } of claims) {
      const query = dueOf({ webhookId, now, except: JSON.stringify(except), count });
      const { rows } = await transaction.executeQuery(query);
      due.push(...rows);
    }
    return due;
  };
}
