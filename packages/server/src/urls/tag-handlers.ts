import { validationError } from '../contract/api-error.js';
import type { LinkOwner, LinkRestriction } from '../contract/caller.js';
import type { Position } from '../contract/fields.js';
import type { PageText } from '../contract/json-text.js';
import type { HandlersOf } from '../http/handlers.js';
import { openPage } from '../http/open-page.js';
import { recordAuditEntry } from '../idempotency/audit-entry.js';
import {
  contextOf,
  findStoredResult,
  type IdempotentResult,
  requireFound,
  type WriteContext,
  type WriteRequest,
  writeOnce,
} from '../idempotency/with-idempotency-key.js';
import type { Clock } from '../ports.js';
import { nextUpdatedAt } from '../preconditions/if-match.js';
import type { Database, WriteTransaction } from '../storage/database.js';
import type { ListPage } from '../storage/list-query.js';
import { searchTextOf } from '../storage/search-text.js';
import { updateEach } from '../storage/statements.js';
import { formatTags, parseTags } from '../storage/tag-text.js';
import { yieldToEventLoop } from '../yield-to-event-loop.js';
import type { Tag, TagFilter, tagRoutes } from './tag-contract.js';
import { maxListedTags } from './tag-query.js';

export interface TagHandlerOptions {
  readonly database: Database;
  /** Returns undefined if the organization has more than `maxListedTags` such tags. */
  readonly listTags: (
    organizationId: string,
    filter: TagFilter,
  ) => Promise<PageText<Tag> | undefined>;
  readonly findTagged: (
    organizationId: string,
    restriction: LinkRestriction | undefined,
    tag: string,
    limit: number,
    after: Position | undefined,
  ) => Promise<ListPage<number>>;
  readonly clock: Clock;
}

const tooManyTags = `must be set, to a text that fewer than ${maxListedTags} tags contain, because the organization has too many tags for one list`;

export function tagHandlers(options: TagHandlerOptions): HandlersOf<typeof tagRoutes> {
  async function replace(
    tag: string,
    name: string | null,
    caller: LinkOwner,
    write: WriteRequest | undefined,
  ) {
    const context = contextOf(caller, options.clock(), write);
    const written = await replaceTag(options, tag, name, context);
    const { result, replayed } = requireFound(written, 'tag', tag);
    return { status: 200, replayed, data: { name: name ?? tag, ...result } };
  }

  return {
    async listTags({ caller: { organizationId, restriction }, query }) {
      const list = { name: 'tags', organizationId, ids: 'text' } as const;
      const { filter, reply } = openPage(list, { ...query, restriction });
      const page = await options.listTags(organizationId, filter);
      if (!page) throw validationError([{ path: 'search', message: tooManyTags }]);
      return reply(page);
    },

    renameTag: ({ caller, params, body, write }) => replace(params.tag, body.name, caller, write),

    deleteTag: ({ caller, params, write }) => replace(params.tag, null, caller, write),
  };
}

export interface TagChange {
  readonly updatedCount: number;
  /** False if links with the tag remain. */
  readonly isComplete: boolean;
}

// Links that are looked up at once.
const foundAtOnce = 1_000;
// Links of one transaction, and those of one turn of the event loop within it.
const linksPerTransaction = 100;
const linksPerSlice = 10;
// Shorter than the time limits of clients and proxies, and than the grace period of a stop.
const defaultTimeLimitMs = 5_000;

/**
 * Replaces a tag by `name`, or removes it if `name` is null. Works in transactions of 100 links until the time
 * limit, so an interrupted call has changed some of the links, and a repeated call changes the others. The
 * result is stored with the idempotency key when it is complete. Returns null if no link has the tag.
 */
export async function replaceTag(
  { database, findTagged }: Pick<TagHandlerOptions, 'database' | 'findTagged'>,
  tag: string,
  name: string | null,
  context: WriteContext,
  timeLimitMs = defaultTimeLimitMs,
): Promise<IdempotentResult<TagChange | null>> {
  const { organizationId, restriction, write } = context;
  const stored = await findStoredResult<TagChange | null>(database, write);
  if (stored) return stored;
  const endsAt = performance.now() + timeLimitMs;
  let isFound = false;
  let updatedCount = 0;
  // All transactions count in the entry that the first makes.
  const recordedAt = write?.origin.clock() ?? 0;
  const origin = write && { ...write.origin, clock: () => recordedAt };
  let after: Position | undefined;
  do {
    const page = await findTagged(organizationId, restriction, tag, foundAtOnce, after);
    isFound ||= page.ids.length > 0;
    for (let at = 0; at < page.ids.length; at += linksPerTransaction) {
      const ids = page.ids.slice(at, at + linksPerTransaction);
      const replaceInLinks = async (transaction: WriteTransaction) => {
        const count = await replaceIn(transaction, ids, tag, name, context);
        const target = { type: 'tag', id: tag, count, organizationId } as const;
        if (count > 0 && origin) recordAuditEntry(transaction, origin, target);
        return count;
      };
      updatedCount += await database.write(organizationId, replaceInLinks, { isBulk: true });
      const isLast = page.next === undefined && at + linksPerTransaction >= page.ids.length;
      if (!isLast && performance.now() >= endsAt) {
        // The key is not stored, because a repeated call must continue.
        return { result: { updatedCount, isComplete: false }, replayed: false };
      }
    }
    after = page.next;
  } while (after);
  const result = isFound ? { updatedCount, isComplete: true } : null;
  return writeOnce(database, { organizationId, write, audit: () => null }, async () => result);
}

/** Replaces a tag in some links. Returns the number of those that it has changed. */
async function replaceIn(
  transaction: WriteTransaction,
  ids: readonly number[],
  tag: string,
  name: string | null,
  { organizationId, now }: WriteContext,
): Promise<number> {
  const rows = await transaction
    .selectFrom('urls')
    .select(['id', 'title', 'target_url', 'custom_slug', 'short_code', 'description'])
    .select(['tags', 'updated_at', 'organization_id'])
    .where('id', 'in', ids)
    .execute();
  const changes = rows.flatMap(({ id, organization_id, updated_at, ...row }) => {
    // Not in SQL: SQLite would search the index of the organization instead of the ids.
    if (organization_id !== organizationId) return [];
    const replaced = parseTags(row.tags).map((each) => (each === tag ? name : each));
    const tags = formatTags([...new Set(replaced)].filter((each) => each !== null));
    if (tags === row.tags) return [];
    const search_text = searchTextOf({ ...row, tags });
    const set = { tags, search_text, updated_at: nextUpdatedAt(updated_at, now) };
    return [{ set, where: { id } }];
  });
  for (let at = 0; at < changes.length; at += linksPerSlice) {
    await yieldToEventLoop();
    await updateEach(transaction, 'urls', changes.slice(at, at + linksPerSlice));
  }
  return changes.length;
}
