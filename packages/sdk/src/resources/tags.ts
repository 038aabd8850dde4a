import type { ApiPromise } from '../api-promise.js';
import type { RequestOptions } from '../options.js';
import type { PagedList } from '../paginate.js';
import type { Tag, TagChangeResult, TagListQuery, TagPage, TagRenameRequest } from '../types.js';
import { Resource } from './resource.js';

/** A list of tags: one page when awaited, all when iterated. */
export interface TagList extends PagedList<Tag, TagPage> {}

/** Tags of links: `shorty.tags`. A tag exists while a link has it. */
export class TagsResource extends Resource {
  /**
   * Lists tags by name, with the number of their links: one page when awaited, all of them when
   * iterated. Rejects with ValidationError if more than 20,000 tags match: then `search` is needed.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty();
   * const tags = shorty.tags.list({ sort: 'linkCount' });
   * for await (const { name, linkCount } of tags) console.log(name, linkCount);
   * ```
   */
  list(query: TagListQuery = {}, options?: RequestOptions): TagList {
    return this.api.list('GET /api/v1/tags', { query }, options);
  }

  /**
   * Renames a tag on every link. A name that is already a tag merges the two. Rejects with
   * NotFoundError if no link has the tag.
   *
   * A request stops after 5 seconds. `isComplete` is false then, and the same call changes the remaining
   * links.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty();
   * const { updatedCount, isComplete } = await shorty.tags.rename('lanch', { name: 'launch' });
   * console.log(updatedCount, isComplete);
   * ```
   */
  rename(
    tag: string,
    body: TagRenameRequest,
    options?: RequestOptions,
  ): ApiPromise<TagChangeResult> {
    return this.api.send('PATCH /api/v1/tags/{tag}', { params: { tag }, body }, options);
  }

  /**
   * Removes a tag from every link. The links stay. Rejects with NotFoundError if no link has the tag.
   * `isComplete` is false as after a rename.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty();
   * while (!(await shorty.tags.delete('old')).isComplete) console.log('removing');
   * ```
   */
  delete(tag: string, options?: RequestOptions): ApiPromise<TagChangeResult> {
    return this.api.send('DELETE /api/v1/tags/{tag}', { params: { tag } }, options);
  }
}
