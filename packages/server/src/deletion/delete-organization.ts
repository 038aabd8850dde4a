import { sql } from 'kysely';
import { removeDeletedVisits } from '../analytics/ingest/deleted-links.js';
import { OrganizationRepository } from '../organizations/organization-repository.js';
import type { Database } from '../storage/database.js';
import { changeLinkPolicy } from '../storage/link-policy.js';
import { childrenOf } from '../storage/schema.js';
import { columnOfOwner, deleteRows } from './delete-rows.js';

/** Why an organization is not deleted, or not completely. */
export interface DeletionProblem {
  readonly organizationId: string;
  readonly error: unknown;
}

/**
 * Deletes the organizations that are marked for it, in transactions of a few rows, until the signal
 * aborts. Continues what a killed process began. Several processes may run it at once.
 */
export async function deleteOrganizations(
  database: Database,
  signal?: AbortSignal,
): Promise<readonly DeletionProblem[]> {
  const problems: DeletionProblem[] = [];
  for (const organizationId of await new OrganizationRepository(database).listDeleted()) {
    try {
      const damaged = await deleteOrganization(database, organizationId, signal);
      if (damaged.length > 0) {
        const message = `batches of visits cannot be read, so they may retain visits of a deleted organization: ${damaged.join(', ')}; see shorty-server doctor`;
        problems.push({ organizationId, error: new Error(message) });
      }
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

/** Returns the ids of batches that cannot be read. */
async function deleteOrganization(
  database: Database,
  organizationId: string,
  signal: AbortSignal | undefined,
): Promise<readonly number[]> {
  // Waits for the transactions that began before the mark. Later ones store no visits of its links.
  await database.writeDirectly(async () => {}, 'exclusive');
  const damaged = await removeDeletedVisits(database, signal);
  const deletion = { database, organizationId, lock: { organizationId }, signal };
  for (const table of tablesInOrder) {
    await deleteRows(deletion, table, columnOfOwner(table), [organizationId]);
  }
  if (signal?.aborted) return [];
  await database.writeDirectly(async (transaction) => {
    for (const table of tablesInOrder) {
      // Requests that began before the mark may have added some.
      await sql`delete from ${sql.table(table)}
        where ${sql.ref(columnOfOwner(table))} = ${organizationId}`.execute(transaction);
    }
    await transaction.deleteFrom('organizations').where('id', '=', organizationId).execute();
    // The links are unknown now, and no longer gone.
    await changeLinkPolicy(transaction);
  }, 'exclusive');
  return damaged;
}
