import { sql } from 'kysely';
import { eraseLastVisits, removeUnusedChunks } from '../analytics/ingest/erase-visits.js';
import { type ErasedLink, isErasurePending } from '../analytics/ingest/erasure-marks.js';
import type { Clock } from '../ports.js';
import type { Database, WriteTransaction } from '../storage/database.js';
import { countErasure } from '../storage/link-policy.js';
import { childrenOf, type Owner, ownerOf } from '../storage/schema.js';
import { RowDeletion } from './delete-rows.js';
import { eraseAuditEntries } from './erase-audit-entries.js';
import { eraseEvents } from './erase-events.js';
import { eraseResults } from './erase-results.js';

// The number of links that one run of the periodic job reads.
const linksAtOnce = 100;

/**
 * Deletes what belongs to the links that are being erased, until the signal aborts. Continues what a
 * killed process began. Several processes may run it at once. A link whose visits are being erased is left
 * for the next call.
 */
export async function eraseLinks(
  database: Database,
  clock: Clock,
  signal?: AbortSignal,
): Promise<void> {
  const links = await database.read
    .selectFrom('retired_keys')
    .select(['url_id as urlId', 'organization_id as organizationId'])
    .distinct()
    .where('url_id', 'is not', null)
    .orderBy('url_id')
    .limit(linksAtOnce)
    .$narrowType<{ urlId: number }>()
    .execute();
  for (const link of links) {
    if (signal?.aborted) return;
    await eraseLink(database, clock, link, signal);
  }
}

/** Returns whether something of an erased link may still be stored. */
export async function isLinkErasurePending(database: Database, urlId: number): Promise<boolean> {
  const row = await database.read
    .selectFrom('retired_keys')
    .select('key_hash')
    .where('url_id', '=', urlId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Deletes what belongs to one link that is being erased, unless its visits are not erased yet. */
export async function eraseLink(
  database: Database,
  clock: Clock,
  link: ErasedLink,
  signal?: AbortSignal,
): Promise<void> {
  const { urlId, organizationId } = link;
  if (await isErasurePending(database.read, urlId)) return;
  const rows = new RowDeletion(database, organizationId, { organizationId }, signal);
  // Its codes may have many days of scans.
  const codes = await database.read
    .selectFrom('qr_codes')
    .select('id')
    .where('url_id', '=', urlId)
    .execute();
  for (const { id } of codes) await rows.deleteWhere('scan_days', 'qr_id', [id]);
  // Visits that are stored meanwhile refer to the codes.
  const exclusive = new RowDeletion(database, organizationId, 'exclusive', signal);
  await exclusive.deleteWhere('qr_codes', 'url_id', [urlId]);
  if (signal?.aborted) return;
  await database.writeDirectly(
    (transaction) => deleteLink(transaction, link, clock()),
    'exclusive',
  );
  await removeUnusedChunks(database, organizationId, signal);
  // Nothing of the link is written any more.
  await eraseEvents(database, link, rows, signal);
  await eraseResults(database, link, signal);
  await eraseAuditEntries(database, link, signal);
  if (signal?.aborted) return;
  await database.writeDirectly(
    (transaction) =>
      transaction
        .updateTable('retired_keys')
        .set({ url_id: null })
        .where('url_id', '=', urlId)
        .execute(),
    { organizationId },
  );
}

/** Deletes the row of a link with what was added since the rest was deleted. */
async function deleteLink(
  transaction: WriteTransaction,
  { urlId, organizationId }: ErasedLink,
  now: number,
): Promise<void> {
  const found = await transaction
    .selectFrom('urls')
    .select('id')
    .where('id', '=', urlId)
    .executeTakeFirst();
  // Another process was faster, or the organization is deleted.
  if (!found) return;
  await eraseLastVisits(transaction, { urlId, organizationId }, now);
  const codes = await transaction
    .selectFrom('qr_codes')
    .select('id')
    .where('url_id', '=', urlId)
    .execute();
  const qrIds = codes.map(({ id }) => id);
  if (qrIds.length > 0) {
    for (const table of childrenOf('qr_codes')) {
      const { column } = ownerOf(table) as Owner;
      await sql`delete from ${sql.table(table)}
        where ${sql.ref(column)} in (${sql.join(qrIds)})`.execute(transaction);
    }
    await transaction.deleteFrom('qr_codes').where('id', 'in', qrIds).execute();
  }
  for (const table of childrenOf('urls')) {
    const { column } = ownerOf(table) as Owner;
    await sql`delete from ${sql.table(table)} where ${sql.ref(column)} = ${urlId}`.execute(
      transaction,
    );
  }
  await transaction.deleteFrom('urls').where('id', '=', urlId).execute();
  await countErasure(transaction);
}
