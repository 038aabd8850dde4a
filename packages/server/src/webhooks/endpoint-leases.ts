import { type Kysely, type SqlBool, sql } from 'kysely';
import type { Database, WriteTransaction } from '../storage/database.js';
import type { Schema } from '../storage/schema.js';

/** How long a dispatcher leases an endpoint. After a crash, others send its deliveries after this time. */
export const leaseMs = 15_000;

/** The time by the database's clock, which all nodes share. */
function databaseNow({ engine }: Pick<Database, 'engine'>) {
  return engine === 'postgres'
    ? sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`
    : sql<number>`cast(unixepoch('subsec') * 1000 as integer)`;
}

/** Whether no dispatcher has a lease of a webhook. */
export function isNotLeased(database: Pick<Database, 'engine'>) {
  const now = databaseNow(database);
  // No lease ends later than after `leaseMs`, unless the clock was set back.
  return sql<SqlBool>`(leased_until is null or leased_until <= ${now}
    or leased_until > ${now} + ${sql.lit(2 * leaseMs)})`;
}

/**
 * Leases the endpoints that no other dispatcher has leased, or renews their leases. Returns their ids.
 * Skips those whose rows another node changes at the moment.
 */
export async function leaseEndpoints(
  database: Pick<Database, 'engine'>,
  transaction: WriteTransaction,
  owner: string,
  webhookIds: readonly string[],
): Promise<string[]> {
  if (webhookIds.length === 0) return [];
  const free = transaction
    .selectFrom('webhooks')
    .select('id')
    .where('id', 'in', webhookIds)
    .where(({ or, eb }) => or([eb('leased_by', '=', owner), isNotLeased(database)]))
    .orderBy('id');
  const rows = await transaction
    .updateTable('webhooks')
    .set({
      leased_by: owner,
      leased_until: sql<number>`${databaseNow(database)} + ${sql.lit(leaseMs)}`,
    })
    .where('id', 'in', database.engine === 'postgres' ? free.forNoKeyUpdate().skipLocked() : free)
    .returning('id')
    .execute();
  return rows.map(({ id }) => id);
}

/** Ends leases of this dispatcher; of all endpoints by default. */
export async function releaseEndpoints(
  { engine }: Pick<Database, 'engine'>,
  transaction: WriteTransaction,
  owner: string,
  webhookIds?: readonly string[],
): Promise<void> {
  const own = transaction
    .selectFrom('webhooks')
    .select('id')
    .where('leased_by', '=', owner)
    .$if(webhookIds !== undefined, (query) => query.where('id', 'in', webhookIds ?? []))
    // All dispatchers lock in ascending order, which prevents deadlock.
    .orderBy('id');
  await transaction
    .updateTable('webhooks')
    .set({ leased_by: null, leased_until: null })
    .where('id', 'in', engine === 'postgres' ? own.forNoKeyUpdate() : own)
    .execute();
}

/** Ends all leases. Only for the one process that uses the storage. */
export async function releaseAll(transaction: Kysely<Schema>): Promise<void> {
  await transaction
    .updateTable('webhooks')
    .set({ leased_by: null, leased_until: null })
    .where('leased_by', 'is not', null)
    .execute();
}
