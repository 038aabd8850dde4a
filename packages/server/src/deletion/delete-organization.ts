import { sql } from 'kysely';
import { OrganizationRepository } from '../organizations/organization-repository.js';
import type { Database, WriteTransaction } from '../storage/database.js';
import { changeLinkPolicy } from '../storage/link-policy.js';
import { childrenOf } from '../storage/schema.js';
import { columnOfOwner, deleteRows } from './delete-rows.js';

/** Why an organization is not deleted, or not completely. */
export interface DeletionProblem {
  readonly organizationId: string;
  readonly error: unknown;
}

/**
 * Deletes the organizations that are marked for it, and imports that were killed, in transactions of a few rows, until the signal
 * aborts. Continues what a killed process began. Several processes may run it at once.
 */
export async function deleteOrganizations(
  database: Database,
  signal?: AbortSignal,
  now = Date.now(),
): Promise<readonly DeletionProblem[]> {
  const problems: DeletionProblem[] = [];
  for (const organizationId of await new OrganizationRepository(database).listDeleted(now)) {
    try {
      await deleteOrganization(database, organizationId, now, signal);
    } catch (error) {
      // The deletion of the others must not wait for it.
      problems.push({ organizationId, error });
    }
    if (signal?.aborted) break;
  }
  return problems;
}

// The registry has referenced tables first.
const tablesInOrder = childrenOf('organizations').reverse();

/**
 * Deletes a marked organization, or an import whose lease ends at `leasedUntil` at the latest. Stops when
 * another process has deleted it, because it may be imported again.
 */
export async function deleteOrganization(
  database: Database,
  organizationId: string,
  leasedUntil: number,
  signal?: AbortSignal,
): Promise<void> {
  const ended = new AbortController();
  const stop = signal ? AbortSignal.any([signal, ended.signal]) : ended.signal;
  // Waits for the transactions that began before the mark. Later ones store no visits of its links. An
  // import that continues fails.
  const { numUpdatedRows } = await database.writeDirectly(
    (transaction) =>
      transaction
        .updateTable('organizations')
        .set({ import_leased_until: 0 })
        .where('id', '=', organizationId)
        .where('import_leased_until', '<=', leasedUntil)
        .executeTakeFirstOrThrow(),
    'exclusive',
  );
  // Its links were never visible.
  const isImport = numUpdatedRows > 0n;
  const mayDelete = async (transaction: WriteTransaction) => {
    const { rows } = await sql`select 1 from organizations where id = ${organizationId}
      and deletion_started_at is not null and coalesce(import_leased_until, 0) = 0`.execute(
      transaction,
    );
    if (rows.length === 0) ended.abort();
    return rows.length > 0;
  };
  const lock = { organizationId };
  const options = { mayDelete, retiresKeys: !isImport, signal: stop };
  const deletion = { database, organizationId, lock, ...options };
  for (const table of tablesInOrder) {
    await deleteRows(deletion, table, columnOfOwner(table), [organizationId]);
  }
  if (stop.aborted) return;
  await database.writeDirectly(async (transaction) => {
    if (!(await mayDelete(transaction))) return;
    for (const table of tablesInOrder) {
      // Requests that began before the mark may have added some.
      await sql`delete from ${sql.table(table)}
        where ${sql.ref(columnOfOwner(table))} = ${organizationId}`.execute(transaction);
    }
    await transaction.deleteFrom('organizations').where('id', '=', organizationId).execute();
    // The links are unknown now, and no longer gone.
    if (!isImport) await changeLinkPolicy(transaction);
  }, 'exclusive');
}
