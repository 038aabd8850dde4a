import { type Selectable, type SqlBool, sql } from 'kysely';
import type { z } from 'zod';
import { ApiError, notFound, quotaError, shorten } from '../contract/api-error.js';
import type { Page, PageRange } from '../contract/fields.js';
import type { ReadPage } from '../contract/json-text.js';
import type { HandlersOf } from '../http/handlers.js';
import { replyWithPage } from '../http/open-page.js';
import type { AuditTarget } from '../idempotency/audit-entry.js';
import { Refusal, type WriteContext, writeOnce } from '../idempotency/with-idempotency-key.js';
import { type LinkOrigins, shortUrlOf } from '../network/link-origins.js';
import { nextUpdatedAt } from '../preconditions/if-match.js';
import {
  type Database,
  operatorOwner,
  type Schema,
  type WriteTransaction,
} from '../storage/database.js';
import { changeLinkPolicy } from '../storage/link-policy.js';
import { readList } from '../storage/list-page.js';
import { lockOrganization } from '../storage/locks.js';
import { updateWhere } from '../storage/statements.js';
import {
  type blockedHostRecord,
  maxBlockedHosts,
  type moderationRoutes,
  type takedownRecord,
} from './moderation-contract.js';
import { fromRow, type ShortUrl, selectUrls } from './short-url.js';
import { type RecordUrls, urlUpdated } from './url-events.js';
import { parseShortUrl } from './url-keys.js';
import type { UrlReader } from './url-reader.js';

type TakedownRecord = z.input<typeof takedownRecord>;
type BlockedHostRecord = z.input<typeof blockedHostRecord>;

type BlockedHost = Selectable<Schema['blocked_hosts']>;

export interface ModerationHandlerOptions {
  readonly database: Database;
  readonly record: RecordUrls;
  readonly urls: Pick<UrlReader, 'findByUrl'>;
  readonly listTakedowns: ReadPage<TakedownRecord, PageRange, [origins: LinkOrigins]>;
  readonly listBlockedHosts: ReadPage<BlockedHostRecord>;
  readonly origins: () => LinkOrigins;
  /** Called after a change of a link, before the response. */
  readonly onChanged: (ids: readonly number[]) => void;
  /** Called after a host was blocked or unblocked, before the response. */
  readonly onHostsChanged: () => Promise<void>;
}

export function moderationHandlers(
  options: ModerationHandlerOptions,
): HandlersOf<typeof moderationRoutes> {
  const { database, origins } = options;

  /** Returns the id of the link that visitors of a short URL reach. Throws VALIDATION_FAILED or NOT_FOUND. */
  async function getUrlId(shortUrl: string): Promise<number> {
    for (const name of parseShortUrl(shortUrl)) {
      const url = await options.urls.findByUrl(name);
      if (url) return url.id;
    }
    throw noLink(shortUrl);
  }

  /**
   * Stores a new version of a link, and returns the response: the takedown, or the one that was undone. Throws
   * `missing` if `change` returns null.
   */
  async function changeUrl(
    id: number,
    missing: ApiError,
    context: WriteContext,
    change: (before: ShortUrl) => Pick<ShortUrl, 'takenDownAt' | 'takedownReason'> | null,
  ) {
    const { now } = context;
    const written = await writeOnce(
      database,
      // The owner of a link reads in its audit log that the operator took it down.
      { ...context, audit: auditOf },
      async (transaction) => {
        const before = await findLocked(transaction, id);
        const changes = before ? change(before) : null;
        if (!before || !changes) throw new Refusal(missing);
        const url = { ...before, ...changes, updatedAt: nextUpdatedAt(before.updatedAt, now) };
        const { takenDownAt: taken_down_at, takedownReason: takedown_reason } = changes;
        const columns = { taken_down_at, takedown_reason, updated_at: url.updatedAt };
        await updateWhere(transaction, 'urls', { id }, columns);
        await options.record(transaction, urlUpdated, [url], now);
        return changes.takenDownAt === null ? before : url;
      },
    );
    options.onChanged([id]);
    const { result, replayed } = written;
    return { replayed, data: toTakedownRecord(origins(), result) };
  }

  /** Changes what is stored of a host, and returns the response. */
  async function changeHost(
    host: string,
    context: WriteContext,
    change: (transaction: WriteTransaction) => Promise<BlockedHost | undefined>,
  ) {
    const write = { ...context, audit: { type: 'blockedHost', id: host } } as const;
    const written = await writeOnce(database, write, async (transaction) => {
      const changed = await change(transaction);
      if (!changed) throw new Refusal(notFound('blocked host', host));
      await changeLinkPolicy(transaction);
      return changed;
    });
    await options.onHostsChanged();
    const { result, replayed } = written;
    return { replayed, data: toBlockedHostRecord(result) };
  }

  return {
    async takeDownUrl({ body: { shortUrl, reason }, context }) {
      const id = await getUrlId(shortUrl);
      const missing = noLink(shortUrl);
      const taken = await changeUrl(id, missing, context, ({ erasedAt, takenDownAt }) =>
        erasedAt === null
          ? { takenDownAt: takenDownAt ?? context.now, takedownReason: reason }
          : null,
      );
      return { status: 201, ...taken };
    },

    listTakedowns: ({ query }) =>
      replyWithPage(
        operatorOwner,
        query,
        (owner, filter) => options.listTakedowns(owner, filter, origins()),
        'integer',
      ),

    async undoTakedown({ params: { id }, context }) {
      const missing = notFound('takedown', id);
      const undone = await changeUrl(id, missing, context, ({ takenDownAt }) =>
        takenDownAt === null ? null : { takenDownAt: null, takedownReason: null },
      );
      return { status: 200, ...undone };
    },

    async blockHost({ body: { host, reason }, context }) {
      const blocked = await changeHost(host, context, async (transaction) => {
        const { others } = await transaction
          .selectFrom('blocked_hosts')
          .select(({ fn }) => fn.countAll().as('others'))
          .where('id', '<>', host)
          .executeTakeFirstOrThrow();
        if (Number(others) >= maxBlockedHosts) {
          const use = `At most ${maxBlockedHosts} hosts are blocked, and ${maxBlockedHosts} are`;
          throw new Refusal(quotaError(use, 'Unblock a host first'));
        }
        return transaction
          .insertInto('blocked_hosts')
          .values({ id: host, reason, created_at: context.now })
          .onConflict((conflict) => conflict.column('id').doUpdateSet({ reason }))
          .returningAll()
          .executeTakeFirst();
      });
      return { status: 201, ...blocked };
    },

    listBlockedHosts: ({ query }) => replyWithPage(operatorOwner, query, options.listBlockedHosts),

    async unblockHost({ params: { host }, context }) {
      const unblocked = await changeHost(host, context, (transaction) =>
        transaction
          .deleteFrom('blocked_hosts')
          .where('id', '=', host)
          .returningAll()
          .executeTakeFirst(),
      );
      return { status: 200, ...unblocked };
    },
  };
}

function noLink(shortUrl: string): ApiError {
  return new ApiError('NOT_FOUND', `There is no link ${JSON.stringify(shorten(shortUrl))}`);
}

function auditOf({ id, organizationId }: ShortUrl): AuditTarget {
  return { type: 'url', id, organizationId };
}

/** Finds a link again after its organization is locked, whose requests may have changed the link. */
async function findLocked(
  transaction: WriteTransaction,
  id: number,
): Promise<ShortUrl | undefined> {
  const find = () => selectUrls(transaction).where('urls.id', '=', id).executeTakeFirst();
  const found = await find();
  if (!found) return undefined;
  await lockOrganization(transaction, found.organizationId);
  const row = await find();
  return row && fromRow(row);
}

export function listTakedowns(database: Database, range: PageRange): Promise<Page<ShortUrl>> {
  const indexed = sql<SqlBool>`taken_down_at is not null`;
  const order = { key: sql<number>`taken_down_at`, direction: 'desc' } as const;
  const list = { table: 'urls', indexed, order, ...range } as const;
  return readList<number, ShortUrl>(database, list, async (ids) => {
    const rows = await selectUrls(database.read).where('urls.id', 'in', ids).execute();
    return rows.map(fromRow);
  });
}

export function toTakedownRecord(origins: LinkOrigins, url: ShortUrl): TakedownRecord {
  return {
    id: String(url.id),
    organizationId: url.organizationId,
    shortUrl: shortUrlOf(origins, url),
    targetUrl: url.targetUrl,
    reason: url.takedownReason ?? '',
    createdAt: new Date(url.takenDownAt ?? 0).toISOString(),
  };
}

export function listBlockedHosts(database: Database, range: PageRange): Promise<Page<BlockedHost>> {
  const list = { table: 'blocked_hosts', ...range } as const;
  return readList<string, BlockedHost>(database, list, (ids) =>
    database.read.selectFrom('blocked_hosts').selectAll().where('id', 'in', ids).execute(),
  );
}

export function toBlockedHostRecord({ id, reason, created_at }: BlockedHost): BlockedHostRecord {
  return { host: id, reason, createdAt: new Date(created_at).toISOString() };
}
