import { sql } from 'kysely';
import type { ErasedLink } from '../analytics/ingest/erasure-marks.js';
import type { Database, Schema } from '../storage/database.js';
import { readInSlices } from '../storage/read-in-batches.js';

type Entry = Pick<
  Schema['audit_log'],
  'created_at' | 'id' | 'resource_type' | 'resource_id' | 'fields'
>;

/**
 * Removes the names of the changed fields from the audit entries of a link. The entry of its erasure has
 * the field `erase`, and remains. No index orders entries by their record, so all of the organization are
 * read.
 */
export async function eraseAuditEntries(
  { read, writeDirectly }: Database,
  { urlId, organizationId }: ErasedLink,
  signal?: AbortSignal,
): Promise<void> {
  const entries = sql`from audit_log as own where organization_id = ${organizationId}`;
  const key = ['created_at', 'id'];
  for await (const entry of readInSlices<Entry>(read, entries, key, signal)) {
    const { created_at, id, resource_type, resource_id, fields } = entry;
    const isOfLink = resource_type === 'url' && resource_id === String(urlId);
    if (!isOfLink || fields === null || fields === 'erase') continue;
    await writeDirectly(
      (transaction) =>
        transaction
          .updateTable('audit_log')
          .set({ fields: null })
          .where('created_at', '=', created_at)
          .where('id', '=', id)
          .execute(),
      { organizationId },
    );
  }
}
