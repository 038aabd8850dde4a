import type { Page, PageRange } from '../contract/fields.js';
import type { AuditTarget } from '../idempotency/audit-entry.js';
import {
  type IdempotentResult,
  type WriteRequest,
  writeOnce,
} from '../idempotency/with-idempotency-key.js';
import { nextUpdatedAt } from '../preconditions/if-match.js';
import { type Database, operatorOwner, type WriteTransaction } from '../storage/database.js';
import { changeLinkPolicy } from '../storage/link-policy.js';
import { readList } from '../storage/list-page.js';
import { fromRow, type ShortUrl, selectUrls } from './short-url.js';
import { maxBlockedHosts } from './takedown-contract.js';
import type { UrlRepository } from './url-repository.js';

/** A host that no link may lead to. Instants are milliseconds since 1970. */
export interface BlockedHost {
  readonly host: string;
  readonly reason: string;
  readonly createdAt: number;
}

/** Where a link was found, and when and why it was taken down. */
interface NewTakedown {
  readonly domainKey: string;
  readonly key: string;
  readonly reason: string;
}

/** Stores takedowns of links and blocked hosts. Every method is one transaction. */
export class TakedownRepository {
  readonly #database: Database;
  readonly #urls: Pick<UrlRepository, 'recordUpdates'>;

  constructor(database: Database, urls: Pick<UrlRepository, 'recordUpdates'>) {
    this.#database = database;
    this.#urls = urls;
  }

  /** Takes a link down, and returns it; null when no link has the key. */
  takeDown(
    { domainKey, key, reason }: NewTakedown,
    now: number,
    write: WriteRequest | undefined,
  ): Promise<IdempotentResult<ShortUrl | null>> {
    return writeOnce(
      this.#database,
      operatorOwner,
      write,
      async (transaction) => {
        const row = await selectUrls(transaction)
          .innerJoin('url_keys', 'url_keys.url_id', 'urls.id')
          .where('url_keys.domain_key', '=', domainKey)
          .where('url_keys.key', '=', key)
          .executeTakeFirst();
        if (!row) return null;
        const before = fromRow(row);
        const takenDownAt = before.takenDownAt ?? now;
        await transaction
          .insertInto('takedowns')
          .values({ id: before.id, reason, created_at: takenDownAt })
          .onConflict((conflict) => conflict.column('id').doUpdateSet({ reason }))
          .execute();
        return this.#save(transaction, before, { takenDownAt, takedownReason: reason }, now);
      },
      { audit: auditOf },
    );
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
        const row = await selectUrls(transaction).where('urls.id', '=', id).executeTakeFirst();
        if (!row || row.takenDownAt === null) return null;
        const before = fromRow(row);
        await transaction.deleteFrom('takedowns').where('id', '=', id).execute();
        await this.#save(transaction, before, { takenDownAt: null, takedownReason: null }, now);
        return before;
      },
      { audit: auditOf },
    );
  }

  /** Blocks a host. Returns null when `maxBlockedHosts` others are blocked. */
  block(
    host: string,
    reason: string,
    now: number,
    write: WriteRequest | undefined,
  ): Promise<IdempotentResult<BlockedHost | null>> {
    return writeOnce(
      this.#database,
      operatorOwner,
      write,
      async (transaction) => {
        const before = await selectHosts(transaction).where('id', '=', host).executeTakeFirst();
        if (!before) {
          const { count } = await transaction
            .selectFrom('blocked_hosts')
            .select(({ fn }) => fn.countAll<number>().as('count'))
            .executeTakeFirstOrThrow();
          if (Number(count) >= maxBlockedHosts) return null;
        }
        await transaction
          .insertInto('blocked_hosts')
          .values({ id: host, reason, created_at: now })
          .onConflict((conflict) => conflict.column('id').doUpdateSet({ reason }))
          .execute();
        await changeLinkPolicy(transaction);
        return { host, reason, createdAt: before?.createdAt ?? now };
      },
      { audit: (blocked) => blocked && { type: 'blockedHost', id: host } },
    );
  }

  /** Unblocks a host, and returns it; null when it is not blocked. */
  unblock(
    host: string,
    write: WriteRequest | undefined,
  ): Promise<IdempotentResult<BlockedHost | null>> {
    return writeOnce(
      this.#database,
      operatorOwner,
      write,
      async (transaction) => {
        const before = await selectHosts(transaction).where('id', '=', host).executeTakeFirst();
        if (!before) return null;
        await transaction.deleteFrom('blocked_hosts').where('id', '=', host).execute();
        await changeLinkPolicy(transaction);
        return before;
      },
      { audit: (unblocked) => unblocked && { type: 'blockedHost', id: host } },
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
    await this.#urls.recordUpdates(transaction, organizationId, [{ before, url }], now);
    return url;
  }
}

/** The owner of a link reads in its audit log that the operator took it down. */
function auditOf(url: ShortUrl | null): AuditTarget | null {
  return url && { type: 'url', id: url.id, organizationId: url.organizationId };
}

/** Returns all blocked hosts. */
export async function readBlockedHosts(db: Database['read']): Promise<Set<string>> {
  const rows = await db.selectFrom('blocked_hosts').select('id').execute();
  return new Set(rows.map(({ id }) => id));
}

/** Returns one page of the links that are taken down, newest takedowns first. */
export function listTakedowns(database: Database, range: PageRange): Promise<Page<ShortUrl>> {
  return readList<number, ShortUrl>(database, { table: 'takedowns', ...range }, async (ids) => {
    const rows = await selectUrls(database.read).where('urls.id', 'in', ids).execute();
    return rows.map(fromRow);
  });
}

/** Returns one page of blocked hosts, newest first. */
export function listBlockedHosts(database: Database, range: PageRange): Promise<Page<BlockedHost>> {
  return readList<string, BlockedHost & { readonly id: string }>(
    database,
    { table: 'blocked_hosts', ...range },
    async (ids) => {
      const hosts = await selectHosts(database.read).where('id', 'in', ids).execute();
      return hosts.map((each) => ({ ...each, id: each.host }));
    },
  );
}

function selectHosts(db: Database['read']) {
  return db.selectFrom('blocked_hosts').select(['id as host', 'reason', 'created_at as createdAt']);
}
