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
import { fromRow, type ShortUrl, selectUrls } from './short-url.js';
import type { UrlRecorder } from './url-recorder.js';

/** Stores takedowns of links. Every method is one transaction. */
export class TakedownRepository {
  readonly #database: Database;
  readonly #recorder: UrlRecorder;

  constructor(database: Database, recorder: UrlRecorder) {
    this.#database = database;
    this.#recorder = recorder;
  }

  /** Takes a link down, and returns it; null when there is none. */
  takeDown(
    id: number,
    reason: string,
    now: number,
    write: WriteRequest | undefined,
  ): Promise<IdempotentResult<ShortUrl | null>> {
    const work = async (transaction: WriteTransaction) => {
      const row = await findLocked(transaction, id);
      if (row?.erasedAt !== null) return null;
      const before = fromRow(row);
      const takenDownAt = before.takenDownAt ?? now;
      await transaction
        .insertInto('takedowns')
        .values({ id, reason, created_at: takenDownAt })
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ reason }))
        .execute();
      return this.#save(transaction, before, { takenDownAt, takedownReason: reason }, now);
    };
    return writeOnce(this.#database, operatorOwner, write, work, { audit: auditOf });
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
        const row = await findLocked(transaction, id);
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
    const { id } = before;
    const url = { ...before, ...changes, updatedAt: nextUpdatedAt(before.updatedAt, now) };
    await transaction
      .updateTable('urls')
      .set({ updated_at: url.updatedAt })
      .where('id', '=', id)
      .execute();
    await this.#recorder.recordUpdates(transaction, [{ before, url }], now);
    return url;
  }
}

/** Finds a link again after its organization is locked, whose requests may have changed the link. */
async function findLocked(transaction: WriteTransaction, id: number) {
  const find = () => selectUrls(transaction).where('urls.id', '=', id).executeTakeFirst();
  const found = await find();
  if (!found) return undefined;
  await lockOrganization(transaction, found.organizationId);
  return find();
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
