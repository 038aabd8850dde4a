import type {
  ClicksQuery,
  OverviewQuery,
  QrCreateRequest,
  QrImage,
  ScansQuery,
  Shorty,
  UrlCreateRequest,
  UrlUpdateRequest,
} from '@shorty/sdk';
import { z } from 'zod';
import { periodOf, readTime } from '../analytics/parse-time.js';
import {
  linkFilters,
  type ReportFilter,
  scanFilters,
  visitFilters,
} from '../analytics/report-filters.js';
import { UsageError } from '../cli-error.js';
import { readEtag, withEtag } from '../etag.js';
import { findLink, findLinkId } from '../find-link.js';
import inputs from '../generated/request-bodies.json' with { type: 'json' };
import outputs from '../generated/tool-outputs.json' with { type: 'json' };

/** What the call of a tool works with. */
export interface ToolCall {
  readonly client: Shorty;
  /** Aborted when the assistant cancels the call, or the command ends. */
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

export interface ToolResult {
  readonly data: object;
  readonly image?: QrImage;
}

/** A tool that the assistant can call. */
export interface Tool<Input = unknown> {
  readonly name: string;
  readonly title: string;
  /** Assistants select a tool by this text alone. */
  readonly description: string;
  /** `add` creates records only. `change` also overwrites fields, and may be repeated. */
  readonly access: 'read' | 'add' | 'change';
  /** The token needs one of these scopes; any token suffices if there are none. */
  readonly scopes: readonly string[];
  readonly input: z.ZodType<Input>;
  /** The JSON schema of `data`, which clients validate. */
  readonly output: JsonSchema;
  readonly run: (input: Input, call: ToolCall) => Promise<ToolResult>;
}

interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** Returns the tool for a list of tools, whose inputs differ. */
function defineTool<Input>(tool: Tool<Input>): Tool {
  // The MCP server has validated the input.
  return { ...tool, run: (input, call) => tool.run(input as Input, call) };
}

const text = (description: string) => z.string().describe(description).exactOptional();

const timeForms =
  'an instant (ISO 8601), a date, a duration before now such as 7d or 24h, or today, yesterday, this-week, last-week, this-month or last-month';
const time = (description: string) => text(`${description}: ${timeForms}`);

const link = z
  .string()
  .describe('the id, the short URL, the custom slug or the short code of a link');
const uuid = z.string().describe('id of the QR code (a UUID)');

const pageInput = (items: string) => ({
  limit: z.int().min(1).max(100).describe(`${items} on a page`).default(20),
  after: text('nextAfter of the page before, with the same filters'),
});

/** Returns the fields of the body of an operation, as the contract describes them. */
function bodyOf(operation: keyof typeof inputs, except: readonly string[]) {
  const { properties, required = [] }: { properties: object; required?: readonly string[] } =
    inputs[operation];
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => !except.includes(name))
      .map(([name, schema]) => {
        const type: z.ZodType = z.fromJSONSchema(schema);
        return [name, required.includes(name) ? type : type.exactOptional()];
      }),
  );
}

const {
  isActive: _,
  targetUrl: __,
  ...clearableFields
} = bodyOf('updateUrl', ['isPasswordProtected']);
const clearable = Object.keys(clearableFields);

function listOf(name: string, items: object): JsonSchema {
  return {
    type: 'object',
    properties: {
      total: { type: 'integer' },
      [name]: { type: 'array', items },
      nextAfter: { type: ['string', 'null'] },
    },
    required: ['total', name, 'nextAfter'],
  };
}

// The fields by which an assistant selects a link, because whole records fill its context.
const summaryFields = [
  ...['id', 'shortUrl', 'targetUrl', 'title', 'category', 'tags'],
  ...['isActive', 'expiresAt', 'clickCount', 'createdAt'],
];
const pick = (record: object) =>
  Object.fromEntries(Object.entries(record).filter(([field]) => summaryFields.includes(field)));
const linkSummary = {
  type: 'object',
  properties: pick(outputs.getUrl.properties),
  required: summaryFields,
};
const versionedLink = {
  ...outputs.getUrl,
  properties: { ...outputs.getUrl.properties, etag: { type: 'string' } },
};

const windowInput = {
  since: time('start, by default 30 days ago'),
  until: time('end, by default now'),
  timezone: text('the IANA name of the time zone of dates and buckets; default: UTC'),
  groupBy: z.enum(['hour', 'day']).describe('length of a bucket of the time series').default('day'),
  limit: z.int().min(1).max(50).describe('entries of each list').default(10),
};

/** Returns an input with filters. A visit must match each of them by one of its values. */
function filtersInput(filters: Readonly<Record<string, ReportFilter>>) {
  const shape = Object.entries(filters).map(([name, { description }]) => [
    name,
    z.array(z.string()).min(1).max(20).describe(description).exactOptional(),
  ]);
  return z
    .strictObject(
      Object.fromEntries(shape) as Record<string, z.ZodExactOptional<z.ZodArray<z.ZodString>>>,
    )
    .describe('filters: each must match, by one of its values')
    .exactOptional();
}

export const tools: readonly Tool[] = [
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
      createdSince: time('only links created at or after it'),
      createdUntil: time('only links created before it'),
      sort: z
        .enum(['createdAt', 'clickCount', 'lastClickAt', 'title'])
        .describe('the order; clickCount lists the most clicked links first')
        .exactOptional(),
      order: z
        .enum(['asc', 'desc'])
        .describe('default: asc for title, otherwise desc')
        .exactOptional(),
      ...pageInput('links'),
    }),
    output: listOf('links', linkSummary),
    run: async ({ createdSince, createdUntil, ...filter }, { client, signal, now }) => {
      const instant = (name: string, value: string) =>
        new Date(readTime(name, value, now())).toISOString();
      const times = {
        ...(createdSince && { createdSince: instant('createdSince', createdSince) }),
        ...(createdUntil && { createdUntil: instant('createdUntil', createdUntil) }),
      };
      const query = { ...filter, ...times, view: 'full' } as const;
      const { total, items, nextAfter } = await client.urls.list(query, { signal });
      return { data: { total, links: items.map(pick), nextAfter } };
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
    input: z.strictObject(
      bodyOf('createUrl', [
        ...['isPasswordProtected', 'importedClicks', 'importedCode', 'importedCreatedAt'],
      ]),
    ),
    output: outputs.createUrl,
    run: async (fields, { client, signal }) => {
      const isPasswordProtected = 'password' in fields ? { isPasswordProtected: true } : {};
      const body = { ...fields, ...isPasswordProtected } as unknown as UrlCreateRequest;
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
      ...bodyOf('updateUrl', ['isPasswordProtected']),
      clear: z.array(z.enum(clearable)).describe('fields to empty').exactOptional(),
      ifMatch: text(
        'the etag of get_link: the call fails if somebody has changed the link since then',
      ),
    }),
    output: versionedLink,
    run: async ({ link: name, clear = [], ifMatch, ...fields }, { client, signal }) => {
      const patch: Record<string, unknown> = { ...fields };
      for (const field of clear) {
        if (patch[field] !== undefined)
          throw new UsageError(`clear: ${field} has a new value, too`);
        patch[field] = null;
      }
      if (patch.password !== undefined) patch.isPasswordProtected = patch.password !== null;
      if (Object.keys(patch).length === 0) throw new UsageError('no field to change');
      const options = ifMatch === undefined ? {} : { ifMatch: readEtag('ifMatch', ifMatch) };
      const id = await findLinkId(client, name, { signal });
      const call = client.urls.update(id, patch as UrlUpdateRequest, { signal, ...options });
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
    output: outputs.deleteUrl,
    run: async (input, { client, signal }) => {
      const id = await findLinkId(client, input.link, { signal });
      return { data: await client.urls.delete(id, { signal }) };
    },
  }),
  defineTool({
    name: 'find_domains',
    title: 'Find custom domains',
    description:
      'Lists the custom domains of the organization, newest first. create_link takes the id of one as domainId. Only a domain whose isActive is true takes links.',
    access: 'read',
    scopes: ['domains:read'],
    input: z.strictObject(pageInput('domains')),
    output: listOf('domains', outputs.getDomain),
    run: async (page, { client, signal }) => {
      const { total, items, nextAfter } = await client.domains.list(page, { signal });
      return { data: { total, domains: items, nextAfter } };
    },
  }),
  defineTool({
    name: 'find_qr_codes',
    title: 'Find QR codes',
    description:
      'Lists the QR codes of one link, or all QR codes, newest first. Returns the design, scanCount and downloadCount of each. Their image is at downloadUrl, without a token.',
    access: 'read',
    scopes: ['qr:read'],
    input: z.strictObject({ link: link.exactOptional(), ...pageInput('QR codes') }),
    output: listOf('qrCodes', outputs.getQr),
    run: async ({ link: name, ...page }, { client, signal }) => {
      const filter =
        name === undefined ? {} : { urlId: await findLinkId(client, name, { signal }) };
      const { total, items, nextAfter } = await client.qr.list({ ...filter, ...page }, { signal });
      return { data: { total, qrCodes: items, nextAfter } };
    },
  }),
  defineTool({
    name: 'get_qr_code',
    title: 'Get a QR code with its image',
    description:
      'Returns a QR code and its image. The image counts as a download. SVG images are returned as text.',
    access: 'read',
    scopes: ['qr:read'],
    input: z.strictObject({ id: uuid }),
    output: outputs.getQr,
    run: async ({ id }, { client, signal }) => ({
      data: await client.qr.get(id, { signal }),
      image: await client.qr.download(id, { signal }),
    }),
  }),
  defineTool({
    name: 'create_qr_code',
    title: 'Create a QR code',
    description:
      'Creates a QR code for a short link, or for any text, and returns it with its image. A code for a link counts its scans, and the target of the link can change later. Exactly one of link and data is required.',
    access: 'add',
    scopes: ['qr:write'],
    input: z.strictObject({ link: link.exactOptional(), ...bodyOf('createQr', ['urlId']) }),
    output: outputs.createQr,
    run: async ({ link: name, ...design }, { client, signal }) => {
      if ((name === undefined) === !('data' in design)) {
        throw new UsageError('exactly one of link and data is required');
      }
      const body = {
        ...design,
        ...(name !== undefined && { urlId: await findLinkId(client, name, { signal }) }),
      } as unknown as QrCreateRequest;
      const code = await client.qr.create(body, { signal });
      return { data: code, image: await client.qr.download(code.id, { signal }) };
    },
  }),
  defineTool({
    name: 'get_click_report',
    title: 'Report clicks',
    description:
      'Reports the clicks of one link, or of all links with the most clicked links: totals, unique visitors, countries, devices, browsers, referrers, languages, UTM parameters and a time series. Bots do not count. With link, it needs the scope urls:read, and without, analytics:read.',
    access: 'read',
    scopes: ['urls:read', 'analytics:read'],
    input: z.strictObject({
      link: link
        .describe('id, short URL, slug or code of the link; default: all links')
        .exactOptional(),
      ...windowInput,
      filters: filtersInput({ ...visitFilters, ...linkFilters }),
    }),
    output: { type: 'object', anyOf: [outputs.getUrlClicks, outputs.getAnalyticsOverview] },
    run: async ({ link: name, ...input }, { client, signal, now }) => {
      const query = queryOf(input, now());
      const linkFilter = Object.keys(linkFilters).find((each) => input.filters?.[each]);
      if (name !== undefined && linkFilter !== undefined) {
        throw new UsageError(`filters.${linkFilter} cannot be used in the report of one link`);
      }
      if (name === undefined) return { data: await client.analytics.overview(query, { signal }) };
      const id = await findLinkId(client, name, { signal });
      return { data: await client.urls.clicks(id, query, { signal }) };
    },
  }),
  defineTool({
    name: 'get_scan_report',
    title: 'Report scans of a QR code',
    description:
      'Reports the scans of one QR code: totals, countries, devices, scanner apps and a time series.',
    access: 'read',
    scopes: ['qr:read'],
    input: z.strictObject({
      id: uuid,
      ...windowInput,
      filters: filtersInput({ ...visitFilters, ...scanFilters }),
    }),
    output: outputs.getQrScans,
    run: async ({ id, ...input }, { client, signal, now }) => ({
      data: await client.qr.scans(id, queryOf(input, now()), { signal }),
    }),
  }),
  defineTool({
    name: 'get_account',
    title: 'Get account and usage',
    description:
      'Returns the organization, its plan, the scopes of this connection, and the usage of a month with the limits of the plan.',
    access: 'read',
    scopes: [],
    input: z.strictObject({
      period: text('a month such as 2030-01; default: the current month in UTC'),
    }),
    output: {
      ...outputs.getMe,
      properties: { ...outputs.getMe.properties, usage: outputs.getUsage },
    },
    run: async (query, { client, signal }) => {
      const [me, usage] = await Promise.all([
        client.me({ signal }),
        client.usage.get(query, { signal }),
      ]);
      return { data: { ...me, usage } };
    },
  }),
];

interface Window {
  readonly since?: string;
  readonly until?: string;
  readonly timezone?: string;
  readonly groupBy: 'hour' | 'day';
  readonly limit: number;
  readonly filters?: Readonly<Record<string, readonly string[]>>;
}

/** Returns the query for the server, which reads dates in the time zone. */
function queryOf(
  { since, until, timezone, filters, ...query }: Window,
  now: number,
): ClicksQuery & OverviewQuery & ScansQuery {
  const end = until ?? periodOf(since ?? '', now, timezone)?.until;
  return {
    ...query,
    ...filters,
    ...(timezone !== undefined && { timezone }),
    ...(since !== undefined && { since: readTime('since', since, now, timezone) }),
    ...(end !== undefined && { until: readTime('until', end, now, timezone) }),
  };
}
