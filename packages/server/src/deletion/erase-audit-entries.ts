import { sql } from 'kysely';
import type { ErasedLink } from '../analytics/ingest/erasure-marks.js';
import type { Database, Schema } from '../storage/database.js';
import { readInSlices } from '../storage/read-in-batches.js';

type Entry = Pick<
  Schema['audit_log'],
  'created_at' | 'id' | 'resource_type' | 'resource_id' | 'fields'
>;

const entriesAtOnce = 50;

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
  const ofOrganization = sql`from audit_log as own where organization_id = ${organizationId}`;
  const key = ['created_at', 'id'];
  let found: Pick<Entry, 'created_at' | 'id'>[] = [];
  const eraseFound = async () => {
    const entries = found;
    found = [];
    if (entries.length === 0) return;
    await writeDirectly(
      (transaction) =>
        transaction
          .updateTable('audit_log')
          .set({ fields: null })
          .where(
            'created_at',
            'in',
            entries.map((each) => each.created_at),
          )
          .where(
            'id',
            'in',
            entries.map((each) => each.id),
          )
          .execute(),
      { organizationId },
    );
  };
  for await (const entry of readInSlices<Entry>(read, ofOrganization, key, signal)) {
    const { created_at, id, resource_type, resource_id, fields } = entry;
    const isOfLink = resource_type === 'url' && resource_id === String(urlId);
    if (!isOfLink || fields === null || fields === 'erase') continue;
    found.push({ created_at, id });
    if (found.length === entriesAtOnce) await eraseFound();
  }
  await eraseFound();
}
