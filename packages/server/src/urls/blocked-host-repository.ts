import type { Page, PageRange } from '../contract/fields.js';
import type { AuditTarget } from '../idempotency/audit-entry.js';
import {
  type IdempotentResult,
  type WriteRequest,
  writeOnce,
} from '../idempotency/with-idempotency-key.js';
import { type Database, operatorOwner } from '../storage/database.js';
import { changeLinkPolicy } from '../storage/link-policy.js';
import { readList } from '../storage/list-page.js';
import { maxBlockedHosts } from './blocked-host-contract.js';

/** A blocked host. Instants are milliseconds since 1970. */
export interface BlockedHost {
  readonly host: string;
  readonly reason: string;
  readonly createdAt: number;
}

/** Stores the hosts that the operator blocks. Every method is one transaction. */
export class BlockedHostRepository {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Blocks a host. Returns null when `maxBlockedHosts` others are blocked. */
  block(
    { host, reason }: Pick<BlockedHost, 'host' | 'reason'>,
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
      { audit: auditOf },
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
      { audit: auditOf },
    );
  }
}

function auditOf(blocked: BlockedHost | null): AuditTarget | null {
  return blocked && { type: 'blockedHost', id: blocked.host };
}

/** Returns all blocked hosts. */
export async function readBlockedHosts(db: Database['read']): Promise<ReadonlySet<string>> {
  const rows = await db.selectFrom('blocked_hosts').select('id').execute();
  return new Set(rows.map(({ id }) => id));
}

/** Returns one page of the blocked hosts, newest first. */
export function listBlockedHosts(database: Database, range: PageRange): Promise<Page<BlockedHost>> {
  const list = { table: 'blocked_hosts', ...range } as const;
  return readList<string, BlockedHost & { readonly id: string }>(database, list, async (ids) => {
    const hosts = await selectHosts(database.read).where('id', 'in', ids).execute();
    return hosts.map((each) => ({ ...each, id: each.host }));
  });
}

function selectHosts(db: Database['read']) {
  return db.selectFrom('blocked_hosts').select(['id as host', 'reason', 'created_at as createdAt']);
}
