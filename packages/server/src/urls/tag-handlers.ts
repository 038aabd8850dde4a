import { validationError } from '../contract/api-error.js';
import type { LinkOwner } from '../contract/caller.js';
import type { PageText } from '../contract/json-text.js';
import type { HandlersOf } from '../http/handlers.js';
import { openPage } from '../http/open-page.js';
import { contextOf, requireFound, type WriteRequest } from '../idempotency/with-idempotency-key.js';
import type { Clock } from '../ports.js';
import type { Tag, TagFilter, tagRoutes } from './tag-contract.js';
import { maxListedTags } from './tag-query.js';
import type { TagRepository } from './tag-repository.js';

export interface TagHandlerOptions {
  readonly tags: TagRepository;
  /** Returns undefined if the organization has more than `maxListedTags` such tags. */
  readonly listTags: (
    organizationId: string,
    filter: TagFilter,
  ) => Promise<PageText<Tag> | undefined>;
  readonly clock: Clock;
}

const tooManyTags = `must be set, to a text that fewer than ${maxListedTags} tags contain, because the organization has too many tags for one list`;

export function tagHandlers({
  tags,
  listTags,
  clock,
}: TagHandlerOptions): HandlersOf<typeof tagRoutes> {
  async function replace(
    tag: string,
    name: string | null,
    caller: LinkOwner,
    write: WriteRequest | undefined,
  ) {
    const written = await tags.replace(tag, name, contextOf(caller, clock(), write));
    const { result, replayed } = requireFound(written, 'tag', tag);
    return { status: 200, replayed, data: { name: name ?? tag, ...result } };
  }

  return {
    async listTags({ caller: { organizationId, restriction }, query }) {
      const list = { name: 'tags', organizationId, ids: 'text' } as const;
      const { filter, reply } = openPage(list, { ...query, restriction });
      const page = await listTags(organizationId, filter);
      if (!page) throw validationError([{ path: 'search', message: tooManyTags }]);
      return reply(page);
    },

    renameTag: ({ caller, params, body, write }) => replace(params.tag, body.name, caller, write),

    deleteTag: ({ caller, params, write }) => replace(params.tag, null, caller, write),
  };
}
