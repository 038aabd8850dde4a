import { sql } from 'kysely';
import { removeDeletedVisits } from '../analytics/ingest/deleted-links.js';
import { OrganizationRepository } from '../organizations/organization-repository.js';
import { type Database, operatorOwner, type WriteTransaction } from '../storage/database.js';
import { changeLinkPolicy } from '../storage/link-policy.js';
import { deleteRowsOf } from './delete-rows.js';

/**
 * Deletes the organizations that are marked for it, in transactions of a few rows, until the signal
 * aborts. Continues what a killed process began. Several processes may run it at once.
 */
export async function deleteOrganizations(
  database: Database,
  signal?: AbortSignal,
): Promise<readonly DeletionProblem[]> {
  const problems: DeletionProblem[] = [];
  for (const id of await new OrganizationRepository(database).listDeleted()) {
    try {
      const damaged = await deleteOrganization(database, id, signal);
      if (damaged.length > 0) {
        const message = `batches of visits cannot be read, so they may retain visits of a deleted organization: ${damaged.join(', ')}; see shorty-server doctor`;
        problems.push({ organizationId: id, error: new Error(message) });
      }
    } catch (error) {
      // The deletion of the others must not wait for it.
      problems.push({ organizationId: id, error });
    }
    if (signal?.aborted) break;
  }
  return problems;
}

/** Why an organization is not deleted, or not completely. */
export interface DeletionProblem {
  readonly organizationId: string;
  readonly error: unknown;
}

/** Returns the ids of batches that cannot be read. */
async function deleteOrganization(
  database: Database,
  id: string,
  signal: AbortSignal | undefined,
): Promise<readonly number[]> {
  // Waits for the transactions that began before the mark. Later ones store no visits of its links.
  await database.writeDirectly(
    (transaction) => deleteCopies(database, transaction, id),
    'exclusive',
  );
  const damaged = await removeDeletedVisits(database, signal);
  await deleteRowsOf(database, id, signal);
  if (signal?.aborted) return [];
  await database.writeDirectly(async (transaction) => {
    await transaction.deleteFrom('organizations').where('id', '=', id).execute();
    // The links are unknown now, and no longer gone.
    await changeLinkPolicy(transaction);
  }, 'exclusive');
  return damaged;
}

/** Deletes copies of the organization's data in rows that belong to the operator or to nodes. */
async function deleteCopies(
  { engine }: Database,
  transaction: WriteTransaction,
  id: string,
): Promise<void> {
  const marked = await transaction
    .selectFrom('organizations')
    .select(['id', 'deletion_started_at as deletedAt'])
    .where('id', '=', id)
    .executeTakeFirst();
  // Results of the operator's other requests, with names and sealed secrets.
  await transaction
    .deleteFrom('idempotency_keys')
    .where('organization_id', '=', operatorOwner)
    .where('result', 'like', `%${id}%`)
    .where('result', '<>', JSON.stringify(marked ?? null))
    .execute();
  if (engine === 'sqlite') return;
  await sql`delete from cache_changes where kind = 'hosts' and key in (
    select hostname from domains where organization_id = ${id})`.execute(transaction);
}
