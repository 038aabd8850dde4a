import type { Passwords } from '../auth/passwords.js';
import type { LinkOwner } from '../contract/caller.js';
import type { ErrorDetail } from '../contract/errors.js';
import type {
  IdempotentResult,
  WriteContext,
  WriteRequest,
} from '../idempotency/with-idempotency-key.js';
import type { Clock } from '../ports.js';
import {
  findActivationError,
  findCreationError,
  findExpiryError,
  patchUrl,
  type UrlChange,
  upsertUrl,
} from './change-url.js';
import type { findTargetErrors } from './check-target.js';
import { acceptFields } from './link-fields.js';
import { targetsOf } from './link-rules.js';
import type { ShortUrl } from './short-url.js';
import type { UrlCreateRequest, UrlUpdateRequest, UrlUpsertRequest } from './url-contract.js';
import { findPasswordError } from './url-fields.js';
import type { ItemError, KeyField } from './url-refusals.js';
import type { UrlRepository } from './url-repository.js';
import type { CreateContext, Creation, UpdateOutcome, UpsertOutcome } from './url-write.js';

export interface UrlServiceOptions {
  readonly urls: UrlRepository;
  readonly passwords: Pick<Passwords, 'assertCapacity' | 'hashAll'>;
  readonly newShortCode: CreateContext['newShortCode'];
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
  /**
   * Called after links were created, and with the ids of changed ones, before the response, so that the
   * next redirect uses the new state.
   */
  readonly onChanged: (ids: readonly number[]) => void;
}

/** The fields that are valid by the clock, the blocked hosts and our own ones. */
type StatefulFields = Pick<
  UrlUpdateRequest,
  'activatesAt' | 'expiresAt' | 'targetUrl' | 'expiredUrl' | 'rules'
> &
  Pick<UrlCreateRequest, 'importedCreatedAt'>;

/** An item of a bulk request: valid, or the error of an invalid one. */
export type CheckedItem<Body> = { readonly body: Body } | { readonly error: ItemError };

/** Writes links: checks the rules that a schema cannot express, hashes passwords, and evicts changed links. */
export class UrlService {
  readonly #options: UrlServiceOptions;

  constructor(options: UrlServiceOptions) {
    this.#options = options;
  }

  /** Returns the field of a request that names a link by a word that no link may have. */
  findReserved({
    customSlug,
    importedCode,
  }: Pick<UrlCreateRequest, KeyField>): KeyField | undefined {
    const { isReserved } = this.#options;
    if (customSlug != null && isReserved(customSlug)) return 'customSlug';
    const [segment] = importedCode?.split('/') ?? [];
    return segment !== undefined && isReserved(segment) ? 'importedCode' : undefined;
  }

  /** Returns, for each of these valid requests, why the server accepts no link like this now. */
  async findStateErrors(
    bodies: readonly StatefulFields[],
    now: number,
  ): Promise<(ErrorDetail | undefined)[]> {
    const errors = await this.#options.findTargetErrors(bodies.map(targetsOf));
    return bodies.map(
      (body, index) =>
        errors[index] ??
        findExpiryError(body, now) ??
        findCreationError(body, now) ??
        findActivationError(acceptFields(body)),
    );
  }

  /** Returns the stored result of a repeated request with passwords, which avoids hashing them again. */
  async findFirstResult<Result>(
    items: readonly unknown[],
    write: WriteRequest | undefined,
  ): Promise<IdempotentResult<Result> | undefined> {
    if (!write?.idempotency || countPasswords(items) === 0) return undefined;
    return this.#options.urls.findFirstResult(write);
  }

  /** Throws if the queue of passwords has no capacity for those of the items. */
  assertCapacity(organizationId: string, items: readonly unknown[]): void {
    this.#options.passwords.assertCapacity(organizationId, countPasswords(items));
  }

  /** Creates the valid items. An invalid item does not affect the others. */
  async createAll(
    owner: LinkOwner,
    items: readonly CheckedItem<UrlCreateRequest>[],
    now: number,
    write: WriteRequest | undefined,
  ): Promise<IdempotentResult<Creation>> {
    const { urls, newShortCode, onChanged } = this.#options;
    const { organizationId, restriction } = owner;
    const hashes = await this.#hashPasswords(organizationId, validOf(items));
    const drafts = items.map((item) =>
      'body' in item ? { ...item, passwordHash: hashes.shift() ?? null } : item,
    );
    try {
      const created = await urls.createMany(drafts, {
        organizationId,
        restriction,
        now,
        newShortCode,
        write,
      });
      if (!created.replayed) this.#fetchTitles(organizationId, items, created.result);
      return created;
    } finally {
      onChanged([]);
    }
  }

  /** Reads the titles of new links that want that of their target. */
  #fetchTitles(
    organizationId: string,
    items: readonly CheckedItem<UrlCreateRequest>[],
    { outcomes }: Creation,
  ): void {
    for (const [index, outcome] of outcomes.entries()) {
      const item = items[index];
      if (outcome.status !== 'created' || !item || !('body' in item)) continue;
      const { fetchTitle, title, targetUrl } = item.body;
      if (!fetchTitle || title != null) continue;
      this.#options.fetchTitle(organizationId, targetUrl, async (fetched) => {
        // The owner may have changed the link meanwhile.
        const change = (url: ShortUrl): UrlChange => {
          const isSame = url.title === null && url.targetUrl === targetUrl;
          return { ok: true, url: isSame ? { ...url, title: fetched } : url };
        };
        const context = { organizationId, now: this.#options.clock(), write: undefined };
        await this.#options.urls.updateMany([outcome.id], change, ({ id }) => id, context);
        this.#options.onChanged([outcome.id]);
      });
    }
  }

  /** Changes links by valid requests. A link that cannot be changed does not affect the others. */
  async updateAll<Presented>(
    changes: readonly (UrlUpdateRequest & { readonly id: number })[],
    present: (url: ShortUrl) => Presented,
    context: WriteContext,
  ): Promise<IdempotentResult<UpdateOutcome<Presented>[]>> {
    const { organizationId, now } = context;
    const ids = changes.map(({ id }) => id);
    const hashes = await this.#hashPasswords(organizationId, changes);
    const errors = await this.findStateErrors(changes, now);
    const change = (url: ShortUrl, index: number): UrlChange => {
      const { id: _, ...patch } = changes[index] as (typeof changes)[number];
      const error = errors[index];
      return error ? { ok: false, error } : patchUrl(url, patch, hashes[index] ?? null, now);
    };
    try {
      return await this.#options.urls.updateMany(ids, change, present, context);
    } finally {
      // Also after an error, because the commit may have succeeded before the connection failed.
      this.#options.onChanged(ids);
    }
  }

  async upsert<Presented>(
    externalId: string,
    body: UrlUpsertRequest,
    present: (url: ShortUrl) => Presented,
    context: WriteContext,
  ): Promise<IdempotentResult<UpsertOutcome<Presented>>> {
    const { urls, newShortCode, onChanged } = this.#options;
    const { organizationId, now } = context;
    const [passwordHash = null] = await this.#hashPasswords(organizationId, [body]);
    const isProtected = body.isPasswordProtected === true;
    const [stateError] = await this.findStateErrors([body], now);
    const error = stateError ?? findPasswordError(isProtected, passwordHash !== null, false);
    const draft = error ? { error } : { body: { ...body, externalId }, passwordHash };
    const change = (url: ShortUrl): UrlChange =>
      stateError ? { ok: false, error: stateError } : upsertUrl(url, body, passwordHash, now);
    let existingId: number | undefined;
    const onFound = (id: number) => {
      existingId = id;
    };
    try {
      return await urls.upsert(externalId, draft, change, present, onFound, {
        ...context,
        newShortCode,
      });
    } finally {
      // Also after an error, because the commit may have succeeded before the connection failed.
      if (existingId !== undefined) onChanged([existingId]);
    }
  }

  async deleteAll<Presented>(
    ids: readonly number[],
    present: (urls: readonly ShortUrl[]) => Presented,
    context: WriteContext,
  ): Promise<IdempotentResult<Presented>> {
    try {
      return await this.#options.urls.deleteMany(ids, present, context);
    } finally {
      this.#options.onChanged(ids);
    }
  }

  /** Returns the hash of each body's password; null where there is none. */
  async #hashPasswords(
    organizationId: string,
    bodies: readonly { readonly password?: string | null | undefined }[],
  ): Promise<(string | null)[]> {
    const given = bodies.flatMap(({ password }) => (password ? [password] : []));
    const hashes =
      given.length === 0 ? [] : await this.#options.passwords.hashAll(organizationId, given);
    return bodies.map(({ password }) => (password ? (hashes.shift() ?? null) : null));
  }
}

/** Returns a request for a link; without a domain, with the one that the caller is restricted to. */
export function withOwnDomain<Body extends { readonly domainId?: string | null | undefined }>(
  { restriction }: LinkOwner,
  body: Body,
): Body {
  const domainId = body.domainId ?? restriction?.domainId;
  return domainId == null ? body : { ...body, domainId };
}

export function validOf<Body>(items: readonly CheckedItem<Body>[]): Body[] {
  return items.flatMap((item) => ('body' in item ? [item.body] : []));
}

/** Counts the items with a password, before they are validated. */
function countPasswords(items: readonly unknown[]): number {
  return items.filter(
    (item) => typeof (item as { password?: unknown } | null)?.password === 'string',
  ).length;
}
