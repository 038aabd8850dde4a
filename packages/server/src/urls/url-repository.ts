import type { LinkOwner } from '../contract/caller.js';
import type { ErrorDetail } from '../contract/errors.js';
import type { IsOwnHost } from '../domains/own-hosts.js';
import {
  findStoredResult,
  type IdempotentResult,
  type WriteContext,
  type WriteRequest,
  writeOnce,
} from '../idempotency/with-idempotency-key.js';
import type { Database, WriteTransaction } from '../storage/database.js';
import type { UrlChange, UrlDraft } from './change-url.js';
import { findExternalIds } from './find-existing.js';
import { findRetiredKeys } from './retired-keys.js';
import type { ShortUrl } from './short-url.js';
import { UrlCreator, type UrlCreatorOptions } from './url-creator.js';
import { UrlIds } from './url-ids.js';
import { findActiveDomains, findKeyOwners, foldsKeys, hasDomain, keyOn } from './url-keys.js';
import { deleteUrls, expire, findCurrent, selectDue } from './url-life-cycle.js';
import { findUrls, noUrl, UrlReader } from './url-reader.js';
import type { ItemError, Refused } from './url-refusals.js';
import { updateUrls } from './url-updater.js';
import {
  auditOf,
  type CreateContext,
  type CreateOutcome,
  type Creation,
  type UpdateOutcome,
  type UpsertOutcome,
} from './url-write.js';

/** A valid item of a request for new links, or the error of an invalid one. */
export type NewItem = UrlDraft | { readonly error: ItemError };

export interface UrlRepositoryOptions extends UrlCreatorOptions {
  readonly isOwnHost: IsOwnHost;
}

/** Stores links and their keys. Every method is one transaction. */
export class UrlRepository extends UrlReader {
  readonly #database: Database;
  readonly #options: UrlRepositoryOptions;
  readonly #creator: UrlCreator;
  readonly #ids: UrlIds;

  constructor(database: Database, options: UrlRepositoryOptions) {
    super(database, options.isOwnHost);
    this.#database = database;
    this.#options = options;
    this.#creator = new UrlCreator(options);
    this.#ids = new UrlIds(database);
  }

  /**
   * Creates the links of the valid items in order. Writes the quota, keys, links and events in one
   * transaction.
   */
  async createMany(
    items: readonly NewItem[],
    context: CreateContext,
  ): Promise<IdempotentResult<Creation>> {
    const drafts = items.filter((item) => 'body' in item);
    const firstId = drafts.length === 0 ? noUrl : await this.#ids.allocate(drafts.length);
    const { organizationId, write } = context;
    let runs = 0;
    const work = async (transaction: WriteTransaction): Promise<Creation> => {
      runs += 1;
      const created = await this.#creator.create(transaction, drafts, firstId, context, runs > 1);
      const outcomes = items.map((item) =>
        'body' in item
          ? (created.shift() as CreateOutcome)
          : { status: 'invalid' as const, error: item.error.message, details: item.error.details },
      );
      return { createdAt: context.now, createdBy: write?.origin.actorId ?? null, outcomes };
    };
    const isBulk = items.length > 1;
    const audit = ({ outcomes }: Creation) =>
      auditOf(outcomes.flatMap((each) => (each.status === 'created' ? [each.id] : [])));
    // If another link has one of the short codes, the storage runs the work again, with codes that are
    // looked up. Looking them up at first would take a tenth of every create, and few are taken.
    return writeOnce(this.#database, { organizationId, write, audit, isBulk }, work);
  }

  /** Returns whether a slug is free on a domain; undefined if the owner has no such active domain. */
  async isSlugFree(
    owner: LinkOwner,
    slug: string,
    domainId: string | null,
  ): Promise<boolean | undefined> {
    const { read } = this.#database;
    const domains = await findActiveDomains(read, owner, [domainId]);
    if (!hasDomain(owner, domains, domainId)) return undefined;
    const folds = foldsKeys(domains, domainId, this.#options.ignoreCase);
    const keys = [keyOn(domainId, slug, folds)];
    if ((await findKeyOwners(read, keys)).size > 0) return false;
    return (await findRetiredKeys(read, keys)).length === 0;
  }

  /** Returns the result of an earlier call of the same method with the same Idempotency-Key. */
  findFirstResult<Result>(request: WriteRequest): Promise<IdempotentResult<Result> | undefined> {
    return findStoredResult(this.#database, request);
  }

  /**
   * Changes links by id, in order. `change` returns the new state of a link. When an id is repeated,
   * the second call gets the state after the first change. `present` returns what the response needs of
   * a changed link.
   */
  updateMany<Presented>(
    ids: readonly number[],
    change: (url: ShortUrl, index: number) => UrlChange,
    present: (url: ShortUrl) => Presented,
    context: WriteContext,
  ): Promise<IdempotentResult<UpdateOutcome<Presented>[]>> {
    const { organizationId, write } = context;
    let changedIds: readonly number[] = [];
    const work = async (transaction: WriteTransaction) => {
      const result = await updateUrls(transaction, this.#options, ids, change, present, context);
      changedIds = result.changedIds;
      return result.outcomes;
    };
    const isBulk = ids.length > 1;
    const audit = () => auditOf(changedIds);
    return writeOnce(this.#database, { organizationId, write, audit, isBulk }, work);
  }

  /**
   * Changes the link that has an external id, or creates it from `draft`, which may be an error. Calls
   * `onFound` with the id of a link that exists, before it changes.
   */
  async upsert<Presented>(
    externalId: string,
    draft: UrlDraft | { readonly error: ErrorDetail },
    change: (url: ShortUrl) => UrlChange,
    present: (url: ShortUrl) => Presented,
    onFound: (id: number) => void,
    context: CreateContext,
  ): Promise<IdempotentResult<UpsertOutcome<Presented>>> {
    const { organizationId, write } = context;
    const newId = await this.#ids.allocate(1);
    let changedIds: readonly number[] = [];
    let runs = 0;
    const work = async (transaction: WriteTransaction): Promise<UpsertOutcome<Presented>> => {
      runs += 1;
      changedIds = [];
      const [existing] = await findExternalIds(transaction, organizationId, [externalId]);
      if (existing) {
        const [, id] = existing;
        onFound(id);
        const result = await updateUrls(transaction, this.#options, [id], change, present, context);
        changedIds = result.changedIds;
        return result.outcomes[0] ?? { status: 'not-found' };
      }
      if ('error' in draft) return { status: 'refused', error: draft.error };
      const [outcome] = await this.#creator.create(transaction, [draft], newId, context, runs > 1);
      if (outcome?.status !== 'created') return outcome as Refused;
      const [url] = await findUrls(transaction, context, [outcome.id]);
      changedIds = [outcome.id];
      return { status: 'created', presented: present(url as ShortUrl) };
    };
    const audit = () => auditOf(changedIds);
    return writeOnce(this.#database, { organizationId, write, audit }, work);
  }

  /** Deletes links. `present` gets those of the organization in their new state. */
  deleteMany<Presented>(
    ids: readonly number[],
    present: (urls: readonly ShortUrl[]) => Presented,
    context: WriteContext,
  ): Promise<IdempotentResult<Presented>> {
    const { organizationId, write } = context;
    let changedIds: readonly number[] = [];
    const work = async (transaction: WriteTransaction) => {
      const { recorder } = this.#options;
      const current = await findCurrent(transaction, recorder, ids, context);
      const changed = await deleteUrls(transaction, recorder, current, context);
      changedIds = changed.map(({ id }) => id);
      const deleted = new Map(changed.map((url) => [url.id, url]));
      return present(current.map((url) => deleted.get(url.id) ?? url));
    };
    const isBulk = ids.length > 1;
    const audit = () => auditOf(changedIds);
    return writeOnce(this.#database, { organizationId, write, audit, isBulk }, work);
  }

  /**
   * Deactivates up to `limit` links that are due, with their events, in one transaction for each
   * organization. Returns their ids. Starts no write transaction if none is due.
   */
  async expireDue(now: number, limit: number): Promise<number[]> {
    const due = await selectDue(this.#database.read, now, limit);
    const organizationIds = [...new Set(due.map((url) => url.organizationId))];
    const expired = await Promise.all(
      organizationIds.map((organizationId) => {
        const own = due.filter((url) => url.organizationId === organizationId);
        const ids = own.map(({ id }) => id);
        return this.#database.writeDirectly(
          async (transaction) => {
            // Some may have changed meanwhile.
            const links = await findUrls(transaction, { organizationId }, ids);
            return (await expire(transaction, this.#options.recorder, links, now)).keys();
          },
          { organizationId },
        );
      }),
    );
    return expired.flatMap((ids) => [...ids]);
  }
}
