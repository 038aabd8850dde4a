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
import { type CreateRun, createUrls, type LinkWriteOptions } from './create-urls.js';
import {
  type KeyField,
  type Outcome,
  refused,
  slugReserved,
  urlNotFound,
} from './link-outcomes.js';
import { targetsOf } from './link-rules.js';
import type { ShortUrl } from './short-url.js';
import { updateUrls } from './update-urls.js';
import type { UrlCreateRequest, UrlUpdateRequest, UrlUpsertRequest } from './url-contract.js';
import { urlIdAllocator } from './url-ids.js';
import { findExternalIds } from './url-keys.js';
import { expire, selectDue } from './url-life-cycle.js';
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

/** Writes the valid items of a request. Returns their outcomes. */
type WriteDrafts<Body> = (
  transaction: WriteTransaction,
  drafts: readonly Draft<Body>[],
  run: CreateRun,
) => Promise<Outcome<ShortUrl>[]>;

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

  /** Checks valid items by the state of the server, and hashes the passwords of those that it accepts. */
  async function prepare<Body extends LinkBody>(
    items: readonly CheckedItem<Body>[],
    { organizationId, now }: WriteContext,
    findError: (body: Body) => ApiError | undefined,
  ): Promise<(Draft<Body> | { readonly error: ApiError })[]> {
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

  /**
   * Checks items, and writes the valid ones. A repeated request gets its stored result at once: its password is
   * not hashed again, and its time or a target may have become invalid since.
   */
  async function writeItems<Body extends LinkBody, Presented>(
    items: readonly CheckedItem<Body>[],
    present: (url: ShortUrl) => Presented,
    context: WriteContext,
    { findError, creates }: { findError(body: Body): ApiError | undefined; creates: boolean },
    work: WriteDrafts<Body>,
  ): Promise<IdempotentResult<Outcome<Presented>[]>> {
    const first = await findStoredResult<Outcome<Presented>[]>(database, context.write);
    if (first) return first;
    const checked = await prepare(items, context, findError);
    const drafts = checked.filter((each) => 'body' in each);
    if (creates && drafts.length === 0) {
      // Not stored: a request that is corrected may have the same key.
      const result = checked.flatMap((each) => ('error' in each ? [refused(each.error)] : []));
      return { result, replayed: false };
    }
    const firstId = creates ? await allocateIds(drafts.length) : 0;
    return write(context, items.length > 1, async (transaction, run) => {
      const outcomes = await work(transaction, drafts, { ...run, firstId });
      return mapInSlices(checked, (each): Outcome<Presented> => {
        if ('error' in each) return refused(each.error);
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
    work: (transaction: WriteTransaction, run: Omit<CreateRun, 'firstId'>) => Promise<Result>,
  ): Promise<IdempotentResult<Result>> {
    let run: Omit<CreateRun, 'firstId'> | undefined;
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

    async create<Presented extends { readonly id: number | string }>(
      items: readonly CheckedItem<UrlCreateRequest>[],
      present: (url: ShortUrl) => Presented,
      context: WriteContext,
    ) {
      const onOwnDomain = items.map((item) =>
        'body' in item ? { body: withOwnDomain(context, item.body) } : item,
      );
      const findError = (body: UrlCreateRequest) =>
        findReserved(body) ?? findPasswordError(null, body);
      const checks = { findError, creates: true };
      const create: WriteDrafts<UrlCreateRequest> = (transaction, drafts, run) =>
        createUrls(transaction, options, drafts, context, run);
      const written = await writeItems(onOwnDomain, present, context, checks, create);
      for (const [index, outcome] of written.result.entries()) {
        const item = items[index];
        if (written.replayed || outcome.status !== 'created' || !item || 'error' in item) continue;
        const { fetchTitle: isWanted, title, targetUrl } = item.body;
        if (!isWanted || title != null) continue;
        fetchTitle(context.organizationId, Number(outcome.presented.id), targetUrl);
      }
      return written;
    },

    update<Presented>(
      items: readonly CheckedItem<UrlUpdateRequest & { readonly id: number }>[],
      present: (url: ShortUrl) => Presented,
      context: WriteContext,
    ) {
      const checks = { findError: () => undefined, creates: false };
      return writeItems(items, present, context, checks, (transaction, drafts, { changedIds }) => {
        const changes = drafts.map((draft) => ({
          id: draft.body.id,
          change: (url: ShortUrl) => patchUrl(url, draft, context.now),
        }));
        return updateUrls(transaction, options, changes, context, changedIds);
      });
    },

    /** Changes the link that has an external id, or creates it. */
    upsert<Presented>(
      externalId: string,
      given: UrlUpsertRequest,
      present: (url: ShortUrl) => Presented,
      context: WriteContext,
    ) {
      const body: UrlCreateRequest = withOwnDomain(context, { ...given, externalId });
      const items = [{ body }];
      const checks = { findError: (each: UrlCreateRequest) => findReserved(each), creates: true };
      return writeItems(items, present, context, checks, async (transaction, drafts, run) => {
        const { organizationId, now } = context;
        const [draft] = drafts as [Draft<UrlCreateRequest>];
        const [id] = (await findExternalIds(transaction, organizationId, [externalId])).values();
        if (id === undefined) {
          const error = findPasswordError(null, draft.body);
          if (error) return [refused(error)];
          return createUrls(transaction, options, drafts, context, run);
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
      const { now } = context;
      const change = (url: ShortUrl) =>
        url.deletedAt === null ? { ...url, isActive: false, deletedAt: now } : url;
      const changes = ids.map((id) => ({ id, change }));
      return write(context, ids.length > 1, async (transaction, { changedIds }) => {
        const outcomes = await updateUrls(transaction, options, changes, context, changedIds);
        return present(outcomes.flatMap((each) => ('presented' in each ? [each.presented] : [])));
      });
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

/** Returns a request for a link; without a domain, with the one that the caller is restricted to. */
export function withOwnDomain<Body extends { readonly domainId?: string | null | undefined }>(
  { restriction }: LinkOwner,
  body: Body,
): Body {
  const domainId = body.domainId ?? restriction?.domainId;
  return domainId == null ? body : { ...body, domainId };
}
