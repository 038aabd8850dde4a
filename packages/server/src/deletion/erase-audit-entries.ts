import { sql } from 'kysely';
import type { Database, Schema } from '../storage/database.js';
import { yieldToEventLoop } from '../yield-to-event-loop.js';

type Entry = Pick<
  Schema['audit_log'],
  'created_at' | 'id' | 'resource_type' | 'resource_id' | 'fields'
>;

// The rows that one statement reads.
const entriesAtOnce = 500;

/**
 * Removes the names of the changed fields from the audit entries of a link. The entry of its erasure has
 * the field `erase`, and remains. No index orders entries by their record, so all of the organization are
 * read.
 */
export async function eraseAuditEntries(
  { read, writeDirectly }: Database,
  { urlId, organizationId }: { readonly urlId: number; readonly organizationId: string },
  signal?: AbortSignal,
): Promise<void> {
  let last: Pick<Entry, 'created_at' | 'id'> = { created_at: 0, id: '' };
  while (!signal?.aborted) {
    const { rows } = await sql<Entry>`
      select created_at, id, resource_type, resource_id, fields from audit_log
      where organization_id = ${organizationId}
        and (created_at, id) > (${last.created_at}, ${last.id})
      order by created_at, id limit ${entriesAtOnce}`.execute(read);
    for (const { created_at, id, resource_type, resource_id, fields } of rows) {
      const isOfLink = resource_type === 'url' && resource_id === String(urlId);
      if (!isOfLink || fields === null || fields === 'erase') continue;
      await writeDirectly((transaction) =>
        transaction
          .updateTable('audit_log')
          .set({ fields: null })
          .where('created_at', '=', created_at)
          .where('id', '=', id)
          .execute(),
      );
    }
    const end = rows.at(-1);
    if (!end || rows.length < entriesAtOnce) return;
    last = end;
    await yieldToEventLoop();
  }
}
