import { markErased } from '../analytics/ingest/erase-visits.js';
import {
  type IdempotentResult,
  type WriteContext,
  type WriteRequest,
  writeOnce,
} from '../idempotency/with-idempotency-key.js';
import { releaseLinks } from '../organizations/link-quota.js';
import { checkIfMatch } from '../preconditions/if-match.js';
import type { Database, WriteTransaction } from '../storage/database.js';
import { isOwnLink } from '../storage/link-restriction.js';
import { erasedUrl } from './change-url.js';
import { retireKeys } from './retired-keys.js';
import { fromRow, type ShortUrl, selectUrls, toRow } from './short-url.js';
import { type RecordUrls, urlDeleted } from './url-events.js';

export interface UrlEraserOptions {
  readonly database: Database;
  readonly record: RecordUrls;
}

export interface ErasedUrl<Presented> {
  readonly presented: Presented;
  readonly qrIds: readonly string[];
}

/**
 * Empties a link and marks it for the job that deletes what belongs to it (`deletion/erase-link.ts`). Its
 * keys are retired in the same transaction. Returns null if the caller has no such link.
 */
export function beginErasure<Presented>(
  { database, record }: UrlEraserOptions,
  id: number,
  present: (url: ShortUrl) => Presented,
  context: WriteContext,
): Promise<IdempotentResult<ErasedUrl<Presented> | null>> {
  const { organizationId, now, write, ifMatch } = context;
  const options = {
    organizationId,
    write: write && withErasedField(write),
    audit: { type: 'url', id },
  } as const;
  return writeOnce<ErasedUrl<Presented> | null>(database, options, async (transaction) => {
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
    await transaction.deleteFrom('takedowns').where('id', '=', id).execute();
    const { id: _, ...columns } = toRow(url);
    await transaction.updateTable('urls').set(columns).where('id', '=', id).execute();
    const qrIds = await endCodes(transaction, id, now);
    await markErased(transaction, id, now);
    await record(transaction, urlDeleted, [{ url }], now);
    return { presented: present(url), qrIds };
  });
}

/** The audit log tells an erasure from a deletion by this field. */
function withErasedField(write: WriteRequest): WriteRequest {
  return { ...write, origin: { ...write.origin, fields: ['erase'] } };
}

/** Deletes the images of the link's QR codes, so that every node stops serving them. */
async function endCodes(
  transaction: WriteTransaction,
  urlId: number,
  now: number,
): Promise<string[]> {
  const codes = await transaction
    .updateTable('qr_codes')
    .set(({ eb }) => ({ deleted_at: now, updated_at: now, version: eb('version', '+', 1) }))
    .where('url_id', '=', urlId)
    .returning('id')
    .execute();
  const ids = codes.map(({ id }) => id);
  if (ids.length > 0) {
    await transaction.deleteFrom('qr_pictures').where('qr_id', 'in', ids).execute();
  }
  return ids;
}
