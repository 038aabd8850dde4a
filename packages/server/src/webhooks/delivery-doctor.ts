import type { ExpressionBuilder } from 'kysely';
import type { Database, Schema } from '../storage/database.js';

export interface DeliveryDiagnosis {
  readonly deliveries: number;
  /** Pending deliveries without a due time, and finished deliveries with one. */
  readonly inconsistent: number;
}

const isInconsistent = ({ eb, and, or }: ExpressionBuilder<Schema, 'deliveries'>) =>
  or([
    and([eb('status', '=', 'pending'), eb('due_at', 'is', null)]),
    and([eb('status', '!=', 'pending'), eb('due_at', 'is not', null)]),
  ]);

/** Counts deliveries whose status and due time contradict each other. */
export async function diagnoseDeliveries(database: Database): Promise<DeliveryDiagnosis> {
  const { deliveries, inconsistent } = await database.read
    .selectFrom('deliveries')
    .select(({ fn }) => fn.countAll<number>().as('deliveries'))
    .select((expression) =>
      expression.fn.countAll<number>().filterWhere(isInconsistent(expression)).as('inconsistent'),
    )
    .executeTakeFirstOrThrow();
  return { deliveries: Number(deliveries), inconsistent: Number(inconsistent) };
}

/** Makes pending deliveries due now, and removes the due time of finished ones. */
export async function repairDeliveries(database: Database, now: number): Promise<void> {
  await database.writeDirectly(async (transaction) => {
    await transaction
      .updateTable('deliveries')
      .set({ due_at: null, next_attempt_at: null })
      .where('status', '!=', 'pending')
      .where(isInconsistent)
      .execute();
    await transaction
      .updateTable('deliveries')
      .set({ due_at: now, next_attempt_at: now })
      .where(isInconsistent)
      .execute();
  }, 'exclusive');
}
