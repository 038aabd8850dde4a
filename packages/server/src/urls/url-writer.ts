import type { Passwords } from '../auth/passwords.js';
import { type ApiError, validationError } from '../contract/api-error.js';
import type { LinkOwner } from '../contract/caller.js';
import type { AuditTarget } from '../idempotency/audit-entry.js';
import {
  findStoredResult,
  type IdempotentResult,
  type WriteContext,
  writeOnce,
} from '../idempotency/with-idempotency-key.js';
import type { Clock } from '../ports.js';
import type { Database, WriteTransaction } from '../storage/database.js';
import { mapInSlices } from '../yield-to-event-loop.js';
import { type Draft, findPasswordError, findTimeError, patchUrl, upsertUrl } from './change-url.js';
import type { findTargetErrors } from './check-target.js';
import { createUrls, type LinkWriteOptions } from './create-urls.js';
import {
  type KeyField,
  type Outcome,
  refused,
  slugReserved,
  urlNotFound,
} from './link-outcomes.js';
import { targetsOf } from './link-rules.js';
import type { ShortUrl } from './short-url.js';
import { type LinkChange, updateUrls } from './update-urls.js';
import type { UrlCreateRequest, UrlUpdateRequest, UrlUpsertRequest } from './url-contract.js';
import { urlIdAllocator } from './url-ids.js';
import { findExternalIds } from './url-keys.js';
import { deleteUrls, expire, selectDue } from './url-life-cycle.js';
import { findUrls } from './url-reader.js';

export interface UrlWriterOptions extends LinkWriteOptions {
  readonly database: Database;
  readonly passwords: Pick<Passwords, 'hashAll'>;
  readonly isReserved: (word: string) => boolean;
  readonly clock: Clock;
  /** Reads the title of a page in the background, and passes it on if there is one. */
  readonly fetchTitle: (
    organizationId: string,
    url: string,
    store: (title: string) => Promise<unknown>,
  ) => void;
  /** Returns why one of the targets of each request is refused. */
  readonly findTargetErrors: (
    requests: Parameters<typeof findTargetErrors>[1],
  ) => ReturnType<typeof findTargetErrors>;
  /** Called with the ids of written links before the response, so that the next redirect uses the new state. */
  readonly onChanged: (ids: readonly number[]) => void;
}

/** An item of a request: valid by its schema, or the error of an invalid one. */
export type CheckedItem<Body> = { readonly body: Body } | { readonly error: ApiError };

/** The fields that are checked before a link is written. */
type LinkBody = Pick<
  UrlUpdateRequest,
  'targetUrl' | 'activatesAt' | 'expiresAt' | 'expiredUrl' | 'rules' | 'password'
> &
  Pick<UrlCreateRequest, 'importedCreatedAt' | KeyField>;

type CheckedDraft<Body> = Draft<Body> | { readonly error: ApiError };

/** One run of the work of a transaction. */
interface Run {
  /** The ids of the links that it changes. */
  readonly changedIds: Set<number>;
  /** Whether an earlier run has failed, for example because a short code was taken. */
  readonly isRepeated: boolean;
}

export type UrlWriter = ReturnType<typeof createUrlWriter>;

/**
 * Writes links: checks what a schema cannot express, hashes passwords, and evicts changed links. Each method
 * is one transaction. An item that is refused does not affect the others. Responses have what `present`
 * returns of a link.
 */
export function createUrlWriter(options: UrlWriterOptions) {
  const { database, record, passwords, isReserved } = options;
  const allocateIds = urlIdAllocator(database);

  /** Returns the error of a request that names a link by a word that no link may have. */
  function findReserved({ customSlug, importedCode }: Pick<LinkBody, KeyField>) {
    if (customSlug != null && isReserved(customSlug)) return slugReserved('customSlug', customSlug);
    const [segment = ''] = importedCode?.split('/') ?? [];
    if (importedCode == null || !isReserved(segment)) return undefined;
    return slugReserved('importedCode', importedCode);
  }

  /**
   * Returns the stored result of a repeated request. Passwords are not hashed again, and the time or a target
   * may have become invalid since.
   */
  const findFirst = <Presented>({ write }: WriteContext) =>
    findStoredResult<Outcome<Presented>[]>(database, write);

  /** Checks valid items by the state of the server, and hashes the passwords of those that it accepts. */
  async function prepare<Body extends LinkBody>(
    items: readonly CheckedItem<Body>[],
    { organizationId, now }: WriteContext,
    findError: (body: Body) => ApiError | undefined = () => undefined,
  ): Promise<CheckedDraft<Body>[]> {
    const bodies = items.flatMap((item) => ('body' in item ? [item.body] : []));
    const targetErrors = await options.findTargetErrors(bodies.map(targetsOf));
    const checked = items.map((item): CheckedItem<Body> => {
      if ('error' in item) return item;
      const detail = targetErrors.shift() ?? findTimeError(item.body, now);
      const error = detail ? validationError([detail]) : findError(item.body);
      return error ? { error } : item;
    });
    const given = checked.flatMap((item) => ('body' in item ? (item.body.password ?? []) : []));
    const hashes = given.length === 0 ? [] : await passwords.hashAll(organizationId, given);
    return checked.map((item) => {
      if ('error' in item) return item;
      const passwordHash = item.body.password == null ? null : (hashes.shift() ?? null);
      return { ...item, passwordHash };
    });
  }

  /** Writes the valid items, for which `work` returns the outcomes in their order. */
  function writeAll<Presented>(
    items: readonly CheckedItem<unknown>[],
    present: (url: ShortUrl) => Presented,
    context: WriteContext,
    work: (transaction: WriteTransaction, run: Run) => Promise<Outcome<ShortUrl>[]>,
  ): Promise<IdempotentResult<Outcome<Presented>[]>> {
    return write(context, items.length > 1, async (transaction, run) => {
      const outcomes = await work(transaction, run);
      return mapInSlices(items, (item): Outcome<Presented> => {
        if ('error' in item) return refused(item.error);
        const outcome = outcomes.shift() as Outcome<ShortUrl>;
        if (outcome.status === 'refused') return outcome;
        return { ...outcome, presented: present(outcome.presented) };
      });
    });
  }

  /** Writes links in one transaction, and evicts those that it changes. */
  async function write<Result>(
    { organizationId, write }: WriteContext,
    isBulk: boolean,
    work: (transaction: WriteTransaction, run: Run) => Promise<Result>,
  ): Promise<IdempotentResult<Result>> {
    let run: Run | undefined;
    const audit = (): AuditTarget | null => {
      const [id, ...others] = run?.changedIds ?? [];
      if (id === undefined) return null;
      return { type: 'url', id: others.length > 0 ? undefined : id, count: 1 + others.length };
    };
    try {
      // If another link has one of the short codes, the storage runs the work again, with codes that are
      // looked up. Looking them up at first would take a tenth of every create, and few are taken.
      return await writeOnce(database, { organizationId, write, audit, isBulk }, (transaction) => {
        run = { changedIds: new Set(), isRepeated: run !== undefined };
        return work(transaction, run);
      });
    } finally {
      // Also after an error, because the commit may have succeeded before the connection failed.
      options.onChanged([...(run?.changedIds ?? [])]);
    }
  }

  function fetchTitle(organizationId: string, id: number, targetUrl: string): void {
    options.fetchTitle(organizationId, targetUrl, (title) => {
      const context = { organizationId, now: options.clock(), write: undefined };
      // The owner may have changed the link meanwhile.
      const change = (url: ShortUrl) =>
        url.title === null && url.targetUrl === targetUrl ? { ...url, title } : url;
      return write(context, false, async (transaction, { changedIds }) => {
        await updateUrls(transaction, options, [{ id, change }], context, changedIds);
      });
    });
  }

  return {
    findReserved,

    async create<Presented>(
      items: readonly CheckedItem<UrlCreateRequest>[],
      present: (url: ShortUrl) => Presented,
      context: WriteContext,
    ): Promise<IdempotentResult<Outcome<Presented>[]>> {
      const first = await findFirst<Presented>(context);
      if (first) return first;
      const drafts = await prepare(
        items.map((item) => ('body' in item ? { body: withOwnDomain(context, item.body) } : item)),
        context,
        (body) => findReserved(body) ?? findPasswordError(null, body),
      );
      const valid = drafts.filter((draft) => 'body' in draft);
      if (valid.length === 0) return refuseAll(drafts);
      const firstId = await allocateIds(valid.length);
      let createdIds: ReadonlySet<number> = new Set();
      const written = await writeAll(drafts, present, context, async (transaction, run) => {
        createdIds = run.changedIds;
        return createUrls(transaction, options, valid, firstId, context, run);
      });
      for (const [index, { body }] of valid.entries()) {
        const id = firstId + index;
        if (body.fetchTitle && body.title == null && createdIds.has(id)) {
          fetchTitle(context.organizationId, id, body.targetUrl);
        }
      }
      return written;
    },

    async update<Presented>(
      items: readonly CheckedItem<UrlUpdateRequest & { readonly id: number }>[],
      present: (url: ShortUrl) => Presented,
      context: WriteContext,
    ): Promise<IdempotentResult<Outcome<Presented>[]>> {
      const first = await findFirst<Presented>(context);
      if (first) return first;
      const drafts = await prepare(items, context);
      const changes = items.flatMap((item, index): LinkChange[] => {
        if ('error' in item) return [];
        const { id, ...body } = item.body;
        const draft = drafts[index] as (typeof drafts)[number];
        return [{ id, change: (url) => patchUrl(url, { ...accepted(draft), body }, context.now) }];
      });
      return writeAll(items, present, context, (transaction, { changedIds }) =>
        updateUrls(transaction, options, changes, context, changedIds),
      );
    },

    /** Changes the link that has an external id, or creates it. */
    async upsert<Presented>(
      externalId: string,
      given: UrlUpsertRequest,
      present: (url: ShortUrl) => Presented,
      context: WriteContext,
    ): Promise<IdempotentResult<Outcome<Presented>[]>> {
      const items = [{ body: withOwnDomain(context, { ...given, externalId }) }];
      const first = await findFirst<Presented>(context);
      if (first) return first;
      const drafts = await prepare(items, context, findReserved);
      const [draft] = drafts;
      if (!draft || 'error' in draft) return refuseAll(drafts);
      const newId = await allocateIds(1);
      return writeAll(drafts, present, context, async (transaction, run) => {
        const { organizationId, now } = context;
        const [id] = (await findExternalIds(transaction, organizationId, [externalId])).values();
        if (id === undefined) {
          const error = findPasswordError(null, draft.body);
          if (error) return [refused(error)];
          return createUrls(transaction, options, [draft], newId, context, run);
        }
        const changes = [{ id, change: (url: ShortUrl) => upsertUrl(url, draft, now) }];
        const outcomes = await updateUrls(transaction, options, changes, context, run.changedIds);
        // The caller may not know the id, for example if its key is restricted to other links.
        return outcomes.map((outcome) =>
          outcome.status === 'refused' && outcome.error.code === 'NOT_FOUND'
            ? refused(urlNotFound(externalId))
            : outcome,
        );
      });
    },

    /** Deletes links. `present` gets those of the organization in their new state. */
    delete<Presented>(
      ids: readonly number[],
      present: (urls: readonly ShortUrl[]) => Presented,
      context: WriteContext,
    ): Promise<IdempotentResult<Presented>> {
      return write(context, ids.length > 1, async (transaction, { changedIds }) =>
        present(await deleteUrls(transaction, record, ids, context, changedIds)),
      );
    },

    /**
     * Deactivates up to `limit` links that are due, with their events, in one transaction for each
     * organization. Returns their number. Starts no write transaction if none is due.
     */
    async expireDue(now: number, limit: number): Promise<number> {
      const due = await selectDue(database.read, now, limit);
      const organizationIds = [...new Set(due.map((url) => url.organizationId))];
      const expired = organizationIds.map((organizationId) => {
        const own = due.filter((url) => url.organizationId === organizationId);
        const ids = own.map(({ id }) => id);
        return database.writeDirectly(
          async (transaction) => {
            // Some may have changed meanwhile.
            const links = await findUrls(transaction, { organizationId }, ids);
            return (await expire(transaction, record, links, now)).size;
          },
          { organizationId },
        );
      });
      return (await Promise.all(expired)).reduce((sum, count) => sum + count, 0);
    },
  };
}

/**
 * Returns the refusals of items of which none is valid. They need no transaction, and are not stored: a
 * request that is corrected may have the same key.
 */
function refuseAll<Presented>(
  items: readonly CheckedItem<unknown>[],
): IdempotentResult<Outcome<Presented>[]> {
  const result = items.flatMap((item) => ('error' in item ? [refused(item.error)] : []));
  return { result, replayed: false };
}

/** Returns an item that is valid. Throws the error of another one. */
function accepted<Body>(draft: CheckedDraft<Body>): Draft<Body> {
  if ('error' in draft) throw draft.error;
  return draft;
}

/** Returns a request for a link; without a domain, with the one that the caller is restricted to. */
export function withOwnDomain<Body extends { readonly domainId?: string | null | undefined }>(
  { restriction }: LinkOwner,
  body: Body,
): Body {
  const domainId = body.domainId ?? restriction?.domainId;
  return domainId == null ? body : { ...body, domainId };
}
