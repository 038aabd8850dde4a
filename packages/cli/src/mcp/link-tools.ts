import type { UrlCreateRequest, UrlRecord, UrlUpdateRequest } from '@shorty/sdk';
import { z } from 'zod';
import { UsageError } from '../cli-error.js';
import { readEtag, withEtag } from '../etag.js';
import { findLink, findLinkId } from '../find-link.js';
import { dataOf } from '../response-data.js';
import { pageOf } from './output-schema.js';
import { timeInput, toInstants } from './time-input.js';
import { defineTool, type Tool } from './tool.js';

export const link = z
  .string()
  .describe('the id, the short URL, the custom slug or the short code of a link');

const text = (description: string) => z.string().describe(description).exactOptional();

const linkFields = {
  externalId: text('the id of the link in another system; unique in the organization'),
  title: text('a title for people who manage the links'),
  description: text('notes for people who manage the links'),
  category: text('a category, to filter by'),
  tags: z.array(z.string()).max(20).describe('up to 20 labels, to filter by').exactOptional(),
  domainId: text('id of a custom domain from find_domains; without one: the domain of the server'),
  redirectType: z
    .literal([301, 302, 307, 308])
    .describe('the HTTP status of the redirect; 307 for new links')
    .exactOptional(),
  activatesAt: text('when the link starts redirecting: an instant before expiresAt'),
  expiresAt: text(
    'when the link stops redirecting: a future instant, such as 2030-12-31T23:59:59Z',
  ),
  expiredUrl: text('the http or https URL where visitors are sent when the link has expired'),
  maxClicks: z
    .int()
    .min(1)
    .describe('how many clicks the link redirects in all; default: any number')
    .exactOptional(),
  password: text('visitors must enter this password'),
  utmSource: text('utm_source, added to the target URL'),
  utmMedium: text('utm_medium, added to the target URL'),
  utmCampaign: text('utm_campaign, added to the target URL'),
  utmTerm: text('utm_term, added to the target URL'),
  utmContent: text('utm_content, added to the target URL'),
  customUtmParams: z
    .record(z.string(), z.string())
    .describe('other query parameters to add to the target URL')
    .exactOptional(),
  sourceDomain: text('a domain for attribution'),
  clickThresholds: z
    .array(z.int().min(1))
    .describe(
      'the click counts at which webhooks get url.click_threshold; default: those of the server',
    )
    .exactOptional(),
  forwardQuery: z
    .boolean()
    .describe('whether the query of a visit is added to the target; default: as its domain')
    .exactOptional(),
  forwardPath: z
    .boolean()
    .describe('whether the path after the link is added to the target; default: as its domain')
    .exactOptional(),
  rules: dataOf('getUrl')
    .shape.rules.describe(
      'other targets for some visits: the first rule that matches decides, and the target URL of the link is for all other visits',
    )
    .exactOptional(),
  preview: z
    .object({
      title: z.string(),
      description: z.string().exactOptional(),
      imageUrl: z.string().exactOptional(),
    })
    .describe(
      'what messengers and social networks show of the link; default: they follow the redirect',
    )
    .exactOptional(),
} satisfies Record<
  Exclude<keyof UrlUpdateRequest, 'targetUrl' | 'isActive' | 'isPasswordProtected'>,
  z.ZodType
>;

type LinkField = keyof typeof linkFields;

const linkFieldNames = Object.keys(linkFields) as [LinkField, ...LinkField[]];

const versionedLink = dataOf('getUrl').extend({ etag: z.string().exactOptional() });

// The fields by which an assistant selects a link, because whole records fill its context.
const summaryFields = [
  ...['id', 'shortUrl', 'targetUrl', 'title', 'category', 'tags'],
  ...['isActive', 'expiresAt', 'clickCount', 'createdAt'],
];

const { shape } = dataOf('getUrl');
const summary = z.object(
  Object.fromEntries(Object.entries(shape).filter(([field]) => summaryFields.includes(field))),
);

export const linkTools: readonly Tool[] = [
  defineTool({
    name: 'find_links',
    title: 'Find links',
    description:
      'Lists or searches short links, newest first by default. Returns id, shortUrl, targetUrl, title, category, tags, isActive, expiresAt, clickCount and createdAt of each link, the total, and nextAfter, which is null on the last page. get_link returns all fields.',
    access: 'read',
    scopes: ['urls:read'],
    input: z.strictObject({
      search: text('a part of the title, description, target URL, slug, short code or a tag'),
      tag: text('only links with exactly this tag'),
      category: text('only links of this category'),
      targetUrl: text('only links to exactly this URL'),
      isActive: z
        .boolean()
        .describe('true: only active links; false: only paused and expired links')
        .exactOptional(),
      createdSince: timeInput('only links created at or after it'),
      createdUntil: timeInput('only links created before it'),
      sort: z
        .enum(['createdAt', 'clickCount', 'lastClickAt', 'title'])
        .describe('the order; clickCount lists the most clicked links first')
        .exactOptional(),
      order: z
        .enum(['asc', 'desc'])
        .describe('default: asc for title, otherwise desc')
        .exactOptional(),
      limit: z.int().min(1).max(100).describe('links on a page').default(20),
      after: text('nextAfter of the page before, with the same filters'),
    }),
    output: pageOf('links', summary),
    run: async ({ createdSince, createdUntil, ...filter }, { client, signal, now }) => {
      const times = toInstants({ createdSince, createdUntil }, now());
      const query = { ...filter, ...times, view: 'full' } as const;
      const page = await client.urls.list(query, { signal });
      const { total, items, nextAfter } = page;
      return { data: { total, links: items.map(summaryOf), nextAfter } };
    },
  }),
  defineTool({
    name: 'get_link',
    title: 'Get a link',
    description:
      'Returns all fields of one short link, and its etag, which update_link takes as ifMatch. clickCount counts the clicks of people since the creation; importedClicks are those of another link shortener before it.',
    access: 'read',
    scopes: ['urls:read'],
    input: z.strictObject({ link }),
    output: versionedLink,
    run: async (input, { client, signal }) => ({
      data: withEtag(await findLink(client, input.link, { signal })),
    }),
  }),
  defineTool({
    name: 'create_link',
    title: 'Create a link',
    description:
      'Creates a short link and returns its id and shortUrl. Each call creates another link, except with ifExists.',
    access: 'add',
    scopes: ['urls:write'],
    input: z.strictObject({
      targetUrl: z.string().describe('the http or https URL to redirect to'),
      customSlug: text(
        'the path of the short URL: 3 to 50 letters, digits and hyphens; default: a generated code',
      ),
      ...linkFields,
      isActive: z.boolean().describe('false creates a paused link').exactOptional(),
      ifExists: z
        .literal('return')
        .describe(
          'return: the link that already has this target and the same settings, if there is one',
        )
        .exactOptional(),
      fetchTitle: z
        .boolean()
        .describe('whether the server takes the title of the target for a link without a title')
        .exactOptional(),
    } satisfies Record<
      Exclude<
        keyof UrlCreateRequest,
        'isPasswordProtected' | 'importedClicks' | 'importedCode' | 'importedCreatedAt'
      >,
      z.ZodType
    >),
    output: dataOf('createUrl'),
    run: async ({ password, ...fields }, { client, signal }) => {
      const body: UrlCreateRequest =
        password === undefined ? fields : { ...fields, password, isPasswordProtected: true };
      return { data: await client.urls.create(body, { signal }) };
    },
  }),
  defineTool({
    name: 'update_link',
    title: 'Change, pause or resume a link',
    description:
      'Changes the given fields of a short link and returns all its fields. isActive false pauses the link, true resumes it. clear empties fields: clear ["expiresAt"] removes the expiry. The slug never changes.',
    access: 'change',
    scopes: ['urls:write'],
    input: z.strictObject({
      link,
      targetUrl: text('the http or https URL to redirect to'),
      ...linkFields,
      isActive: z.boolean().describe('false pauses the link, true resumes it').exactOptional(),
      clear: z.array(z.enum(linkFieldNames)).describe('fields to empty').exactOptional(),
      ifMatch: text(
        'the etag of get_link: the call fails if somebody has changed the link since then',
      ),
    }),
    output: versionedLink,
    run: async ({ link: name, clear = [], ifMatch, ...fields }, { client, signal }) => {
      const patch: UrlUpdateRequest = { ...fields };
      for (const field of clear) {
        if (patch[field] !== undefined)
          throw new UsageError(`clear: ${field} has a new value, too`);
        patch[field] = null;
      }
      if (patch.password !== undefined) patch.isPasswordProtected = patch.password !== null;
      if (Object.keys(patch).length === 0) throw new UsageError('no field to change');
      const options = ifMatch === undefined ? {} : { ifMatch: readEtag('ifMatch', ifMatch) };
      const id = await findLinkId(client, name, { signal });
      const call = client.urls.update(id, patch, { signal, ...options });
      return { data: withEtag(await call.withResponse()) };
    },
  }),
  defineTool({
    name: 'delete_link',
    title: 'Delete (pause) a link',
    description:
      'Deactivates a short link: visitors get 410 Gone. Its record, slug and clicks remain, and update_link with isActive true activates it again.',
    access: 'change',
    scopes: ['urls:write'],
    input: z.strictObject({ link }),
    output: dataOf('deleteUrl'),
    run: async (input, { client, signal }) => {
      const id = await findLinkId(client, input.link, { signal });
      return { data: await client.urls.delete(id, { signal }) };
    },
  }),
];

function summaryOf(record: UrlRecord): object {
  return Object.fromEntries(Object.entries(record).filter(([field]) => field in summary.shape));
}
