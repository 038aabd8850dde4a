import { type SqlBool, sql } from 'kysely';
import type { Database } from '../storage/database.js';

// Pending deliveries without a due time, and finished deliveries with one.
const isInconsistent = sql<SqlBool>`(status = 'pending') = (due_at is null)`;

/** Counts deliveries whose status and due time contradict each other. */
export async function diagnoseDeliveries(database: Database) {
  const { deliveries, inconsistent } = await database.read
    .selectFrom('deliveries')
    .select(({ fn }) => fn.countAll<number>().as('deliveries'))
    .select(({ fn }) => fn.countAll<number>().filterWhere(isInconsistent).as('inconsistent'))
    .executeTakeFirstOrThrow();
  return { deliveries: Number(deliveries), inconsistent: Number(inconsistent) };
}

/** Makes pending deliveries due now, and removes the due time of finished ones. */
export async function repairDeliveries(database: Database, now: number): Promise<void> {
  const dueAt = sql<number | null>`case when status = 'pending' then cast(${now} as bigint) end`;
  await database.writeDirectly(
    (transaction) =>
      transaction
        .updateTable('deliveries')
        .set({ due_at: dueAt, next_attempt_at: dueAt })
        .where(isInconsistent)
        .execute(),
    'exclusive',
  );
}
