import type { z } from 'zod';
import type { Passwords } from '../auth/passwords.js';
import { ApiError, shorten, summarize, validationError } from '../contract/api-error.js';
import type { Caller } from '../contract/caller.js';
import type { Scope } from '../contract/define-route.js';
import type { ErrorDetail } from '../contract/errors.js';
import { parseUrlId } from '../contract/fields.js';
import type { PageText } from '../contract/json-text.js';
import { parseInput } from '../contract/parse-input.js';
import type { HandlersOf } from '../http/handlers.js';
import { openPage } from '../http/open-page.js';
import type { IdempotentResult, WriteRequest } from '../idempotency/with-idempotency-key.js';
import type { Clock } from '../ports.js';
import { ListTimeoutError } from '../storage/database.js';
import { listTimeoutMs } from '../storage/list-page.js';
import { TimeSlices } from '../yield-to-event-loop.js';
import { findExpiryError, patchUrl, timesAfter, type UrlChange, upsertUrl } from './change-url.js';
import { blockedMessage } from './host-rules.js';
import { findUnreachableRuleError, targetsOf } from './link-rules.js';
import { notShortUrlMessage, parseShortUrl } from './loop-detector.js';
import {
  type LinkOrigins,
  shortUrlOf,
  toListItem,
  toRecord,
  type UrlPresentation,
} from './present-url.js';
import type { ShortUrl } from './short-url.js';
import {
  type urlBulkCreateResult,
  urlBulkUpdateItem,
  type urlBulkUpdateResult,
} from './url-bulk-contract.js';
import {
  type UrlCreateRequest,
  type UrlUpdateRequest,
  type UrlUpsertRequest,
  urlCreateRequest,
  type urlRoutes,
} from './url-contract.js';
import type { ExportPage, UrlExportPresentation } from './url-export.js';
import { findPasswordError } from './url-fields.js';
import type { UrlFilter, UrlPageQuery } from './url-list-contract.js';
import { defaultDirectionOf } from './url-query.js';
import type { urlListItem, urlRecord } from './url-records.js';
import {
  bulkCreateError,
  bulkUpdateError,
  type RefusedFields,
  refusalError,
} from './url-refusals.js';
import type { UrlRepository } from './url-repository.js';
import type {
  CreateContext,
  CreateOutcome,
  Creation,
  UpdateOutcome,
  UpsertOutcome,
  WriteContext,
} from './url-write.js';

export interface UrlHandlerOptions {
  readonly urls: UrlRepository;
  readonly passwords: Pick<Passwords, 'assertCapacity' | 'hashAll'>;
  readonly listUrls: (
    organizationId: string,
    filter: UrlFilter,
    presentation: UrlPresentation,
  ) => Promise<PageText<UrlRecord> | PageText<UrlListItem>>;
  readonly exportUrls: (
    organizationId: string,
    filter: UrlFilter,
    presentation: UrlExportPresentation,
  ) => Promise<ExportPage>;
  readonly origins: () => LinkOrigins;
  readonly clock: Clock;
  readonly newShortCode: () => string;
  readonly isReserved: (word: string) => boolean;
  /** Erases a link, and returns what `present` returns of it; null if there is none. */
  readonly eraseUrl: <Presented>(
    id: number,
    present: (url: ShortUrl) => Presented,
    context: WriteContext,
  ) => Promise<IdempotentResult<Presented | null>>;
  /** Returns the host that the operator has blocked, to which a target leads. */
  readonly findBlockedHost: (targetUrl: string) => string | undefined;
  /**
   * Called after links were created, and with the ids of changed ones, before the response, so that the
   * next redirect uses the new state.
   */
  readonly onChanged: (ids: readonly number[]) => void;
}

/** An item of a bulk request: valid, or the error message of an invalid one. */
type CheckedItem<Body> = { readonly body: Body } | { readonly error: string };

type UrlRecord = z.input<typeof urlRecord>;
type UrlListItem = z.input<typeof urlListItem>;

// The most short URLs in the message about a slug of several links.
const maxNamedUrls = 5;

// The rows before a page are in memory while they are sorted.
const maxSortedOffset = 10_000;
const sortedOffsetMessage = `must be at most ${maxSortedOffset} unless links are sorted by createdAt: use after`;
const sortTimeoutMessage = `takes longer than ${listTimeoutMs / 1_000} s: sort by createdAt, or list fewer links by createdSince and createdUntil`;

const searchTimeoutMessage = `takes longer than ${listTimeoutMs / 1_000} s: search for a longer text, or add a filter (domainId, category, tag, isActive)`;

/** Validates, creates, changes and reads links. */
export function urlHandlers(options: UrlHandlerOptions): HandlersOf<typeof urlRoutes> {
  const { urls, passwords, listUrls, exportUrls, origins, clock, newShortCode, onChanged } =
    options;

  function isReserved({ customSlug }: Pick<UrlCreateRequest, 'customSlug'>): boolean {
    return customSlug != null && options.isReserved(customSlug);
  }

  /** Returns why the server accepts no link like this now, although the request is valid. */
  function findStateError(
    body: Pick<
      UrlUpdateRequest,
      'activatesAt' | 'expiresAt' | 'targetUrl' | 'expiredUrl' | 'rules'
    >,
    now: number,
    stored?: Pick<ShortUrl, 'activatesAt' | 'expiresAt' | 'rules'>,
  ): ErrorDetail | undefined {
    const { rules } = body;
    for (const { path, targetUrl } of targetsOf(body)) {
      const host = options.findBlockedHost(targetUrl);
      if (host === undefined) continue;
      const message = `${shorten(targetUrl)} ${blockedMessage(host)}`;
      return { path, message };
    }
    const expiryError = findExpiryError(body, now);
    if (expiryError || !rules) return expiryError;
    const window = { now, ...timesAfter(body, stored) };
    return findUnreachableRuleError(rules, window, stored?.rules);
  }

  function checkNewItem(item: unknown, now: number): CheckedItem<UrlCreateRequest> {
    const checked = checkItem(urlCreateRequest, item);
    if ('error' in checked) return checked;
    const error = findStateError(checked.body, now);
    if (error) return { error: summarize([error]) };
    return isReserved(checked.body) ? { error: reservedMessage(checked.body) } : checked;
  }

  /** Returns the stored result of a repeated request with passwords, which avoids hashing them again. */
  async function findFirstResult<Result>(
    items: readonly unknown[],
    write: WriteRequest | undefined,
  ): Promise<IdempotentResult<Result> | undefined> {
    if (!write?.idempotency || countPasswords(items) === 0) return undefined;
    return urls.findFirstResult(write);
  }

  /** Creates the valid items. An invalid item does not affect the others. */
  async function createAll(
    organizationId: string,
    items: readonly CheckedItem<UrlCreateRequest>[],
    now: number,
    write: WriteRequest | undefined,
  ): Promise<IdempotentResult<Creation>> {
    const hashes = await hashPasswords(organizationId, validOf(items));
    const drafts = items.map((item) =>
      'body' in item ? { ...item, passwordHash: hashes.shift() ?? null } : item,
    );
    try {
      return await urls.createMany(drafts, { organizationId, now, newShortCode, write });
    } finally {
      onChanged([]);
    }
  }

  async function updateAll<Presented>(
    changes: readonly (UrlUpdateRequest & { readonly id: number })[],
    present: (url: ShortUrl) => Presented,
    context: WriteContext,
  ): Promise<IdempotentResult<UpdateOutcome<Presented>[]>> {
    const { organizationId, now } = context;
    const ids = changes.map(({ id }) => id);
    const hashes = await hashPasswords(organizationId, changes);
    const change = (url: ShortUrl, index: number): UrlChange => {
      const { id: _, ...patch } = changes[index] as (typeof changes)[number];
      const error = findStateError(patch, now, url);
      return error ? { ok: false, error } : patchUrl(url, patch, hashes[index] ?? null, now);
    };
    try {
      return await urls.updateMany(ids, change, present, context);
    } finally {
      // Also after an error, because the commit may have succeeded before the connection failed.
      onChanged(ids);
    }
  }

  /** Creates the link with an external id, or changes the link that has it. */
  async function upsert<Presented>(
    externalId: string,
    body: UrlUpsertRequest,
    present: (url: ShortUrl) => Presented,
    context: CreateContext,
  ): Promise<IdempotentResult<UpsertOutcome<Presented>>> {
    const { organizationId, now } = context;
    const [passwordHash = null] = await hashPasswords(organizationId, [body]);
    const isProtected = body.isPasswordProtected === true;
    const error =
      findStateError(body, now) ?? findPasswordError(isProtected, passwordHash !== null, false);
    const draft = error ? { error } : { body: { ...body, externalId }, passwordHash };
    const change = (url: ShortUrl): UrlChange => {
      const error = findStateError(body, now, url);
      return error ? { ok: false, error } : upsertUrl(url, body, passwordHash, now);
    };
    let existingId: number | undefined;
    const onFound = (id: number) => {
      existingId = id;
    };
    try {
      return await urls.upsert(externalId, draft, change, present, onFound, context);
    } finally {
      // Also after an error, because the commit may have succeeded before the connection failed.
      if (existingId !== undefined) onChanged([existingId]);
    }
  }

  /** Deletes links. `present` gets those of the organization. */
  async function deleteAll<Presented>(
    ids: readonly number[],
    present: (urls: readonly ShortUrl[]) => Presented,
    context: WriteContext,
  ): Promise<IdempotentResult<Presented>> {
    try {
      return await urls.deleteMany(ids, present, context);
    } finally {
      onChanged(ids);
    }
  }

  async function updateOne(id: number, body: UrlUpdateRequest, context: WriteContext) {
    const { write, now } = context;
    const present = (url: ShortUrl) => toRecord(origins(), url, now);
    const { result, replayed } =
      (await findFirstResult<UpdateOutcome<UrlRecord>[]>([body], write)) ??
      (await updateAll([{ ...body, id }], present, context));
    const [outcome = { status: 'not-found' }] = result;
    if (outcome.status === 'refused') throw validationError([outcome.error]);
    if (outcome.status !== 'updated')
      throw refusalError(outcome.status, { ...body, ...outcome, id }, replayed);
    return { status: 200, replayed, data: outcome.presented } as const;
  }

  /** Returns the hash of each body's password; null where there is none. */
  async function hashPasswords(
    organizationId: string,
    bodies: readonly { readonly password?: string | null | undefined }[],
  ): Promise<(string | null)[]> {
    const given = bodies.flatMap(({ password }) => (password ? [password] : []));
    const hashes = given.length === 0 ? [] : await passwords.hashAll(organizationId, given);
    return bodies.map(({ password }) => (password ? (hashes.shift() ?? null) : null));
  }

  return {
    async createUrl({ caller: { organizationId }, body, write }) {
      const now = clock();
      const stateError = findStateError(body, now);
      // A repeated request gets its first result, even if `expiresAt` has passed since then.
      if (stateError && !write?.idempotency) throw validationError([stateError]);
      if (isReserved(body)) throw slugReservedError(body);
      const item = stateError ? { error: stateError.message } : { body };
      const { result, replayed } =
        (await findFirstResult<Creation>([body], write)) ??
        (await createAll(organizationId, [item], now, write));
      const [outcome] = result.outcomes;
      if (!outcome || outcome.status === 'invalid') {
        throw validationError(stateError ? [stateError] : []);
      }
      if (outcome.status === 'existing') {
        const link = toNewLink(origins(), outcome, { ...body, customSlug: outcome.customSlug });
        const createdAt = new Date(outcome.createdAt).toISOString();
        return { status: 200, replayed, data: { ...link, organizationId, createdAt } };
      }
      if (outcome.status !== 'created')
        throw refusalError(outcome.status, { ...body, ...outcome }, replayed);
      const link = toNewLink(origins(), outcome, body);
      const createdAt = new Date(result.createdAt).toISOString();
      return { status: 201, replayed, data: { ...link, organizationId, createdAt } };
    },

    async bulkCreateUrls({ caller: { organizationId }, body: { urls: items }, write }) {
      let creation = await findFirstResult<Creation>(items, write);
      if (!creation) {
        passwords.assertCapacity(organizationId, countPasswords(items));
        const now = clock();
        const checked = await mapInSlices(items, (item) => checkNewItem(item, now));
        creation = await createAll(organizationId, checked, now, write);
      }
      const { result, replayed } = creation;
      const linkOrigins = origins();
      const created: z.input<typeof urlBulkCreateResult>['created'] = [];
      const errors: z.input<typeof urlBulkCreateResult>['errors'] = [];
      for (const [index, outcome] of result.outcomes.entries()) {
        if (outcome.status === 'invalid') {
          errors.push({ index, error: outcome.error, code: 'CREATE_FAILED' });
          continue;
        }
        // The item is valid, because its outcome is not 'invalid'.
        const item = items[index] as Pick<UrlCreateRequest, 'targetUrl' | 'customSlug'>;
        if (outcome.status === 'created') {
          created.push({ index, ...toNewLink(linkOrigins, outcome, item) });
        } else if (outcome.status === 'existing') {
          const { customSlug } = outcome;
          const link = toNewLink(linkOrigins, outcome, { ...item, customSlug });
          created.push({ index, ...link, isExisting: true });
        } else {
          errors.push({ index, ...bulkCreateError(outcome.status, { ...item, ...outcome }) });
        }
      }
      return {
        status: created.length > 0 ? 201 : 207,
        replayed,
        data: {
          requested: items.length,
          createdCount: created.length,
          failedCount: errors.length,
          created,
          errors,
        },
      };
    },

    async listUrls({ caller: { organizationId }, query: { view, ...query } }) {
      const { filter, reply } = openUrlPage(organizationId, query);
      const presentation = { view, origins: origins(), now: clock() };
      return reply(
        await listUrls(organizationId, filter, presentation).catch((error) =>
          refuseSlowList(error, query),
        ),
      );
    },

    async exportUrls({ caller: { organizationId }, query: { format, ...query } }) {
      const { filter, describe } = openUrlPage(organizationId, query);
      const presentation = { format, origins: origins(), now: clock() };
      const page = await exportUrls(organizationId, filter, presentation).catch((error) =>
        refuseSlowList(error, query),
      );
      const head = JSON.stringify({ ...describe(page), count: page.count }).slice(0, -1);
      return { status: 200, json: `${head},"text":${page.text}}` };
    },

    async lookupUrl({ caller, query: { shortUrl } }) {
      const name = parseShortUrl(shortUrl);
      if (!name) {
        throw validationError([{ path: 'shortUrl', message: notShortUrlMessage(shortUrl) }]);
      }
      const [url, ...others] = await urls.findByName(caller.organizationId, name);
      if (!url) throw refusalError('not-found', { id: shortUrl });
      if (others.length > 0) {
        const all = [url, ...others].slice(0, maxNamedUrls);
        const shortUrls = all.map((each) => shortUrlOf(origins(), each)).join(', ');
        const message = `names several links: send one of their short URLs, such as ${shortUrls}`;
        throw validationError([{ path: 'shortUrl', message }]);
      }
      return { status: 200, data: toRecord(origins(), url, clock()) };
    },

    async getUrlByExternalId({ caller, params: { externalId } }) {
      const url = await urls.getByExternalId(caller.organizationId, externalId);
      return { status: 200, data: toRecord(origins(), url, clock()) };
    },

    async upsertUrl({ caller: { organizationId }, params: { externalId }, body, write }) {
      const now = clock();
      if (isReserved(body)) throw slugReservedError(body);
      const present = (url: ShortUrl) => toRecord(origins(), url, now);
      const { result: outcome, replayed } =
        (await findFirstResult<UpsertOutcome<UrlRecord>>([body], write)) ??
        (await upsert(externalId, body, present, {
          organizationId,
          now,
          newShortCode,
          write,
        }));
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
      const url = await urls.get(caller.organizationId, params.id);
      return { status: 200, data: toRecord(origins(), url, clock()) };
    },

    async updateUrl({ caller: { organizationId }, params: { id }, body, write, ifMatch }) {
      return updateOne(id, body, { organizationId, now: clock(), write, ifMatch });
    },

    async restoreUrl({ caller: { organizationId }, params: { id }, write }) {
      return updateOne(id, { isActive: true }, { organizationId, now: clock(), write });
    },

    async bulkUpdateUrls({ caller: { organizationId }, body: { updates: items }, write }) {
      const now = clock();
      let update = await findFirstResult<UpdateOutcome<UrlListItem>[]>(items, write);
      if (!update) passwords.assertCapacity(organizationId, countPasswords(items));
      const checked = await mapInSlices(items, (item) => checkItem(urlBulkUpdateItem, item));
      update ??= await updateAll(validOf(checked), (url) => toListItem(origins(), url, now), {
        organizationId,
        now,
        write,
      });
      const { result: outcomes, replayed } = update;
      const updated: z.input<typeof urlBulkUpdateResult>['updated'] = [];
      const errors: z.input<typeof urlBulkUpdateResult>['errors'] = [];
      for (const [index, item] of checked.entries()) {
        if ('error' in item) {
          errors.push({ index, id: idOf(items[index]), error: item.error, code: 'UPDATE_FAILED' });
          continue;
        }
        const outcome = outcomes.shift() as UpdateOutcome<UrlListItem>;
        const id = String(item.body.id);
        if (outcome.status === 'updated') {
          updated.push({ index, ...outcome.presented });
        } else if (outcome.status === 'refused') {
          errors.push({ index, id, error: summarize([outcome.error]), code: 'UPDATE_FAILED' });
        } else {
          errors.push({
            index,
            id,
            ...bulkUpdateError(outcome.status, { ...item.body, ...outcome }),
          });
        }
      }
      return {
        status: updated.length > 0 ? 200 : 207,
        replayed,
        data: {
          requested: items.length,
          updatedCount: updated.length,
          failedCount: errors.length,
          updated,
          errors,
        },
      };
    },

    async deleteUrl({ caller, params: { id }, query: { erase }, write, ifMatch }) {
      const { organizationId } = caller;
      const now = clock();
      checkDeletionScope(caller, erase);
      if (erase) {
        const present = (url: ShortUrl) => toRecord(origins(), url, now);
        const { result, replayed } = await options.eraseUrl(id, present, {
          organizationId,
          now,
          write,
          ifMatch,
        });
        if (!result) throw refusalError('not-found', { id }, replayed);
        return { status: 200, replayed, data: result };
      }
      const present = ([url]: readonly ShortUrl[]) => (url ? toRecord(origins(), url, now) : null);
      const context = { organizationId, now, write, ifMatch };
      const { result, replayed } = await deleteAll([id], present, context);
      if (!result) throw refusalError('not-found', { id }, replayed);
      return { status: 200, replayed, data: result };
    },

    async bulkDeleteUrls({ caller: { organizationId }, query, body, write }) {
      if (query.ids && body) {
        throw validationError([
          { path: 'ids', message: 'must come in the query or in the body, not in both' },
        ]);
      }
      const given = query.ids ?? body?.ids;
      if (!given) {
        throw validationError([
          { path: 'ids', message: 'is required, in the query or in the body' },
        ]);
      }
      const elements = [...new Set(given.map(idText))];
      const ids = elements.map(parseUrlId).filter((id) => id !== undefined);
      const { result, replayed } = await deleteAll(ids, (found) => found.map(({ id }) => id), {
        organizationId,
        now: clock(),
        write,
      });
      const deleted = new Set(result.map(String));
      const deletedIds = elements.filter((element) => deleted.has(element));
      const skippedIds = elements.filter((element) => !deleted.has(element));
      return {
        status: 200,
        replayed,
        data: {
          requested: elements.length,
          deletedCount: deletedIds.length,
          skippedCount: skippedIds.length,
          deletedIds,
          skippedIds,
        },
      };
    },
  };
}

/** Opens a page of links. Throws VALIDATION_FAILED for a range that the order does not allow. */
function openUrlPage(organizationId: string, query: UrlPageQuery) {
  const { sort, order = defaultDirectionOf(sort) } = query;
  if (sort !== 'createdAt' && (query.offset ?? 0) > maxSortedOffset) {
    throw validationError([{ path: 'offset', message: sortedOffsetMessage }]);
  }
  const keys = sort === 'title' ? 'text' : 'integer';
  const list = { name: 'urls', organizationId, ids: 'integer', keys } as const;
  return openPage(list, { ...query, order });
}

/** Throws a client error for a list that timed out, because a repeated one would take as long again. */
function refuseSlowList(error: unknown, { search, sort }: UrlPageQuery): never {
  if (error instanceof ListTimeoutError && search !== undefined) {
    throw validationError([{ path: 'search', message: searchTimeoutMessage }]);
  }
  if (error instanceof ListTimeoutError && sort !== 'createdAt') {
    throw validationError([{ path: 'sort', message: sortTimeoutMessage }]);
  }
  throw error;
}

/** Returns the parts of a new link that were generated, and those that its request contains. */
function toNewLink(
  origins: LinkOrigins,
  { id, shortCode, hostname }: Extract<CreateOutcome, { status: 'created' | 'existing' }>,
  { targetUrl, customSlug = null }: Pick<UrlCreateRequest, 'targetUrl' | 'customSlug'>,
) {
  const shortUrl = shortUrlOf(origins, { shortCode, customSlug, hostname });
  return { id: String(id), shortCode, targetUrl, customSlug, shortUrl };
}

function checkItem<Schema extends z.ZodType>(
  schema: Schema,
  item: unknown,
): CheckedItem<z.output<Schema>> {
  const parsed = parseInput(schema, item);
  if (parsed.ok) return { body: parsed.value };
  return { error: summarize(parsed.details, { subject: 'The item', count: parsed.count }) };
}

function validOf<Body>(items: readonly CheckedItem<Body>[]): Body[] {
  return items.flatMap((item) => ('body' in item ? [item.body] : []));
}

/** Maps items in time slices, so that redirects are served in between. */
async function mapInSlices<Item, Result>(
  items: readonly Item[],
  map: (item: Item) => Result,
): Promise<Result[]> {
  const slices = new TimeSlices();
  const results: Result[] = [];
  for (const item of items) {
    if (slices.isOver) await slices.next();
    results.push(map(item));
  }
  return results;
}

/** Counts the items with a password, before they are validated. */
function countPasswords(items: readonly unknown[]): number {
  return items.filter(
    (item) => typeof (item as { password?: unknown } | null)?.password === 'string',
  ).length;
}

/** Throws if the caller may not delete links, or not erase them. */
function checkDeletionScope({ scopes }: Caller, erase: boolean): void {
  const needed: Scope = erase ? 'urls:erase' : 'urls:write';
  if (scopes.has(needed)) return;
  throw new ApiError('INSUFFICIENT_SCOPE', `The access token needs the scope ${needed}`);
}

function slugReservedError(body: RefusedFields): ApiError {
  return new ApiError('SLUG_RESERVED', reservedMessage(body), {
    details: [{ path: 'customSlug', message: 'is a reserved word' }],
  });
}

function reservedMessage({ customSlug }: RefusedFields): string {
  return `customSlug "${customSlug}" is a reserved word; choose another`;
}

/** Returns an element of a bulk delete as text. Only an id that is correct is the text of an id. */
function idText(element: unknown): string {
  const isPlain = typeof element === 'string' || typeof element === 'number';
  return shorten(isPlain ? String(element) : JSON.stringify(element));
}

// An invalid id may be any text. A longer one is not repeated in the response.
const maxReturnedIdLength = 100;

/** Returns the id of an invalid item; null when it has none, or one that is too long. */
function idOf(item: unknown): string | null {
  if (typeof item !== 'object' || item === null || !('id' in item)) return null;
  const id = typeof item.id === 'number' ? String(item.id) : item.id;
  return typeof id === 'string' && id.length <= maxReturnedIdLength ? id : null;
}
