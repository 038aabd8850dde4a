import type { Page, PageRange } from '../contract/fields.js';
import type { AuditTarget } from '../idempotency/audit-entry.js';
import {
  type IdempotentResult,
  type WriteRequest,
  writeOnce,
} from '../idempotency/with-idempotency-key.js';
import { nextUpdatedAt } from '../preconditions/if-match.js';
import { type Database, operatorOwner, type WriteTransaction } from '../storage/database.js';
import { readList } from '../storage/list-page.js';
import { lockOrganization } from '../storage/locks.js';
import { isBeingErased } from './erased-url.js';
import { fromRow, type ShortUrl, selectUrls } from './short-url.js';
import type { UrlRecorder } from './url-recorder.js';

/** Where a link was found, and when and why it was taken down. */
interface NewTakedown {
  readonly domainKey: string;
  readonly key: string;
  readonly reason: string;
}

/** Stores takedowns of links. Every method is one transaction. */
export class TakedownRepository {
  readonly #database: Database;
  readonly #recorder: UrlRecorder;

  constructor(database: Database, recorder: UrlRecorder) {
    this.#database = database;
    this.#recorder = recorder;
  }

  /** Takes a link down, and returns it; null when no link has the key. */
  takeDown(
    takedown: NewTakedown,
    now: number,
    write: WriteRequest | undefined,
  ): Promise<IdempotentResult<ShortUrl | null>> {
    return writeOnce(
      this.#database,
      operatorOwner,
      write,
      (transaction) => this.takeDownIn(transaction, takedown, now),
      { audit: auditOf },
    );
  }

  /** Takes a link down in a transaction of the operator, and returns it; null when no link has the key. */
  async takeDownIn(
    transaction: WriteTransaction,
    { domainKey, key, reason }: NewTakedown,
    now: number,
  ): Promise<ShortUrl | null> {
    const row = await findLocked(transaction, (db) =>
      selectUrls(db)
        .innerJoin('url_keys', 'url_keys.url_id', 'urls.id')
        .where('url_keys.domain_key', '=', domainKey)
        .where('url_keys.key', '=', key)
        .executeTakeFirst(),
    );
    if (!row || isBeingErased(row)) return null;
    const before = fromRow(row);
    const takenDownAt = before.takenDownAt ?? now;
    await transaction
      .insertInto('takedowns')
      .values({ id: before.id, reason, created_at: takenDownAt })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ reason }))
      .execute();
    return this.#save(transaction, before, { takenDownAt, takedownReason: reason }, now);
  }

  /** Undoes a takedown, and returns the link as it was before; null when it is not taken down. */
  undo(
    id: number,
    now: number,
    write: WriteRequest | undefined,
  ): Promise<IdempotentResult<ShortUrl | null>> {
    return writeOnce(
      this.#database,
      operatorOwner,
      write,
      async (transaction) => {
        const row = await findLocked(transaction, (db) =>
          selectUrls(db).where('urls.id', '=', id).executeTakeFirst(),
        );
        if (!row || row.takenDownAt === null) return null;
        const before = fromRow(row);
        await transaction.deleteFrom('takedowns').where('id', '=', id).execute();
        await this.#save(transaction, before, { takenDownAt: null, takedownReason: null }, now);
        return before;
      },
      { audit: auditOf },
    );
  }

  /** Stores a new version of a link, and writes its event. */
  async #save(
    transaction: WriteTransaction,
    before: ShortUrl,
    changes: Pick<ShortUrl, 'takenDownAt' | 'takedownReason'>,
    now: number,
  ): Promise<ShortUrl> {
    const { id, organizationId } = before;
    const url = { ...before, ...changes, updatedAt: nextUpdatedAt(before.updatedAt, now) };
    await transaction
      .updateTable('urls')
      .set({ updated_at: url.updatedAt })
      .where('id', '=', id)
      .execute();
    await this.#recorder.recordUpdates(transaction, organizationId, [{ before, url }], now);
    return url;
  }
}

/** Finds a link again after its organization is locked, whose requests may have changed the link. */
async function findLocked<Row extends { readonly organizationId: string }>(
  transaction: WriteTransaction,
  find: (db: WriteTransaction) => Promise<Row | undefined>,
): Promise<Row | undefined> {
  const found = await find(transaction);
  if (!found) return undefined;
  await lockOrganization(transaction, found.organizationId);
  return find(transaction);
}

/** The owner of a link reads in its audit log that the operator took it down. */
function auditOf(url: ShortUrl | null): AuditTarget | null {
  return url && { type: 'url', id: url.id, organizationId: url.organizationId };
}

/** Returns one page of the links that are taken down, newest takedowns first. */
export function listTakedowns(database: Database, range: PageRange): Promise<Page<ShortUrl>> {
  return readList<number, ShortUrl>(database, { table: 'takedowns', ...range }, async (ids) => {
    const rows = await selectUrls(database.read).where('urls.id', 'in', ids).execute();
    return rows.map(fromRow);
  });
}
