import type { Kysely } from 'kysely';
import { releaseLinks } from '../organizations/link-quota.js';
import { checkIfMatch, nextUpdatedAt, nextUpdatedAtOfRow } from '../preconditions/if-match.js';
import type { Schema, WriteTransaction } from '../storage/database.js';
import { fromRow, isExpired, type ShortUrl, selectUrls } from './short-url.js';
import { urlExpired } from './url-events.js';
import { findUrls } from './url-reader.js';
import type { UrlRecorder } from './url-recorder.js';
import type { ChangedUrl, WriteContext } from './url-write.js';

/** Expires and deletes links in a transaction. */
export class UrlLifeCycle {
  readonly #recorder: UrlRecorder;

  constructor(recorder: UrlRecorder) {
    this.#recorder = recorder;
  }

  /** Returns the links of an organization by id. Those that are due have expired. */
  async findCurrent(
    transaction: WriteTransaction,
    ids: readonly number[],
    { organizationId, now, ifMatch }: WriteContext,
  ): Promise<ShortUrl[]> {
    const found = await findUrls(transaction, organizationId, ids);
    for (const { updatedAt } of found) checkIfMatch(ifMatch, updatedAt);
    return this.#expireDue(transaction, found, now);
  }

  /** Deletes links of an organization, with their events, and returns those that it has deleted. */
  async delete(
    transaction: WriteTransaction,
    links: readonly ShortUrl[],
    { organizationId, now }: WriteContext,
  ): Promise<ShortUrl[]> {
    const changed = links
      .filter(({ deletedAt }) => deletedAt === null)
      .map((before) => ({ before, url: { ...deactivated(before, now), deletedAt: now } }));
    await this.#delete(transaction, organizationId, changed, now);
    return changed.map(({ url }) => url);
  }

  /** Deactivates the links of an organization with these ids that are due, and returns their ids. */
  async expire(
    transaction: WriteTransaction,
    organizationId: string,
    ids: readonly number[],
    now: number,
  ): Promise<number[]> {
    const urls = await findUrls(transaction, organizationId, ids);
    const due = urls.filter((url) => isDue(url, now));
    await this.#expire(transaction, due, now);
    return due.map(({ id }) => id);
  }

  /**
   * Returns links before a change. One that is due expires first, even if the periodic expiry has not
   * reached it yet.
   */
  async #expireDue(
    transaction: WriteTransaction,
    found: readonly ShortUrl[],
    now: number,
  ): Promise<ShortUrl[]> {
    const due = found.filter((url) => isDue(url, now));
    await this.#expire(transaction, due, now);
    return found.map((url) => (isDue(url, now) ? deactivated(url, now) : url));
  }

  /** Deactivates links that are due, and writes their events. */
  async #expire(
    transaction: WriteTransaction,
    due: readonly ShortUrl[],
    now: number,
  ): Promise<void> {
    if (due.length === 0) return;
    const ids = due.map(({ id }) => id);
    await transaction
      .updateTable('urls')
      .set({ is_active: 0, updated_at: nextUpdatedAtOfRow(now) })
      .where('id', 'in', ids)
      .execute();
    for (const organizationId of new Set(due.map((url) => url.organizationId))) {
      const own = due.filter((url) => url.organizationId === organizationId);
      await releaseLinks(transaction, organizationId, own.length);
      const urls = own.map((url) => deactivated(url, now));
      await this.#recorder.record(transaction, urlExpired, organizationId, urls, now);
    }
  }

  /** Stores that links of an organization are deleted, and writes their events. */
  async #delete(
    transaction: WriteTransaction,
    organizationId: string,
    changed: readonly ChangedUrl[],
    now: number,
  ): Promise<void> {
    if (changed.length === 0) return;
    const urls = changed.map(({ url }) => url);
    await transaction
      .updateTable('urls')
      .set({ is_active: 0, deleted_at: now, updated_at: nextUpdatedAtOfRow(now) })
      .where(
        'id',
        'in',
        urls.map(({ id }) => id),
      )
      .execute();
    const active = changed.filter(({ before }) => before.isActive);
    await releaseLinks(transaction, organizationId, active.length);
    await this.#recorder.recordUpdates(transaction, organizationId, changed, now);
    await this.#recorder.recordDeletions(transaction, organizationId, urls, now);
  }
}

function isDue(url: ShortUrl, now: number): boolean {
  return url.isActive && isExpired(url, now);
}

function deactivated(url: ShortUrl, now: number): ShortUrl {
  return { ...url, isActive: false, updatedAt: nextUpdatedAt(url.updatedAt, now) };
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
