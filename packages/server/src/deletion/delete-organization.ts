import { sql } from 'kysely';
import { createOrganizationRepository } from '../organizations/organization-repository.js';
import type { Database, WriteTransaction } from '../storage/database.js';
import { changeLinkPolicy } from '../storage/link-policy.js';
import { childrenOf } from '../storage/schema.js';
import { findWhere } from '../storage/statements.js';
import { deleteAll, deleteRows } from './delete-rows.js';

/**
 * Deletes the organizations that are marked for it, and imports that were killed, in transactions of a few
 * rows, until the signal aborts. Continues what a killed process began. Several processes may run it at
 * once. Calls `onError` for those that are not deleted, or not completely. Returns false without any.
 */
export async function deleteOrganizations(
  database: Database,
  onError: (error: unknown, organizationId: string) => void,
  signal?: AbortSignal,
  now = Date.now(),
): Promise<boolean> {
  const ids = await createOrganizationRepository(database).listDeleted(now);
  for (const id of ids) {
    if (signal?.aborted) break;
    // The deletion of the others must not wait for it.
    await deleteOrganization(database, id, now, signal).catch((error) => onError(error, id));
  }
  return ids.length > 0;
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
  // Waits for the transactions that began before the mark. Later ones store no visits of its links. An
  // import that continues fails.
  const endLease = sql`update organizations set import_leased_until = 0
    where id = ${organizationId} and import_leased_until <= ${leasedUntil}`;
  const { numAffectedRows } = await database.writeDirectly(
    (transaction) => endLease.execute(transaction),
    'exclusive',
  );
  // Its links were never visible.
  const isImport = Boolean(numAffectedRows);
  const ended = new AbortController();
  const ifMarked = (work: (transaction: WriteTransaction) => Promise<unknown>) => {
    return async (transaction: WriteTransaction) => {
      const found = await findWhere(transaction, 'organizations', { id: organizationId });
      const isMarked = found && found.deletion_started_at !== null && !found.import_leased_until;
      if (isMarked) await work(transaction);
      else ended.abort();
    };
  };
  const deletion = {
    read: database.read,
    write: (work: (transaction: WriteTransaction) => Promise<unknown>) =>
      database.writeDirectly(ifMarked(work), { organizationId }),
    retiresKeysOf: isImport ? undefined : organizationId,
    signal: signal ? AbortSignal.any([signal, ended.signal]) : ended.signal,
  };
  for (const table of tablesInOrder) await deleteRows(deletion, table, [organizationId]);
  if (deletion.signal.aborted) return;
  const deleteRest = async (transaction: WriteTransaction) => {
    // Requests that began before the mark may have added some.
    for (const table of tablesInOrder) await deleteAll(transaction, table, [organizationId]);
    await transaction.deleteFrom('organizations').where('id', '=', organizationId).execute();
    // The links are unknown now, and no longer gone.
    if (!isImport) await changeLinkPolicy(transaction);
  };
  await database.writeDirectly(ifMarked(deleteRest), 'exclusive');
}
