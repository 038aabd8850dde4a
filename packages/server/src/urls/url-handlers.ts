import { ApiError, invalidField } from '../contract/api-error.js';
import type { Caller, LinkOwner } from '../contract/caller.js';
import type { Scope } from '../contract/define-route.js';
import type { ReadPage } from '../contract/json-text.js';
import { parseInput } from '../contract/parse-input.js';
import type { HandlersOf } from '../http/handlers.js';
import { openPage } from '../http/open-page.js';
import {
  type IdempotentResult,
  requireFound,
  type WriteContext,
} from '../idempotency/with-idempotency-key.js';
import { shortUrlOf } from '../network/link-origins.js';
import type { Clock } from '../ports.js';
import { customSlug } from './link-fields.js';
import { type Outcome, requireWritten, urlNotFound } from './link-outcomes.js';
import { toRecord, type UrlListItem, type UrlPresentation, type UrlRecord } from './present-url.js';
import type { ShortUrl } from './short-url.js';
import { type UrlBulkHandlerOptions, urlBulkHandlers } from './url-bulk-handlers.js';
import type { UrlFilter, UrlPageQuery, UrlUpdateRequest, urlRoutes } from './url-contract.js';
import { parseShortUrl } from './url-keys.js';
import type { UrlReader } from './url-reader.js';
import { withOwnDomain } from './url-writer.js';

export interface UrlHandlerOptions extends UrlBulkHandlerOptions {
  readonly clock: Clock;
  readonly urls: UrlReader;
  readonly listUrls: ReadPage<UrlRecord | UrlListItem, UrlFilter, [presentation: UrlPresentation]>;
  /** Erases a link, and returns what `present` returns of it; null if there is none. */
  readonly eraseUrl: <Presented>(
    id: number,
    present: (url: ShortUrl) => Presented,
    context: WriteContext,
  ) => Promise<IdempotentResult<Presented | null>>;
}

// The most short URLs in the message about a slug of several links.
const maxNamedUrls = 5;

export function urlHandlers(options: UrlHandlerOptions): HandlersOf<typeof urlRoutes> {
  const { urls, writer, origins, clock } = options;
  const presentAt = (now: number) => (url: ShortUrl) => toRecord(origins(), url, now);

  const replyWith = (url: ShortUrl) => ({ status: 200, data: presentAt(clock())(url) });

  async function updateOne(id: number, body: UrlUpdateRequest, context: WriteContext) {
    const items = [{ body: { ...body, id } }];
    return replyWithLink(await writer.update(items, presentAt(context.now), context));
  }

  return {
    ...urlBulkHandlers(options),

    async listUrls({ caller, query: { view, ...query } }) {
      const { filter, reply } = openUrlPage(caller, query);
      const presentation = { view, origins: origins(), now: clock() };
      return reply(await options.listUrls(caller.organizationId, filter, presentation));
    },

    async createUrl({ body, context }) {
      return replyWithLink(await writer.create([{ body }], presentAt(context.now), context));
    },

    async lookupUrl({ caller, query: { shortUrl } }) {
      let found: readonly ShortUrl[] = [];
      for (const name of parseShortUrl(shortUrl)) {
        if (found.length === 0) found = await urls.findByName(caller, name);
      }
      const [url, ...others] = found;
      if (!url) throw urlNotFound(shortUrl);
      if (others.length > 0) {
        const all = [url, ...others].slice(0, maxNamedUrls);
        const shortUrls = all.map((each) => shortUrlOf(origins(), each)).join(', ');
        const message = `names several links: send one of their short URLs, such as ${shortUrls}`;
        throw invalidField('shortUrl', message);
      }
      return replyWith(url);
    },

    async checkSlug({ caller, query: { slug, ...query } }) {
      const { domainId = null } = withOwnDomain(caller, query);
      const isFree = await urls.isSlugFree(caller, slug, domainId);
      const parsed = parseInput(customSlug, slug);
      const refuse = (reason: 'INVALID' | 'RESERVED' | 'TAKEN', message: string) => {
        return { status: 200, data: { slug, isAvailable: false, reason, message } } as const;
      };
      if (!parsed.ok) return refuse('INVALID', parsed.details[0]?.message ?? 'is no slug');
      if (writer.findReserved({ customSlug: slug }))
        return refuse('RESERVED', 'is a reserved word');
      if (!isFree) return refuse('TAKEN', 'is taken on this domain');
      return { status: 200, data: { slug, isAvailable: true, reason: null, message: null } };
    },

    getUrlByExternalId: async ({ caller, params: { externalId } }) =>
      replyWith(await urls.getByExternalId(caller, externalId)),

    async upsertUrl({ params: { externalId }, body, context }) {
      return replyWithLink(await writer.upsert(externalId, body, presentAt(context.now), context));
    },

    getUrl: async ({ caller, params }) => replyWith(await urls.get(caller, params.id)),

    updateUrl: ({ params: { id }, body, context }) => updateOne(id, body, context),

    restoreUrl: ({ params: { id }, context }) => updateOne(id, { isActive: true }, context),

    async deleteUrl({ caller, params: { id }, query: { erase }, context }) {
      checkDeletionScope(caller, erase);
      const present = presentAt(context.now);
      const deleted = erase
        ? await options.eraseUrl(id, present, context)
        : await writer.delete([id], ([url]) => (url ? present(url) : null), context);
      const { result, replayed } = requireFound(deleted, 'URL', id);
      return { status: 200, replayed, data: result };
    },
  };
}

/** Returns the response of a write of one link. Throws an ApiError if it was refused. */
function replyWithLink<Presented>({ result, replayed }: IdempotentResult<Outcome<Presented>[]>) {
  const { status, presented } = requireWritten(result, replayed);
  return { status: status === 'created' ? 201 : 200, replayed, data: presented } as const;
}

/** Throws if the caller may not delete links, or not erase them. */
function checkDeletionScope({ scopes }: Caller, erase: boolean): void {
  const needed: Scope = erase ? 'urls:erase' : 'urls:write';
  if (scopes.has(needed)) return;
  throw new ApiError('INSUFFICIENT_SCOPE', `The access token needs the scope ${needed}`);
}

// The rows before a page are in memory while they are sorted.
const maxSortedOffset = 10_000;
const sortedOffsetMessage = `must be at most ${maxSortedOffset} unless links are sorted by createdAt: use after`;

/** Opens a page of links. Throws VALIDATION_FAILED for a range that the order does not allow. */
function openUrlPage({ restriction }: LinkOwner, query: UrlPageQuery) {
  if (query.sort !== 'createdAt' && (query.offset ?? 0) > maxSortedOffset) {
    throw invalidField('offset', sortedOffsetMessage);
  }
  const { isDeleted = query.isActive === false ? undefined : false } = query;
  return openPage({ ...query, isDeleted, restriction }, 'integer');
}
