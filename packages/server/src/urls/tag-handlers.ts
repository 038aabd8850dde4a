import { notFound, validationError } from '../contract/api-error.js';
import type { PageText } from '../contract/json-text.js';
import type { HandlersOf } from '../http/handlers.js';
import { openPage } from '../http/open-page.js';
import type { Clock } from '../ports.js';
import type { Tag, TagFilter, tagRoutes } from './tag-contract.js';
import { maxListedTags } from './tag-query.js';
import type { TagRepository } from './tag-repository.js';
import type { WriteContext } from './url-write.js';

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

/** Lists, renames and removes tags. */
export function tagHandlers({
  tags,
  listTags,
  clock,
}: TagHandlerOptions): HandlersOf<typeof tagRoutes> {
  async function replace(
    tag: string,
    name: string | null,
    { organizationId, write }: Omit<WriteContext, 'now'>,
  ) {
    const context = { organizationId, write, now: clock() };
    const { result, replayed } = await tags.replace(tag, name, context);
    if (result) return { status: 200, replayed, data: { name: name ?? tag, ...result } };
    throw notFound('tag', tag, replayed);
  }

  return {
    async listTags({ caller: { organizationId }, query }) {
      const list = { name: 'tags', organizationId, ids: 'text' } as const;
      const { filter, reply } = openPage(list, query);
      const page = await listTags(organizationId, filter);
      if (!page) throw validationError([{ path: 'search', message: tooManyTags }]);
      return reply(page);
    },

    async renameTag({ caller, params, body, write }) {
      const { organizationId } = caller;
      return replace(params.tag, body.name, { organizationId, write });
    },

    async deleteTag({ caller: { organizationId }, params, write }) {
      return replace(params.tag, null, { organizationId, write });
    },
  };
}
