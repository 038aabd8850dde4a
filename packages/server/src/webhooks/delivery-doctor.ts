import type { ExpressionBuilder } from 'kysely';
import type { Database, Schema } from '../storage/database.js';

export interface DeliveryDiagnosis {
  readonly deliveries: number;
  /** Pending ones that nobody would ever attempt, and ones that are over and would be attempted. */
  readonly faults: number;
}

const isFaulty = ({ eb, and, or }: ExpressionBuilder<Schema, 'deliveries'>) =>
  or([
    and([eb('status', '=', 'pending'), eb('due_at', 'is', null)]),
    and([eb('status', '!=', 'pending'), eb('due_at', 'is not', null)]),
  ]);

/** Looks for deliveries whose state and time do not agree. */
export async function diagnoseDeliveries(database: Database): Promise<DeliveryDiagnosis> {
  const { deliveries, faults } = await database.read
    .selectFrom('deliveries')
    .select(({ fn }) => fn.countAll<number>().as('deliveries'))
    .select((expression) =>
      expression.fn.countAll<number>().filterWhere(isFaulty(expression)).as('faults'),
    )
    .executeTakeFirstOrThrow();
  return { deliveries: Number(deliveries), faults: Number(faults) };
}

/** Makes pending deliveries due, and others not. */
export async function mendDeliveries(database: Database, now: number): Promise<void> {
  await database.write(async (transaction) => {
    await transaction
      .updateTable('deliveries')
      .set({ due_at: null, next_attempt_at: null })
      .where('status', '!=', 'pending')
      .where(isFaulty)
      .execute();
    await transaction
      .updateTable('deliveries')
      .set({ due_at: now, next_attempt_at: now })
      .where(isFaulty)
      .execute();
  }, 'exclusive');
}
