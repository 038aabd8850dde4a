import type { Passwords } from '../auth/passwords.js';
import { ApiError, shorten, summarize, validationError } from '../contract/api-error.js';
import { parseInput } from '../contract/parse-input.js';
import type { IdempotentRequest, IdempotentResult } from '../idempotency/with-idempotency-key.js';
import type { Clock } from '../ports.js';
import { ListTimeoutError } from '../storage/database.js';
import { listTimeoutMs } from '../storage/list-page.js';
import { TimeSlices } from '../yield-to-event-loop.js';
import { draftUrl, findExpiryError, patchUrl } from './change-url.js';
import { maxHops } from './loop-detector.js';
import type { ShortUrl, UrlDraft } from './short-url.js';
import {
  type UrlCreateRequest,
  type UrlUpdateRequest,
  urlBulkUpdateItem,
  urlCreateRequest,
} from './url-contract.js';
import type { UrlFilter, UrlPage } from './url-query.js';
import type { CreateOutcome, UpdateOutcome, UrlRepository } from './url-repository.js';

export interface UrlServiceOptions {
  readonly urls: UrlRepository;
  readonly passwords: Pick<Passwords, 'assertCapacity' | 'hashAll'>;
  readonly listUrls: (organizationId: string, filter: UrlFilter, now: number) => Promise<UrlPage>;
  readonly clock: Clock;
  readonly newShortCode: () => string;
  readonly isReserved: (word: string) => boolean;
  /** Called after each change, before the response, so that the next redirect uses the new state. */
  readonly onChanged: (ids: readonly number[]) => void;
}

/** The generated fields of a new link. The request has the others. */
export interface CreatedUrl {
  readonly id: number;
  readonly shortCode: string;
  readonly hostname: string | undefined;
}

export interface CreatedOnce {
  readonly url: CreatedUrl;
  readonly createdAt: number;
  readonly replayed: boolean;
}

/** The stored result of one creation. */
interface StoredCreation {
  readonly outcome: CreateOutcome | undefined;
  readonly createdAt: number;
}

export interface BulkCreated {
  readonly created: readonly (CreatedUrl & { readonly index: number })[];
  readonly errors: readonly BulkCreateError[];
}

interface BulkCreateError {
  readonly index: number;
  readonly error: string;
  readonly code: 'SLUG_CONFLICT' | 'QUOTA_EXCEEDED' | 'DOMAIN_INVALID' | 'CREATE_FAILED';
}

export interface BulkUpdated {
  readonly updated: readonly { readonly index: number; readonly url: ShortUrl }[];
  readonly errors: readonly BulkUpdateError[];
}

interface BulkUpdateError {
  readonly index: number;
  readonly id: string | null;
  readonly error: string;
  readonly code: 'NOT_FOUND' | 'UPDATE_FAILED';
}

type Refusal = Exclude<UpdateOutcome['status'], 'updated' | 'refused'>;

/** The fields of a request that an error message repeats. */
interface RefusedFields {
  readonly customSlug?: string | null | undefined;
  readonly targetUrl?: string | undefined;
}

const searchTimeoutMessage = `takes longer than ${listTimeoutMs / 1_000} s: search for a longer text, or add a filter (domainId, category, tag, isActive)`;

const refusals = {
  'slug-conflict': { code: 'SLUG_CONFLICT', message: 'is taken on this domain' },
  'quota-exceeded': {
    code: 'QUOTA_EXCEEDED',
    message: "The organization has reached its plan's bundle of active links",
  },
  'domain-invalid': {
    code: 'DOMAIN_INVALID',
    message: 'domainId is not an active domain of this organization',
  },
  loop: {
    code: 'VALIDATION_FAILED',
    message: `must not lead back to this link, directly or through other links of this server, nor through more than ${maxHops} of them`,
  },
  'not-found': { code: 'NOT_FOUND', message: 'There is no such URL in this organization' },
} as const satisfies Record<Refusal, { code: string; message: string }>;

/** Validates, creates, changes and reads links. */
export class UrlService {
  readonly #options: UrlServiceOptions;

  constructor(options: UrlServiceOptions) {
    this.#options = options;
  }

  async create(
    organizationId: string,
    body: UrlCreateRequest,
    idempotency: IdempotentRequest | undefined,
  ): Promise<CreatedOnce> {
    const { urls, clock, newShortCode } = this.#options;
    const now = clock();
    const expiryError = findExpiryError(body, now);
    // A repeated request gets its first result, even if `expiresAt` has passed since then.
    if (expiryError && !idempotency) throw validationError([expiryError]);
    if (this.#isReserved(body)) {
      throw new ApiError('SLUG_RESERVED', reservedMessage(body), {
        details: [{ path: 'customSlug', message: 'is a reserved word' }],
      });
    }
    const first = await this.#findFirstResult<StoredCreation>([body], idempotency);
    const { result, replayed } =
      first ??
      (await urls.createMany<StoredCreation>(
        expiryError ? [] : await this.#draftAll(organizationId, [body]),
        {
          organizationId,
          now,
          newShortCode,
          idempotency,
          toResult: ([outcome]) => ({ outcome, createdAt: now }),
        },
      ));
    const { outcome, createdAt } = result;
    if (!outcome) throw validationError(expiryError ? [expiryError] : []);
    if (outcome.status !== 'created') throw refusal(outcome.status, body, replayed);
    return { url: outcome, createdAt, replayed };
  }

  /** Creates the valid items. An invalid item does not affect the others. */
  async bulkCreate(
    organizationId: string,
    items: readonly unknown[],
    idempotency: IdempotentRequest | undefined,
  ): Promise<BulkCreated & { readonly replayed: boolean }> {
    const { urls, clock, newShortCode } = this.#options;
    const first = await this.#findFirstResult<BulkCreated>(items, idempotency);
    if (first) return { ...first.result, replayed: true };
    this.#options.passwords.assertCapacity(organizationId, countPasswords(items));
    const now = clock();
    const indexes: number[] = [];
    const bodies: UrlCreateRequest[] = [];
    const errors: BulkCreateError[] = [];
    const slices = new TimeSlices();
    for (const [index, item] of items.entries()) {
      if (slices.isOver) await slices.next();
      const checked = this.#checkItem(item, now);
      if (typeof checked === 'string') {
        errors.push({ index, error: checked, code: 'CREATE_FAILED' });
      } else {
        indexes.push(index);
        bodies.push(checked);
      }
    }
    const drafts = await this.#draftAll(organizationId, bodies);
    const { result, replayed } = await urls.createMany(drafts, {
      organizationId,
      now,
      newShortCode,
      idempotency,
      toResult: (outcomes): BulkCreated => collectOutcomes(outcomes, indexes, bodies, errors),
    });
    return { ...result, replayed };
  }

  async get(organizationId: string, id: number): Promise<ShortUrl> {
    const url = await this.#options.urls.find(organizationId, id);
    if (!url) throw refusal('not-found');
    return url;
  }

  async list(organizationId: string, filter: UrlFilter): Promise<UrlPage> {
    try {
      return await this.#options.listUrls(organizationId, filter, this.#options.clock());
    } catch (error) {
      // A client error, because a repeated search would take as long again.
      if (error instanceof ListTimeoutError && filter.search !== undefined) {
        throw validationError([{ path: 'search', message: searchTimeoutMessage }]);
      }
      throw error;
    }
  }

  async update(organizationId: string, id: number, patch: UrlUpdateRequest): Promise<ShortUrl> {
    const [outcome] = await this.#updateMany(organizationId, [{ id, patch }]);
    if (outcome?.status === 'updated') return outcome.url;
    if (outcome?.status === 'refused') throw validationError([outcome.error]);
    throw refusal(outcome?.status ?? 'not-found', patch);
  }

  async bulkUpdate(organizationId: string, items: readonly unknown[]): Promise<BulkUpdated> {
    this.#options.passwords.assertCapacity(organizationId, countPasswords(items));
    const errors: BulkUpdateError[] = [];
    const changes: { index: number; id: number; patch: UrlUpdateRequest }[] = [];
    const slices = new TimeSlices();
    for (const [index, item] of items.entries()) {
      if (slices.isOver) await slices.next();
      const parsed = parseInput(urlBulkUpdateItem, item);
      if (parsed.ok) {
        const { id, ...patch } = parsed.value;
        changes.push({ index, id, patch });
      } else {
        errors.push({
          index,
          id: idOf(item),
          error: summarize(parsed.details, { subject: 'The item', count: parsed.count }),
          code: 'UPDATE_FAILED',
        });
      }
    }
    const outcomes = await this.#updateMany(organizationId, changes);
    const updated: { index: number; url: ShortUrl }[] = [];
    for (const [position, outcome] of outcomes.entries()) {
      const { index, id, patch } = changes[position] as (typeof changes)[number];
      if (outcome.status === 'updated') updated.push({ index, url: outcome.url });
      else errors.push({ index, id: String(id), ...updateError(outcome, patch) });
    }
    return { updated, errors: errors.sort((a, b) => a.index - b.index) };
  }

  /** Deactivates a link and returns it. An inactive link stays as it is. */
  async delete(organizationId: string, id: number): Promise<ShortUrl> {
    await this.bulkDelete(organizationId, [id]);
    return this.get(organizationId, id);
  }

  /** Deactivates links. Returns the ids that belong to the organization. */
  async bulkDelete(organizationId: string, ids: readonly number[]): Promise<ReadonlySet<number>> {
    const { urls, clock, onChanged } = this.#options;
    try {
      return new Set(await urls.deactivateMany(organizationId, ids, clock()));
    } finally {
      onChanged(ids);
    }
  }

  async #updateMany(
    organizationId: string,
    changes: readonly { id: number; patch: UrlUpdateRequest }[],
  ): Promise<UpdateOutcome[]> {
    if (changes.length === 0) return [];
    const { urls, clock, onChanged } = this.#options;
    const now = clock();
    const ids = changes.map(({ id }) => id);
    const hashes = await this.#hashPasswords(
      organizationId,
      changes.map(({ patch }) => patch.password),
    );
    try {
      return await urls.updateMany(organizationId, ids, now, (url, index) => {
        const { patch } = changes[index] as (typeof changes)[number];
        const error = findExpiryError(patch, now);
        return error ? { ok: false, error } : patchUrl(url, patch, hashes[index] ?? null, now);
      });
    } finally {
      // Also after an error, because the commit may have succeeded before the connection failed.
      onChanged(ids);
    }
  }

  /** Returns the stored result of a repeated request with passwords, which avoids hashing them again. */
  async #findFirstResult<T>(
    items: readonly unknown[],
    idempotency: IdempotentRequest | undefined,
  ): Promise<IdempotentResult<T> | undefined> {
    if (!idempotency || countPasswords(items) === 0) return undefined;
    return this.#options.urls.findFirstResult<T>(idempotency);
  }

  /** Returns a valid item of a bulk request, or the error message of an invalid one. */
  #checkItem(item: unknown, now: number): UrlCreateRequest | string {
    const parsed = parseInput(urlCreateRequest, item);
    if (!parsed.ok) return summarize(parsed.details, { subject: 'The item', count: parsed.count });
    const error = findExpiryError(parsed.value, now);
    if (error) return summarize([error]);
    return this.#isReserved(parsed.value) ? reservedMessage(parsed.value) : parsed.value;
  }

  #isReserved({ customSlug }: UrlCreateRequest): boolean {
    return customSlug != null && this.#options.isReserved(customSlug);
  }

  async #draftAll(
    organizationId: string,
    bodies: readonly UrlCreateRequest[],
  ): Promise<UrlDraft[]> {
    const hashes = await this.#hashPasswords(
      organizationId,
      bodies.map(({ password }) => password),
    );
    return bodies.map((body, index) => draftUrl(body, hashes[index] ?? null));
  }

  /** Returns the hash of each password; null where there is none. */
  async #hashPasswords(
    organizationId: string,
    passwords: readonly (string | null | undefined)[],
  ): Promise<(string | null)[]> {
    const given = passwords.filter((password): password is string => !!password);
    if (given.length === 0) return passwords.map(() => null);
    const hashes = await this.#options.passwords.hashAll(organizationId, given);
    return passwords.map((password) => (password ? (hashes.shift() ?? null) : null));
  }
}

/** Counts the items with a password, before they are validated. */
function countPasswords(items: readonly unknown[]): number {
  return items.filter(
    (item) => typeof (item as { password?: unknown } | null)?.password === 'string',
  ).length;
}

function collectOutcomes(
  outcomes: readonly CreateOutcome[],
  indexes: readonly number[],
  bodies: readonly UrlCreateRequest[],
  invalid: readonly BulkCreateError[],
): BulkCreated {
  const created: (CreatedUrl & { index: number })[] = [];
  const errors = [...invalid];
  for (const [position, outcome] of outcomes.entries()) {
    const index = indexes[position] as number;
    if (outcome.status === 'created') {
      const { id, shortCode, hostname } = outcome;
      created.push({ index, id, shortCode, hostname });
    } else {
      const { code } = refusals[outcome.status];
      errors.push({
        index,
        error: refusalMessage(outcome.status, bodies[position] ?? {}),
        code: code === 'VALIDATION_FAILED' ? 'CREATE_FAILED' : code,
      });
    }
  }
  return { created, errors: errors.sort((a, b) => a.index - b.index) };
}

function refusal(reason: Refusal, body: RefusedFields = {}, replayed = false): ApiError {
  const { code, message } = refusals[reason];
  const details = reason === 'loop' ? [{ path: 'targetUrl', message }] : [];
  return new ApiError(code, refusalMessage(reason, body), { details, replayed });
}

function refusalMessage(reason: Refusal, { customSlug, targetUrl }: RefusedFields): string {
  const { message } = refusals[reason];
  if (reason === 'slug-conflict') return `The slug ${customSlug ?? 'or code'} ${message}`;
  if (reason !== 'loop') return message;
  return `targetUrl ${targetUrl === undefined ? '' : `${shorten(targetUrl)} `}${message}`;
}

function updateError(
  outcome: Exclude<UpdateOutcome, { status: 'updated' }>,
  patch: UrlUpdateRequest,
): Pick<BulkUpdateError, 'error' | 'code'> {
  if (outcome.status === 'refused') {
    return { error: summarize([outcome.error]), code: 'UPDATE_FAILED' };
  }
  const error = refusalMessage(outcome.status, patch);
  return { error, code: outcome.status === 'not-found' ? 'NOT_FOUND' : 'UPDATE_FAILED' };
}

function reservedMessage({ customSlug }: UrlCreateRequest): string {
  return `customSlug ${customSlug} is a reserved word; choose another`;
}

// An invalid id may be any text. A longer one is not repeated in the response.
const maxReturnedIdLength = 100;

/** Returns the id of an invalid item; null when it has none, or one that is too long. */
function idOf(item: unknown): string | null {
  if (typeof item !== 'object' || item === null || !('id' in item)) return null;
  const id = typeof item.id === 'number' ? String(item.id) : item.id;
  return typeof id === 'string' && id.length <= maxReturnedIdLength ? id : null;
}
