import type { z } from 'zod';
import { quotaError } from '../contract/api-error.js';
import type { Page, PageRange } from '../contract/fields.js';
import type { ReadPage } from '../contract/json-text.js';
import { presentAs, withIsoTimes } from '../contract/present.js';
import type { HandlersOf } from '../http/handlers.js';
import { openPage } from '../http/open-page.js';
import { requireFound, type WriteRequest, writeOnce } from '../idempotency/with-idempotency-key.js';
import type { Clock } from '../ports.js';
import { type Database, operatorOwner, type WriteTransaction } from '../storage/database.js';
import { changeLinkPolicy } from '../storage/link-policy.js';
import { readList } from '../storage/list-page.js';
import {
  blockedHostRecord,
  type blockedHostRoutes,
  maxBlockedHosts,
} from './blocked-host-contract.js';

/** A blocked host. Instants are milliseconds since 1970. */
type BlockedHost = Awaited<ReturnType<ReturnType<typeof selectHosts>['execute']>>[number];
type BlockedHostRecord = z.input<typeof blockedHostRecord>;

export interface BlockedHostHandlerOptions {
  readonly database: Database;
  readonly listBlockedHosts: ReadPage<BlockedHostRecord>;
  readonly clock: Clock;
  /** Called after a host was blocked or unblocked, before the response. */
  readonly onHostsChanged: () => Promise<void>;
}

const list = { name: 'blocked hosts', organizationId: operatorOwner, ids: 'text' } as const;

export function blockedHostHandlers({
  database,
  listBlockedHosts,
  clock,
  onHostsChanged,
}: BlockedHostHandlerOptions): HandlersOf<typeof blockedHostRoutes> {
  /** Changes what is stored of a host, unless `change` returns null. */
  async function changeHost(
    host: string,
    write: WriteRequest | undefined,
    change: (
      transaction: WriteTransaction,
      before: BlockedHost | undefined,
    ) => Promise<BlockedHost | null>,
  ) {
    const audit = { type: 'blockedHost', id: host } as const;
    const options = { organizationId: operatorOwner, write, audit };
    const written = await writeOnce(database, options, async (transaction) => {
      const before = await selectHosts(transaction).where('id', '=', host).executeTakeFirst();
      const changed = await change(transaction, before);
      if (changed) await changeLinkPolicy(transaction);
      return changed;
    });
    if (written.result) await onHostsChanged();
    return written;
  }

  return {
    async blockHost({ body: { host, reason }, write }) {
      const now = clock();
      const { result, replayed } = await changeHost(host, write, async (transaction, before) => {
        if (!before && (await countHosts(transaction)) >= maxBlockedHosts) return null;
        await transaction
          .insertInto('blocked_hosts')
          .values({ id: host, reason, created_at: now })
          .onConflict((conflict) => conflict.column('id').doUpdateSet({ reason }))
          .execute();
        return { host, reason, createdAt: before?.createdAt ?? now };
      });
      if (!result) {
        const use = `At most ${maxBlockedHosts} hosts are blocked, and ${maxBlockedHosts} are`;
        throw quotaError(use, 'Unblock a host first', replayed);
      }
      return { status: 201, replayed, data: toBlockedHostRecord(result) };
    },

    async listBlockedHosts({ query }) {
      const { filter, reply } = openPage(list, query);
      return reply(await listBlockedHosts(operatorOwner, filter));
    },

    async unblockHost({ params: { host }, write }) {
      const written = await changeHost(host, write, async (transaction, before) => {
        await transaction.deleteFrom('blocked_hosts').where('id', '=', host).execute();
        return before ?? null;
      });
      const { result, replayed } = requireFound(written, 'blocked host', host);
      return { status: 200, replayed, data: toBlockedHostRecord(result) };
    },
  };
}

export async function readBlockedHosts(db: Database['read']): Promise<ReadonlySet<string>> {
  const rows = await db.selectFrom('blocked_hosts').select('id').execute();
  return new Set(rows.map(({ id }) => id));
}

export function listBlockedHosts(database: Database, range: PageRange): Promise<Page<BlockedHost>> {
  const list = { table: 'blocked_hosts', ...range } as const;
  return readList<string, BlockedHost & { readonly id: string }>(database, list, (ids) =>
    selectHosts(database.read).select('id').where('id', 'in', ids).execute(),
  );
}

export function toBlockedHostRecord(host: BlockedHost): BlockedHostRecord {
  return presentAs(blockedHostRecord, withIsoTimes(host));
}

function selectHosts(db: Database['read']) {
  return db.selectFrom('blocked_hosts').select(['id as host', 'reason', 'created_at as createdAt']);
}

async function countHosts(db: Database['read']): Promise<number> {
  const { count } = await db
    .selectFrom('blocked_hosts')
    .select(({ fn }) => fn.countAll().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}
