import { dayMs } from '../../durations.js';
import { joinErrors } from '../../lifecycle.js';
import type { Database } from '../../storage/database.js';
import { keepVisits } from './stored-visits.js';

/** Returns the start of the first UTC day whose visits are retained; undefined without a setting. */
export function retainedSince(retentionDays: number | undefined, now: number): number | undefined {
  if (retentionDays === undefined) return undefined;
  return Math.floor((now - retentionDays * dayMs) / dayMs) * dayMs;
}

const rowsPerTransaction = 64;

/**
 * Deletes the visits before an instant. Counters do not change. Throws at the end if some rows cannot be
 * read: they may have later visits.
 */
export async function deleteOldVisits(
  database: Database,
  before: number | undefined,
  signal?: AbortSignal,
): Promise<void> {
  if (before === undefined) return;
  const errors: unknown[] = [];
  for (let last = 0; !signal?.aborted; ) {
    const rows = await database.read
      .selectFrom('visits')
      .select(['id', 'organization_id'])
      .where('first_at', '<', before)
      .where('id', '>', last)
      .orderBy('id')
      .limit(rowsPerTransaction)
      .execute();
    for (const { id, organization_id: organizationId } of rows) {
      try {
        await database.writeDirectly(
          async (transaction) => {
            const row = await transaction
              .selectFrom('visits')
              .select(['id', 'last_at', 'visit_count', 'visits'])
              .where('id', '=', id)
              .executeTakeFirst();
            if (!row) return;
            await transaction
              .updateTable('organizations')
              .set({ visits_deleted_until: before })
              .where('id', '=', organizationId)
              .where('visits_deleted_until', '<', before)
              .execute();
            if (row.last_at < before) {
              await transaction.deleteFrom('visits').where('id', '=', id).execute();
              return;
            }
            await keepVisits(
              transaction,
              row,
              ({ visitedAt }, index) => (visitedAt[index] as number) >= before,
            );
          },
          { organizationId },
        );
      } catch (error) {
        errors.push(error);
      }
    }
    if (rows.length < rowsPerTransaction) break;
    last = rows.at(-1)?.id as number;
  }
  if (errors.length > 0) throw joinErrors('some old visits were not deleted', errors);
}
