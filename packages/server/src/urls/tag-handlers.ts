import { invalidField } from '../contract/api-error.js';
import type { Position } from '../contract/fields.js';
import type { PageText } from '../contract/json-text.js';
import type { HandlersOf } from '../http/handlers.js';
import { openPage } from '../http/open-page.js';
import { recordAuditEntry } from '../idempotency/audit-entry.js';
import {
  findStoredResult,
  type IdempotentResult,
  requireFound,
  type WriteContext,
  writeOnce,
} from '../idempotency/with-idempotency-key.js';
import type { Database, WriteTransaction } from '../storage/database.js';
import type { ListPage } from '../storage/list-page.js';
import type { LinkWriteOptions } from './create-urls.js';
import type { ShortUrl } from './short-url.js';
import type { Tag, TagFilter, tagRoutes } from './tag-contract.js';
import { maxListedTags, type TaggedLinks } from './tag-query.js';
import { updateUrls } from './update-urls.js';
import { type RecordUrls, urlUpdated } from './url-events.js';

export interface TagWriteOptions extends Omit<LinkWriteOptions, 'newShortCode'> {
  readonly database: Database;
  readonly findTagged: (organizationId: string, links: TaggedLinks) => Promise<ListPage<number>>;
}

export interface TagHandlerOptions extends TagWriteOptions {
  /** Returns undefined if the organization has more than `maxListedTags` such tags. */
  readonly listTags: (
    organizationId: string,
    filter: TagFilter,
  ) => Promise<PageText<Tag> | undefined>;
}

const tooManyTags = `must be set, to a text that fewer than ${maxListedTags} tags contain, because the organization has too many tags for one list`;

export function tagHandlers(options: TagHandlerOptions): HandlersOf<typeof tagRoutes> {
  async function replace(tag: string, name: string | null, context: WriteContext) {
    const written = await replaceTag(options, tag, name, context);
    const { result, replayed } = requireFound(written, 'tag', tag);
    return { status: 200, replayed, data: { name: name ?? tag, ...result } };
  }

  return {
    async listTags({ caller: { organizationId, restriction }, query }) {
      const { filter, reply } = openPage({ ...query, restriction });
      const page = await options.listTags(organizationId, filter);
      if (!page) throw invalidField('search', tooManyTags);
      return reply(page);
    },

    renameTag: ({ params, body, context }) => replace(params.tag, body.name, context),

    deleteTag: ({ params, context }) => replace(params.tag, null, context),
  };
}

export interface TagChange {
  readonly updatedCount: number;
  /** False if links with the tag remain. */
  readonly isComplete: boolean;
}

const linksPerTransaction = 100;
// Shorter than the time limits of clients and proxies, and than the grace period of a stop.
const defaultTimeLimitMs = 5_000;

/**
 * Replaces a tag by `name`, or removes it if `name` is null. Works in transactions of 100 links until the time
 * limit, so an interrupted call has changed some of the links, and a repeated call changes the others. The
 * result is stored with the idempotency key when it is complete. Returns null if no link has the tag.
 */
export async function replaceTag(
  options: TagWriteOptions,
  tag: string,
  name: string | null,
  context: WriteContext,
  timeLimitMs = defaultTimeLimitMs,
): Promise<IdempotentResult<TagChange | null>> {
  const { database, findTagged } = options;
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
    const links = { tag, restriction, limit: linksPerTransaction, after };
    const { ids, next } = await findTagged(organizationId, links);
    if (ids.length === 0) break;
    isFound = true;
    const replaceInLinks = async (transaction: WriteTransaction) => {
      const count = await replaceIn(transaction, options, ids, tag, name, context);
      const target = { type: 'tag', id: tag, count, organizationId } as const;
      if (count > 0 && origin) recordAuditEntry(transaction, origin, target);
      return count;
    };
    updatedCount += await database.write(organizationId, replaceInLinks, { isBulk: true });
    if (next && performance.now() >= endsAt) {
      // The key is not stored, because a repeated call must continue.
      return { result: { updatedCount, isComplete: false }, replayed: false };
    }
    after = next;
  } while (after);
  const result = isFound ? { updatedCount, isComplete: true } : null;
  return writeOnce(database, { organizationId, write, audit: () => null }, async () => result);
}

/** Replaces a tag in some links. Returns the number of those that it has changed. */
async function replaceIn(
  transaction: WriteTransaction,
  options: TagWriteOptions,
  ids: readonly number[],
  tag: string,
  name: string | null,
  context: WriteContext,
): Promise<number> {
  const change = (url: ShortUrl) => {
    const replaced = url.tags.map((each) => (each === tag ? name : each));
    return { ...url, tags: [...new Set(replaced)].filter((each) => each !== null) };
  };
  const record: RecordUrls = async (to, event, ...changes) => {
    if (event !== urlUpdated) await options.record(to, event, ...changes);
  };
  const changes = ids.map((id) => ({ id, change }));
  const changedIds = new Set<number>();
  await updateUrls(transaction, { ...options, record }, changes, context, changedIds);
  return changedIds.size;
}
