import type { Kysely } from 'kysely';
import type { WriteContext } from '../idempotency/with-idempotency-key.js';
import { releaseLinks } from '../organizations/link-quota.js';
import { checkIfMatch, nextUpdatedAt, nextUpdatedAtOfRow } from '../preconditions/if-match.js';
import type { Schema, WriteTransaction } from '../storage/database.js';
import { fromRow, isExpired, type ShortUrl, selectUrls } from './short-url.js';
import { type RecordUrls, urlDeleted, urlExpired, urlUpdated } from './url-events.js';
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

/**
 * Deletes links by id, with their events. Returns those of the organization in their new state. Adds the ids of
 * those that it has deleted to `changedIds`.
 */
export async function deleteUrls(
  transaction: WriteTransaction,
  record: RecordUrls,
  ids: readonly number[],
  context: WriteContext,
  changedIds: Set<number>,
): Promise<ShortUrl[]> {
  const { organizationId, now } = context;
  const links = await findCurrent(transaction, record, ids, context);
  const changed = links
    .filter(({ deletedAt }) => deletedAt === null)
    .map((before) => ({ before, url: { ...deactivated(before, now), deletedAt: now } }));
  const deleted = new Map(changed.map(({ url }) => [url.id, url]));
  for (const id of deleted.keys()) changedIds.add(id);
  const urls = [...deleted.values()];
  await deactivate(transaction, urls, now);
  const active = changed.filter(({ before }) => before.isActive);
  await releaseLinks(transaction, organizationId, active.length);
  await record(transaction, urlUpdated, changed, now);
  await record(transaction, urlDeleted, urls.map(asChange), now);
  return links.map((url) => deleted.get(url.id) ?? url);
}

/** Deactivates those links of an organization that are due, with their events. Returns their new states by id. */
export async function expire(
  transaction: WriteTransaction,
  record: RecordUrls,
  links: readonly ShortUrl[],
  now: number,
): Promise<ReadonlyMap<number, ShortUrl>> {
  const due = links.filter((url) => url.isActive && isExpired(url, now));
  const expired = due.map((url) => deactivated(url, now));
  const [first] = expired;
  if (first) {
    await deactivate(transaction, expired, now);
    await releaseLinks(transaction, first.organizationId, expired.length);
    await record(transaction, urlExpired, expired.map(asChange), now);
  }
  return new Map(expired.map((url) => [url.id, url]));
}

const asChange = (url: ShortUrl) => ({ url });

function deactivated(url: ShortUrl, now: number): ShortUrl {
  return { ...url, isActive: false, updatedAt: nextUpdatedAt(url.updatedAt, now) };
}

/** Stores that links are inactive, and whether they are deleted, which all are or none. */
async function deactivate(
  transaction: WriteTransaction,
  urls: readonly ShortUrl[],
  now: number,
): Promise<void> {
  if (urls.length === 0) return;
  const ids = urls.map(({ id }) => id);
  const deletedAt = urls[0]?.deletedAt ?? null;
  await transaction
    .updateTable('urls')
    .set({ is_active: 0, deleted_at: deletedAt, updated_at: nextUpdatedAtOfRow(now) })
    .where('id', 'in', ids)
    .execute();
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
