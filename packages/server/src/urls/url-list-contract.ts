import { z } from 'zod';
import type { LinkRestriction } from '../contract/caller.js';
import { defineRoute } from '../contract/define-route.js';
import {
  type ListFilter,
  line,
  pageOf,
  paging,
  plainLine,
  queryBoolean,
  timestamp,
  uuid,
} from '../contract/fields.js';
import { tagName } from './link-fields.js';
import { targetUrl } from './target-url-field.js';
import { readsUrls, urlListItem, urlRecord } from './url-schemas.js';

const view = z.enum(['summary', 'full'], { error: 'must be summary or full' }).optional().meta({
  description: 'full: all fields of each link, as GET /api/v1/urls/{id} returns them.',
  default: 'summary',
});

const sort = z
  .enum(['createdAt', 'clickCount', 'lastClickAt', 'title'], {
    error: 'must be createdAt, clickCount, lastClickAt or title',
  })
  .default('createdAt')
  .meta({
    description:
      'The order of the links. Titles are compared without regard to case, by their first 100 characters; links without a title are before all others. Pages by after are complete for createdAt, and for titles that do not change meanwhile. A link whose clicks change meanwhile may be repeated or missed.',
    param: { id: 'UrlSort' },
  });

const order = z
  .enum(['asc', 'desc'], { error: 'must be asc or desc' })
  .optional()
  .meta({
    description: 'The direction of the order. Default: asc for title, otherwise desc.',
    param: { id: 'UrlOrder' },
  });

const filters = {
  sort,
  order,
  isActive: queryBoolean.optional().meta({
    description: 'true: only active links; false: only paused, expired and deleted links.',
    param: { id: 'IsActive' },
  }),
  isTargetBlocked: queryBoolean.optional().meta({
    description: 'true: only links with targetBlockedAt; false: only the others.',
    param: { id: 'IsTargetBlocked' },
  }),
  isDeleted: queryBoolean.optional().meta({
    description:
      'true: only deleted links; false: only links that are not deleted. Default: false, and both with isActive=false.',
    param: { id: 'IsDeleted' },
  }),
  search: plainLine(200, 1)
    .optional()
    .meta({
      description:
        'Only links whose title, description, target, slug, code or one of whose tags contains this text, in any case.',
      param: { id: 'UrlSearch' },
    }),
  tag: tagName
    .optional()
    .meta({ description: 'Only links with exactly this tag.', param: { id: 'UrlTag' } }),
  category: plainLine(100, 1)
    .optional()
    .meta({ description: 'Only links of this category.', param: { id: 'UrlCategory' } }),
  domainId: uuid
    .optional()
    .meta({ description: 'Only links on this custom domain.', param: { id: 'UrlDomainId' } }),
  targetUrl: targetUrl
    .optional()
    .meta({ description: 'Only links with exactly this target.', param: { id: 'UrlTarget' } }),
  createdBy: line(200, 1)
    .optional()
    .meta({
      description: 'Only links that this person, client or API key created: its id.',
      param: { id: 'CreatedBy' },
    }),
  createdSince: timestamp
    .optional()
    .meta({ description: 'Only links created at or after it.', param: { id: 'CreatedSince' } }),
  createdUntil: timestamp
    .optional()
    .meta({ description: 'Only links created before it.', param: { id: 'CreatedUntil' } }),
};

const urlListQuery = z.strictObject({ ...paging, view, ...filters });

export const urlListRoutes = [
  defineRoute('listUrls', 'GET /api/v1/urls', {
    ...readsUrls,
    summary: 'List short links, by default newest first',
    query: urlListQuery,
    responses: {
      200: {
        description: 'One page of links, of UrlListItem or with view=full of UrlRecord',
        data: pageOf(z.union([urlRecord, urlListItem])).meta({ id: 'UrlPage' }),
      },
    },
  }),
] as const;

export type UrlPageQuery = Omit<z.output<typeof urlListQuery>, 'view'>;
export type UrlSort = UrlPageQuery['sort'];
export type UrlFilter = Omit<ListFilter<UrlPageQuery>, 'sort'> & {
  readonly sort?: UrlSort | undefined;
  readonly restriction?: LinkRestriction | undefined;
};
