import type { Kysely } from 'kysely';
import { markErased } from '../analytics/ingest/erase-visits.js';
import { type WriteContext, writeOnce } from '../idempotency/with-idempotency-key.js';
import { releaseLinks } from '../organizations/link-quota.js';
import { checkIfMatch, nextUpdatedAt, nextUpdatedAtOfRow } from '../preconditions/if-match.js';
import type { Database, Schema, WriteTransaction } from '../storage/database.js';
import { isOwnLink } from '../storage/link-restriction.js';
import { updateEach, updateWhere } from '../storage/statements.js';
import { erasedUrl } from './change-url.js';
import { fromRow, isExpired, type ShortUrl, selectUrls, toRow } from './short-url.js';
import { type RecordUrls, urlDeleted, urlExpired } from './url-events.js';
import { retireKeys } from './url-keys.js';
import { findUrls } from './url-reader.js';

/**
 * Returns links of an organization by id, before a change. One whose `expiresAt` has passed expires first,
 * even if the periodic expiry has not reached it yet.
 */
export async function findCurrent(
  transaction: WriteTransaction,
  record: RecordUrls,
  ids: readonly number[],
  context: WriteContext,
): Promise<ShortUrl[]> {
  const { now, ifMatch } = context;
  const found = await findUrls(transaction, context, ids);
  for (const { updatedAt } of found) checkIfMatch(ifMatch, updatedAt);
  const expired = await expire(transaction, record, found, now);
  return found.map((url) => expired.get(url.id) ?? url);
}

/** Deactivates those links of an organization that are due, with their events. Returns their new states by id. */
export async function expire(
  transaction: WriteTransaction,
  record: RecordUrls,
  links: readonly ShortUrl[],
  now: number,
): Promise<ReadonlyMap<number, ShortUrl>> {
  const due = links.filter((url) => url.isActive && isExpired(url, now));
  const [first] = due;
  if (!first) return new Map();
  const expired = due.map((url) => {
    return { ...url, isActive: false, updatedAt: nextUpdatedAt(url.updatedAt, now) };
  });
  const changes = expired.map(({ id, updatedAt }) => {
    return { set: { is_active: 0, updated_at: updatedAt }, where: { id } };
  });
  await updateEach(transaction, 'urls', changes);
  await releaseLinks(transaction, first.organizationId, due.length);
  await record(transaction, urlExpired, expired, now);
  return new Map(expired.map((url) => [url.id, url]));
}

/** Returns up to `limit` links that are active although `expiresAt` has passed. */
export async function selectDue(
  db: Kysely<Schema>,
  now: number,
  limit: number,
): Promise<ShortUrl[]> {
  const rows = await selectUrls(db)
    .where('urls.is_active', '=', 1)
    .where('expires_at', 'is not', null)
    .where('expires_at', '<=', now)
    .orderBy('expires_at')
    .limit(limit)
    .execute();
  return rows.map(fromRow);
}

/**
 * Empties a link and marks it for the job that deletes what belongs to it (`deletion/erase-link.ts`). Its
 * keys are retired in the same transaction. Returns null if the caller has no such link.
 */
export function beginErasure<Presented>(
  { database, record }: { readonly database: Database; readonly record: RecordUrls },
  id: number,
  present: (url: ShortUrl) => Presented,
  context: WriteContext,
) {
  const { organizationId, now, write, ifMatch } = context;
  const options = {
    organizationId,
    // The audit log tells an erasure from a deletion by this field.
    write: write && { ...write, origin: { ...write.origin, fields: ['erase'] } },
    audit: { type: 'url', id },
  } as const;
  return writeOnce(database, options, async (transaction) => {
    const row = await selectUrls(transaction).where('urls.id', '=', id).executeTakeFirst();
    if (!row || !isOwnLink(context, row)) return null;
    const before = fromRow(row);
    // An earlier request has begun it.
    if (before.erasedAt !== null) return { presented: present(before), qrIds: [] };
    checkIfMatch(ifMatch, before.updatedAt);
    const url = erasedUrl(before, now);
    if (before.isActive) await releaseLinks(transaction, organizationId, 1);
    const keys = transaction.selectFrom('url_keys').selectAll().where('url_id', '=', id);
    await retireKeys(transaction, organizationId, await keys.execute(), id);
    const { id: _, ...columns } = toRow(url);
    await updateWhere(transaction, 'urls', { id }, columns);
    const qrIds = await endCodes(transaction, id, now);
    await markErased(transaction, id, now);
    await record(transaction, urlDeleted, [url], now);
    return { presented: present(url), qrIds };
  });
}

/** Deletes the images of the link's QR codes, so that every node stops serving them. */
async function endCodes(
  transaction: WriteTransaction,
  urlId: number,
  now: number,
): Promise<string[]> {
  const codes = await transaction
    .updateTable('qr_codes')
    .set({ deleted_at: now, updated_at: nextUpdatedAtOfRow(now) })
    .where('url_id', '=', urlId)
    .returning('id')
    .execute();
  const ids = codes.map(({ id }) => id);
  if (ids.length > 0) {
    await transaction.deleteFrom('qr_pictures').where('qr_id', 'in', ids).execute();
  }
  return ids;
}
