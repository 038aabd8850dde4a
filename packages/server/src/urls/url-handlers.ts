import { ApiError, validationError } from '../contract/api-error.js';
import type { Caller } from '../contract/caller.js';
import type { Scope } from '../contract/define-route.js';
import { parseInput } from '../contract/parse-input.js';
import type { HandlersOf } from '../http/handlers.js';
import {
  contextOf,
  type IdempotentResult,
  type WriteContext,
} from '../idempotency/with-idempotency-key.js';
import { newUrl } from './change-url.js';
import { customSlug } from './link-fields.js';
import { shortUrlOf } from './link-origins.js';
import { notShortUrlMessage, parseShortUrl } from './parse-short-url.js';
import { toRecord, type UrlRecord } from './present-url.js';
import type { ShortUrl } from './short-url.js';
import { type UrlBulkHandlerOptions, urlBulkHandlers } from './url-bulk-handlers.js';
import type { UrlUpdateRequest, urlRoutes } from './url-contract.js';
import { type UrlListHandlerOptions, urlListHandlers } from './url-list-handlers.js';
import { invalidItem, refusalError, slugReservedError } from './url-refusals.js';
import { UrlService, type UrlServiceOptions, withOwnDomain } from './url-service.js';
import type { Creation, UpdateOutcome, UpsertOutcome } from './url-write.js';

export interface UrlHandlerOptions
  extends UrlServiceOptions,
    UrlListHandlerOptions,
    UrlBulkHandlerOptions {
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
  const { urls, origins, clock } = options;
  const service = new UrlService(options);

  async function updateOne(id: number, body: UrlUpdateRequest, context: WriteContext) {
    const { write, now } = context;
    const present = (url: ShortUrl) => toRecord(origins(), url, now);
    const { result, replayed } =
      (await service.findFirstResult<UpdateOutcome<UrlRecord>[]>([body], write)) ??
      (await service.updateAll([{ ...body, id }], present, context));
    const [outcome = { status: 'not-found' }] = result;
    if (outcome.status === 'refused') throw validationError([outcome.error]);
    if (outcome.status !== 'updated')
      throw refusalError(outcome.status, { ...body, ...outcome, id }, replayed);
    return { status: 200, replayed, data: outcome.presented } as const;
  }

  return {
    ...urlListHandlers(options),
    ...urlBulkHandlers(service, options),

    async createUrl({ caller, body: given, write }) {
      const now = clock();
      const body = withOwnDomain(caller, given);
      const [stateError] = await service.findStateErrors([body], now);
      // A repeated request gets its first result, even if `expiresAt` has passed since then.
      if (stateError && !write?.idempotency) throw validationError([stateError]);
      const reserved = service.findReserved(body);
      if (reserved) throw slugReservedError(reserved, body);
      const item = stateError ? { error: invalidItem([stateError]) } : { body };
      const { result, replayed } =
        (await service.findFirstResult<Creation>([body], write)) ??
        (await service.createAll(caller, [item], now, write));
      const [outcome] = result.outcomes;
      if (!outcome || outcome.status === 'invalid') {
        throw validationError(outcome?.details ?? []);
      }
      if (outcome.status === 'existing') {
        const url = await urls.get(caller, outcome.id);
        return { status: 200, replayed, data: toRecord(origins(), url, now) };
      }
      if (outcome.status !== 'created')
        throw refusalError(outcome.status, { ...body, ...outcome }, replayed);
      // The same record as of the first request, because a repeated one has the same body.
      const { createdAt, createdBy } = result;
      const { id, shortCode, hostname = null } = outcome;
      // A record says only whether there is a password.
      const draft = { body, passwordHash: body.password == null ? null : '' };
      const { organizationId } = caller;
      const identity = { id, organizationId, shortCode, hostname, createdBy };
      const url = newUrl(draft, identity, createdAt);
      return { status: 201, replayed, data: toRecord(origins(), url, createdAt) };
    },

    async lookupUrl({ caller, query: { shortUrl } }) {
      const names = parseShortUrl(shortUrl);
      if (names.length === 0) {
        throw validationError([{ path: 'shortUrl', message: notShortUrlMessage(shortUrl) }]);
      }
      let found: readonly ShortUrl[] = [];
      for (const name of names) {
        if (found.length === 0) found = await urls.findByName(caller, name);
      }
      const [url, ...others] = found;
      if (!url) throw refusalError('not-found', { id: shortUrl });
      if (others.length > 0) {
        const all = [url, ...others].slice(0, maxNamedUrls);
        const shortUrls = all.map((each) => shortUrlOf(origins(), each)).join(', ');
        const message = `names several links: send one of their short URLs, such as ${shortUrls}`;
        throw validationError([{ path: 'shortUrl', message }]);
      }
      return { status: 200, data: toRecord(origins(), url, clock()) };
    },

    async checkSlug({ caller, query: { slug, ...query } }) {
      const { domainId = null } = withOwnDomain(caller, query);
      const isFree = await urls.isSlugFree(caller, slug, domainId);
      if (isFree === undefined) throw refusalError('domain-invalid', { domainId });
      const parsed = parseInput(customSlug, slug);
      const refuse = (reason: 'INVALID' | 'RESERVED' | 'TAKEN', message: string) => {
        return { status: 200, data: { slug, isAvailable: false, reason, message } } as const;
      };
      if (!parsed.ok) return refuse('INVALID', parsed.details[0]?.message ?? 'is no slug');
      const body = { customSlug: slug };
      if (service.findReserved(body)) return refuse('RESERVED', 'is a reserved word');
      if (!isFree) return refuse('TAKEN', 'is taken on this domain');
      return { status: 200, data: { slug, isAvailable: true, reason: null, message: null } };
    },

    async getUrlByExternalId({ caller, params: { externalId } }) {
      const url = await urls.getByExternalId(caller, externalId);
      return { status: 200, data: toRecord(origins(), url, clock()) };
    },

    async upsertUrl({ caller, params: { externalId }, body: given, write }) {
      const now = clock();
      const body = withOwnDomain(caller, given);
      const reserved = service.findReserved(body);
      if (reserved) throw slugReservedError(reserved, body);
      const present = (url: ShortUrl) => toRecord(origins(), url, now);
      const { result: outcome, replayed } =
        (await service.findFirstResult<UpsertOutcome<UrlRecord>>([body], write)) ??
        (await service.upsert(externalId, body, present, contextOf(caller, now, write)));
      if (outcome.status === 'refused') throw validationError([outcome.error]);
      if (outcome.status === 'created' || outcome.status === 'updated') {
        const status = outcome.status === 'created' ? 201 : 200;
        return { status, replayed, data: outcome.presented };
      }
      throw refusalError(
        outcome.status,
        { ...body, ...outcome, externalId, id: externalId },
        replayed,
      );
    },

    async getUrl({ caller, params }) {
      const url = await urls.get(caller, params.id);
      return { status: 200, data: toRecord(origins(), url, clock()) };
    },

    async updateUrl({ caller, params: { id }, body, write, ifMatch }) {
      return updateOne(id, body, contextOf(caller, clock(), write, ifMatch));
    },

    async restoreUrl({ caller, params: { id }, write }) {
      return updateOne(id, { isActive: true }, contextOf(caller, clock(), write));
    },

    async deleteUrl({ caller, params: { id }, query: { erase }, write, ifMatch }) {
      const now = clock();
      const context = contextOf(caller, now, write, ifMatch);
      checkDeletionScope(caller, erase);
      if (erase) {
        const present = (url: ShortUrl) => toRecord(origins(), url, now);
        const { result, replayed } = await options.eraseUrl(id, present, context);
        if (!result) throw refusalError('not-found', { id }, replayed);
        return { status: 200, replayed, data: result };
      }
      const present = ([url]: readonly ShortUrl[]) => (url ? toRecord(origins(), url, now) : null);
      const { result, replayed } = await service.deleteAll([id], present, context);
      if (!result) throw refusalError('not-found', { id }, replayed);
      return { status: 200, replayed, data: result };
    },
  };
}

/** Throws if the caller may not delete links, or not erase them. */
function checkDeletionScope({ scopes }: Caller, erase: boolean): void {
  const needed: Scope = erase ? 'urls:erase' : 'urls:write';
  if (scopes.has(needed)) return;
  throw new ApiError('INSUFFICIENT_SCOPE', `The access token needs the scope ${needed}`);
}
