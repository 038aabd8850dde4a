import { z } from 'zod';
import type { LinkRestriction } from '../contract/caller.js';
import { defineRoute } from '../contract/define-route.js';
import { type ListFilter, pageOf, paging, plainLine } from '../contract/fields.js';
import { tagName } from './link-fields.js';
import { readsUrls, writesUrls } from './url-schemas.js';

const name = z.string().meta({ description: 'The tag, as links have it.', example: 'launch' });

const tag = z
  .object({
    name,
    linkCount: z
      .int()
      .min(1)
      .describe('The number of links with the tag, paused and deleted ones included.'),
  })
  .meta({ id: 'Tag' });

const tagListQuery = z.strictObject({
  ...paging,
  search: plainLine(100, 1).optional().describe('Only tags that contain this text, in any case.'),
  order: z
    .enum(['asc', 'desc'], { error: 'must be asc or desc' })
    .default('asc')
    .describe('The order of the names, which are compared without regard to case.'),
});

const tagRenameRequest = z
  .strictObject({
    name: tagName.meta({
      description: 'The new name. A link that already has this tag has it only once afterwards.',
      example: 'campaign',
    }),
  })
  .meta({ id: 'TagRenameRequest' });

const tagChangeResult = z
  .object({
    name: name.describe('The new name of the tag, or the name of the removed tag.'),
    updatedCount: z.int().min(0).describe('The number of links that this request changed.'),
    isComplete: z.boolean().meta({
      description:
        'False if the request stopped at its time limit of 5 seconds. Send it again to change the remaining links.',
      example: true,
    }),
  })
  .meta({ id: 'TagChangeResult' });

const params = z.strictObject({
  tag: tagName.meta({
    description:
      'The tag, percent-encoded: a slash is %2F. Case-sensitive. HTTP clients cannot send the tags "." and "..".',
    example: 'launch',
    param: { id: 'Tag' },
  }),
});

const effects =
  'Changes updatedAt and ETag of the links, and sends no url.updated. A link that gets the tag during the request may retain it.';

export const tagRoutes = [
  defineRoute('listTags', 'GET /api/v1/tags', {
    ...readsUrls,
    summary: 'List tags with their number of links',
    query: tagListQuery,
    responses: { 200: { description: 'One page of tags', data: pageOf(tag) } },
  }),
  defineRoute('renameTag', 'PATCH /api/v1/tags/{tag}', {
    ...writesUrls,
    summary: 'Rename a tag on every link',
    description: `A name that is already a tag merges the two. ${effects}`,
    params,
    body: tagRenameRequest,
    responses: { 200: { description: 'The renamed tag', data: tagChangeResult } },
  }),
  defineRoute('deleteTag', 'DELETE /api/v1/tags/{tag}', {
    ...writesUrls,
    summary: 'Remove a tag from every link',
    description: `The links stay. ${effects}`,
    params,
    responses: { 200: { description: 'The removed tag', data: tagChangeResult } },
  }),
] as const;

export type Tag = z.input<typeof tag>;
export type TagFilter = ListFilter<z.output<typeof tagListQuery>> & {
  readonly restriction?: LinkRestriction | undefined;
};
