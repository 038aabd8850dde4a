import type { Request } from 'express';
import { z } from 'zod';
import type { ApiError } from '../contract/api-error.js';
import type { UrlRecord } from '../urls/present-url.js';
import {
  type CompatOptions,
  type CompatReply,
  type CompatRoute,
  fieldsOf,
  findDomainId,
  jsonReply,
  readCompatJson,
} from './compat-api.js';

// Other fields, such as `crawlable` and `shortCodeLength`, are ignored.
const creation = z.looseObject({
  domain: z.string().nullish(),
  findIfExists: z.boolean().nullish(),
  maxVisits: z.number().nullish(),
});

/** The fields that only have another name here. */
const fieldNames: Readonly<Record<string, string>> = {
  targetUrl: 'longUrl',
  customSlug: 'customSlug',
  tags: 'tags',
  title: 'title',
  activatesAt: 'validSince',
  expiresAt: 'validUntil',
  maxClicks: 'maxVisits',
  forwardQuery: 'forwardQuery',
  domainId: 'domain',
};

const path = '/rest/v3/short-urls';

const hostOf = (domain: unknown, { origins }: CompatOptions) =>
  typeof domain === 'string' && !['', 'DEFAULT'].includes(domain) ? domain : origins().shortDomain;

const common = { keyField: 'X-Api-Key', fieldNames, refuse };

/** Shlink's `POST /rest/v3/short-urls` and `GET /rest/v3/short-urls/{code}`. */
export const shlinkRoutes: readonly CompatRoute[] = [
  {
    path,
    methods: ['POST'],
    respond: (request, response, options) =>
      options.doAsCaller(request.get('x-api-key'), request, response, async (call) => {
        const given = await readCompatJson(creation, response);
        const { domain, findIfExists, maxVisits } = given;
        const fields = Object.entries(fieldNames)
          .map(([name, shlinkName]) => [name, given[shlinkName]])
          .filter(([, value]) => value != null);
        const { data } = await call('createUrl', {
          body: {
            ...Object.fromEntries(fields),
            domainId: await findDomainId(options, hostOf(domain, options)),
            // A limited link is never shared.
            ifExists: findIfExists && maxVisits == null ? 'return' : null,
          },
        });
        return jsonReply(200, toShlink(data));
      }),
    ...common,
  },
  {
    // Imported codes have slashes, too.
    path: `${path}/*code`,
    methods: ['GET'],
    respond: (request, response, options) =>
      options.doAsCaller(request.get('x-api-key'), request, response, async (call) => {
        const shortUrl = `https://${hostOf(request.query.domain, options)}/${codeOf(request)}`;
        const { data } = await call('lookupUrl', { query: { shortUrl } });
        return jsonReply(200, toShlink(data));
      }),
    ...common,
  },
];

const codeOf = ({ params }: Request) => [params.code ?? []].flat().join('/');

function toShlink(url: UrlRecord) {
  const { shortUrl } = url;
  const clicks = url.clickCount + url.importedClicks;
  return {
    shortCode: url.customSlug ?? url.shortCode,
    shortUrl,
    longUrl: url.targetUrl,
    dateCreated: toAtom(url.createdAt),
    visitsSummary: { total: clicks, nonBots: clicks, bots: 0 },
    tags: url.tags,
    meta: {
      validSince: toAtom(url.activatesAt),
      validUntil: toAtom(url.expiresAt),
      maxVisits: url.maxClicks,
    },
    domain: url.domainId === null ? null : new URL(shortUrl).host,
    title: url.title,
    crawlable: false,
    forwardQuery: url.forwardQuery === true,
    hasRedirectRules: (url.rules ?? []).length > 0,
  };
}

const toAtom = (at: string | null) => at?.replace(/\.\d+Z$/, '+00:00') ?? null;

const types: Readonly<Partial<Record<ApiError['code'], readonly [type: string, title: string]>>> = {
  VALIDATION_FAILED: ['invalid-data', 'Invalid data'],
  DOMAIN_INVALID: ['invalid-data', 'Invalid data'],
  SLUG_RESERVED: ['non-unique-slug', 'Invalid custom slug'],
  SLUG_CONFLICT: ['non-unique-slug', 'Invalid custom slug'],
  NOT_FOUND: ['short-url-not-found', 'Short URL not found'],
  UNAUTHORIZED: ['invalid-api-key', 'Invalid API key'],
};

/** Returns an error as problem details, with the types that clients of Shlink know. */
function refuse(error: ApiError, request: Request): CompatReply {
  const isWithoutKey = error.code === 'UNAUTHORIZED' && request.get('x-api-key') === undefined;
  const [type, title] = isWithoutKey
    ? ['missing-authentication', 'Invalid authorization']
    : (types[error.code] ?? [error.code.toLowerCase().replaceAll('_', '-'), error.code]);
  const shortCode = codeOf(request);
  const status = error.code === 'SLUG_CONFLICT' ? 400 : error.status;
  const invalidElements = fieldsOf(error);
  const problem = {
    type: `https://shlink.io/api/error/${type}`,
    title,
    detail:
      type === 'short-url-not-found'
        ? `No URL found with short code "${shortCode}"`
        : error.message,
    status,
    ...(shortCode && { shortCode }),
    ...(invalidElements.length > 0 && { invalidElements }),
  };
  return jsonReply(status, problem, 'application/problem+json');
}
