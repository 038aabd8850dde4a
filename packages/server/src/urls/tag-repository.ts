import type { LinkRestriction } from '../contract/caller.js';
import type { Position } from '../contract/fields.js';
import { recordAuditEntry, type WriteOrigin } from '../idempotency/audit-entry.js';
import {
  findStoredResult,
  type IdempotentResult,
  type WriteContext,
  writeOnce,
} from '../idempotency/with-idempotency-key.js';
import { nextUpdatedAt } from '../preconditions/if-match.js';
import type { Database, WriteTransaction } from '../storage/database.js';
import type { ListPage } from '../storage/list-query.js';
import { searchTextOf } from '../storage/search-text.js';
import { updateEach } from '../storage/statements.js';
import { formatTags, parseTags } from '../storage/tag-text.js';
import { yieldToEventLoop } from '../yield-to-event-loop.js';

export type FindTagged = (
  organizationId: string,
  restriction: LinkRestriction | undefined,
  tag: string,
  limit: number,
  after: Position | undefined,
) => Promise<ListPage<number>>;

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

export class TagRepository {
  readonly #database: Database;
  readonly #findTagged: FindTagged;

  constructor(database: Database, findTagged: FindTagged) {
    this.#database = database;
    this.#findTagged = findTagged;
  }

  /**
   * Replaces a tag by `name`, or removes it if `name` is null. Works in transactions of 100 links until
   * the time limit, so an interrupted call has changed some of the links, and a repeated call changes
   * the others. The result is stored with the idempotency key when it is complete. Returns null if no
   * link has the tag.
   */
  async replace(
    tag: string,
    name: string | null,
    context: WriteContext,
    timeLimitMs = defaultTimeLimitMs,
  ): Promise<IdempotentResult<TagChange | null>> {
    const { organizationId, restriction, write } = context;
    const stored = await findStoredResult<TagChange | null>(this.#database, write);
    if (stored) return stored;
    const endsAt = performance.now() + timeLimitMs;
    let isFound = false;
    let updatedCount = 0;
    const recordedAt = write?.origin.clock() ?? 0;
    const origin = write && { ...write.origin, clock: () => recordedAt };
    let after: Position | undefined;
    do {
      const page = await this.#findTagged(organizationId, restriction, tag, foundAtOnce, after);
      isFound ||= page.ids.length > 0;
      for (let at = 0; at < page.ids.length; at += linksPerTransaction) {
        const ids = page.ids.slice(at, at + linksPerTransaction);
        updatedCount += await this.#replaceIn(ids, tag, name, context, origin);
        const isLast = page.next === undefined && at + linksPerTransaction >= page.ids.length;
        if (!isLast && performance.now() >= endsAt) {
          // The key is not stored, because a repeated call must continue.
          return { result: { updatedCount, isComplete: false }, replayed: false };
        }
      }
      after = page.next;
    } while (after);
    const result = isFound ? { updatedCount, isComplete: true } : null;
    const options = { organizationId, write, audit: () => null };
    return writeOnce(this.#database, options, async () => result);
  }

  /**
   * Changes some links in one transaction, and counts them in the write's entry of the audit log, which
   * the first transaction that changes a link makes.
   */
  #replaceIn(
    ids: readonly number[],
    tag: string,
    name: string | null,
    { organizationId, now }: WriteContext,
    origin: WriteOrigin | undefined,
  ): Promise<number> {
    const work = async (transaction: WriteTransaction) => {
      const rows = await transaction
        .selectFrom('urls')
        .select(['id', 'title', 'target_url', 'custom_slug', 'short_code', 'description'])
        .select(['tags', 'updated_at', 'organization_id'])
        .where('id', 'in', ids)
        .execute();
      const changes = rows.flatMap(({ id, organization_id, updated_at, ...row }) => {
        // Not in SQL: SQLite would search the index of the organization instead of the ids.
        if (organization_id !== organizationId) return [];
        const tags = formatTags(replaceTag(parseTags(row.tags), tag, name));
        if (tags === row.tags) return [];
        const search_text = searchTextOf({ ...row, tags });
        const set = { tags, search_text, updated_at: nextUpdatedAt(updated_at, now) };
        return [{ set, where: { id } }];
      });
      for (let at = 0; at < changes.length; at += linksPerSlice) {
        await yieldToEventLoop();
        const slice = changes.slice(at, at + linksPerSlice);
        await updateEach(transaction, 'urls', slice);
      }
      const count = changes.length;
      if (count > 0 && origin) {
        const target = { type: 'tag', id: tag, count, organizationId } as const;
        recordAuditEntry(transaction, origin, target);
      }
      return count;
    };
    return this.#database.write(organizationId, work, { isBulk: true });
  }
}

function replaceTag(tags: readonly string[], tag: string, name: string | null): string[] {
  const replaced = tags.map((each) => (each === tag ? name : each));
  return [...new Set(replaced)].filter((each) => each !== null);
}
