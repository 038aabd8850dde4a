import { isDeepStrictEqual } from 'node:util';
import { type Kysely, sql } from 'kysely';
import type { ErrorDetail } from '../contract/errors.js';
import type { DataOfEvent } from '../events/define-event.js';
import type { EventOutbox, NewEvent } from '../events/event-outbox.js';
import type { EventSubject } from '../events/subscription.js';
import type { AuditTarget } from '../idempotency/audit-entry.js';
import {
  findStoredResult,
  type IdempotentResult,
  type WriteRequest,
  writeOnce,
} from '../idempotency/with-idempotency-key.js';
import { ActiveLinks, releaseLinks, reserveLinks } from '../organizations/link-quota.js';
import type { PlanTable } from '../organizations/plans.js';
import {
  checkIfMatch,
  type IfMatch,
  nextUpdatedAt,
  nextUpdatedAtOfRow,
} from '../preconditions/if-match.js';
import { batchReads } from '../storage/batch-reads.js';
import {
  type Database,
  type Schema,
  UniqueViolationError,
  type WriteTransaction,
} from '../storage/database.js';
import { handleAtCommit } from '../storage/group-commit.js';
import { prepare } from '../storage/prepared.js';
import { formatTags } from '../storage/tag-text.js';
import { yieldToEventLoop } from '../yield-to-event-loop.js';
import { newUrl, type UrlChange, type UrlDraft } from './change-url.js';
import { isBeingErased } from './erased-url.js';
import { findEquivalent, findExternalIds, isEquivalent } from './find-existing.js';
import type { LoopDetector } from './loop-detector.js';
import { findRetiredKeys } from './retired-keys.js';
import { fromRow, isExpired, type ShortUrl, selectUrls, toRow } from './short-url.js';
import {
  previousOf,
  urlCreated,
  urlDeleted,
  urlExpired,
  urlRestored,
  urlUpdated,
} from './url-events.js';
import { UrlIds } from './url-ids.js';
import {
  type DomainAndKey,
  domainKeyOf,
  findKeyOwners,
  keysOf,
  mapKeyOf,
  slugsOf,
} from './url-keys.js';
import { type Refusal, type Refused, refusalError } from './url-refusals.js';

/** A valid item of a request for new links, or the error message of an invalid one. */
export type NewItem = UrlDraft | { readonly error: string };

/** The outcome of one item, which is stored with the idempotency key. */
export type CreateOutcome =
  | {
      readonly status: 'created';
      readonly id: number;
      readonly shortCode: string;
      /** The hostname of the custom domain; undefined on the platform's domain. */
      readonly hostname: string | undefined;
    }
  | {
      /** The link existed, and `ifExists` asked for it. */
      readonly status: 'existing';
      readonly id: number;
      readonly shortCode: string;
      readonly hostname: string | undefined;
      readonly customSlug: string | null;
      readonly createdAt: number;
    }
  | Refused<Exclude<Refusal, 'not-found'>>
  | { readonly status: 'invalid'; readonly error: string };

/** The stored result of an upsert. */
export type UpsertOutcome<Presented> =
  | { readonly status: 'created'; readonly presented: Presented }
  | Refused
  | UpdateOutcome<Presented>;

/** The stored result of a create. It omits the fields that a repeated request contains. */
export interface Creation {
  readonly createdAt: number;
  readonly outcomes: readonly CreateOutcome[];
}

type RecordEvent = typeof urlCreated | typeof urlRestored | typeof urlExpired;

/** New links of one request. */
interface NewLinks {
  readonly organizationId: string;
  readonly urls: readonly ShortUrl[];
  readonly now: number;
}

/** A link after a change, and before it. */
interface ChangedUrl {
  readonly before: ShortUrl;
  readonly url: ShortUrl;
}

/** The outcome of one change, which is stored with the idempotency key. */
export type UpdateOutcome<Presented> =
  | { readonly status: 'updated'; readonly presented: Presented }
  | RefusedUpdate;

/** A link, and its new state or why it cannot change. */
type ItemChange = { readonly before: ShortUrl } & UrlChange;

/** The outcome of one change within its transaction. */
type ItemOutcome =
  | ({ readonly status: 'updated' } & ChangedUrl)
  | { readonly status: 'unchanged'; readonly url: ShortUrl }
  | RefusedUpdate;

/** The id of a link to change, and its place in the request. */
interface Item {
  readonly id: number;
  readonly index: number;
}

type RefusedUpdate = Refused | { readonly status: 'refused'; readonly error: ErrorDetail };

export interface FoundUrl {
  readonly url: ShortUrl;
  readonly isSuspended: boolean;
  /** The addresses that its organization excludes, separated by commas. */
  readonly excludeAddresses: string;
  /** The settings of its custom domain; null on the platform's domain. */
  readonly domainSettings: {
    readonly forwarding: { readonly query: boolean; readonly path: boolean };
    readonly ignoresCase: boolean;
  } | null;
}

export interface WriteContext {
  readonly organizationId: string;
  readonly now: number;
  readonly write: WriteRequest | undefined;
  /** The versions that the caller accepts, for a change of one link; undefined accepts any. */
  readonly ifMatch?: IfMatch | undefined;
}

export interface CreateContext extends WriteContext {
  readonly newShortCode: () => string;
}

export interface UrlRepositoryOptions {
  readonly outbox: EventOutbox;
  /** Returns the public record of a link for its events. */
  readonly toEventData: (url: ShortUrl, now: number) => DataOfEvent<typeof urlCreated>;
  readonly plans: PlanTable;
  readonly loops: LoopDetector;
}

// No link has this id.
const noUrl = 0;
// Links that are updated, or checked for loops, in one turn of the event loop. Takes about 2 ms.
const linksAtOnce = 4;
// Links that are inserted, or whose events are written, in one turn of the event loop.
const linksPerSlice = 10;
// The reads of redirects leave connections to writes and to other reads.
const batchLimits = { concurrency: 2, maxKeys: 256 };
// PostgreSQL inserts them in its own process.
const linksPerPostgresInsert = 500;

/** Stores links and their keys. Every method is one transaction. */
export class UrlRepository {
  readonly #database: Database;
  readonly #options: UrlRepositoryOptions;
  readonly #ids: UrlIds;
  readonly #linksPerInsert: number;
  // Prepared, because reports run the first, and redirects of links that are not cached the second.
  readonly #byId;
  readonly #byKey;
  readonly #readByKey: (key: DomainAndKey) => Promise<FoundUrl | undefined>;

  constructor(database: Database, options: UrlRepositoryOptions) {
    this.#database = database;
    this.#ids = new UrlIds(database);
    this.#linksPerInsert = database.engine === 'postgres' ? linksPerPostgresInsert : linksPerSlice;
    this.#byId = prepare(
      selectUrls(database.read).where('urls.id', '=', 0).where('urls.organization_id', '=', ''),
    );
    this.#byKey = prepare(
      selectFound(database.read)
        .where('url_keys.domain_key', '=', '')
        .where('url_keys.key', '=', ''),
    );
    this.#readByKey =
      database.engine === 'postgres'
        ? batchReads({ readMany: findByKeys(database.read), ...batchLimits })
        : (key) => this.#findOneByKey(key);
    this.#options = options;
  }

  /**
   * Creates the links of the valid items in order. Writes the quota, keys, links and events in one
   * transaction.
   */
  async createMany(
    items: readonly NewItem[],
    context: CreateContext,
  ): Promise<IdempotentResult<Creation>> {
    const work = async (transaction: WriteTransaction): Promise<Creation> => {
      const drafts = items.filter((item) => 'body' in item);
      const created = await this.#createAll(transaction, drafts, context);
      const outcomes = items.map((item) =>
        'body' in item
          ? (created.shift() as CreateOutcome)
          : { status: 'invalid' as const, error: item.error },
      );
      return { createdAt: context.now, outcomes };
    };
    const { organizationId, write } = context;
    const isBulk = items.length > 1;
    const audit = ({ outcomes }: Creation) =>
      auditOf(outcomes.flatMap((each) => (each.status === 'created' ? [each.id] : [])));
    // If another link has one of the short codes, which is rarer than one in a million, the storage
    // runs the work again, with other codes. Looking up the codes first would take a tenth of every
    // create.
    return writeOnce(this.#database, organizationId, write, work, { isBulk, audit });
  }

  /** Returns the result of an earlier call of the same method with the same Idempotency-Key. */
  findFirstResult<Result>(request: WriteRequest): Promise<IdempotentResult<Result> | undefined> {
    return findStoredResult(this.#database.read, request);
  }

  /** Returns the link of an organization with an external id. Throws NOT_FOUND. */
  async getByExternalId(organizationId: string, externalId: string): Promise<ShortUrl> {
    const { read } = this.#database;
    const [found] = await findExternalIds(read, organizationId, [externalId]);
    if (!found) throw refusalError('not-found', { id: externalId });
    return this.get(organizationId, found[1]);
  }

  /** Returns a link of the organization. Throws NOT_FOUND. */
  async get(organizationId: string, id: number): Promise<ShortUrl> {
    const url = await this.#find(this.#database.read, organizationId, id);
    if (!url) throw refusalError('not-found', { id });
    return url;
  }

  /** Returns the links of an organization with these ids, in their order. */
  async findMany(organizationId: string, ids: readonly number[]): Promise<ShortUrl[]> {
    const found = await this.#findMany(this.#database.read, organizationId, ids);
    const byId = new Map(found.map((url) => [url.id, url]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  /**
   * Returns the links of an organization that have a key on a hostname. Without a hostname, those that
   * have it on the platform's domain or on any domain of the organization.
   */
  async findByName(
    organizationId: string,
    { hostname, key }: { readonly hostname: string | undefined; readonly key: string },
  ): Promise<ShortUrl[]> {
    const { read } = this.#database;
    const domainKey =
      hostname === undefined ? undefined : await this.#options.loops.findDomainKey(read, hostname);
    if (hostname !== undefined && domainKey === undefined) return [];
    const ofAnyDomain = sql<string>`(select ${domainKeyOf(null)}
      union all select id from domains where organization_id = ${organizationId})`;
    const rows = await selectUrls(read)
      .innerJoin('url_keys', 'url_keys.url_id', 'urls.id')
      .where('url_keys.key', '=', key)
      .where('url_keys.domain_key', 'in', domainKey === undefined ? ofAnyDomain : [domainKey])
      .where('urls.organization_id', '=', organizationId)
      .orderBy('urls.id')
      .execute();
    // A link that has moved has its keys on several domains.
    return [...new Map(rows.map((row) => [row.id, fromRow(row)])).values()];
  }

  /**
   * Returns the link of a key on a domain, and whether its organization is suspended; `domainId` null is
   * the platform's domain.
   */
  findByKey(domainId: string | null, key: string): Promise<FoundUrl | undefined> {
    return this.#readByKey({ domain_key: domainKeyOf(domainId), key });
  }

  /**
   * Returns the key of the only link on a domain that has a key in any case. Returns undefined if no link
   * has it, or several links have it.
   */
  async findFoldedKey(domainId: string | null, key: string): Promise<string | undefined> {
    const rows = await this.#database.read
      .selectFrom('url_keys')
      .select(['key', 'url_id'])
      .where('domain_key', '=', domainKeyOf(domainId))
      .where(sql`lower(key)`, '=', key.toLowerCase())
      // A link has its short code and its slug.
      .limit(3)
      .execute();
    const [first, ...others] = rows;
    return others.some(({ url_id }) => url_id !== first?.url_id) ? undefined : first?.key;
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
      const result = await this.#changeAll(transaction, ids, change, present, context);
      changedIds = result.changedIds;
      return result.outcomes;
    };
    const isBulk = ids.length > 1;
    const audit = () => auditOf(changedIds);
    return writeOnce(this.#database, organizationId, write, work, { isBulk, audit });
  }

  /**
   * Changes the link that has an external id, or creates it from `draft`, which may be an error. Calls
   * `onFound` with the id of a link that exists, before it changes.
   */
  upsert<Presented>(
    externalId: string,
    draft: UrlDraft | { readonly error: ErrorDetail },
    change: (url: ShortUrl) => UrlChange,
    present: (url: ShortUrl) => Presented,
    onFound: (id: number) => void,
    context: CreateContext,
  ): Promise<IdempotentResult<UpsertOutcome<Presented>>> {
    const { organizationId, write } = context;
    let changedIds: readonly number[] = [];
    const work = async (transaction: WriteTransaction): Promise<UpsertOutcome<Presented>> => {
      changedIds = [];
      const [existing] = await findExternalIds(transaction, organizationId, [externalId]);
      if (existing) {
        const [, id] = existing;
        onFound(id);
        const result = await this.#changeAll(transaction, [id], change, present, context);
        changedIds = result.changedIds;
        return result.outcomes[0] ?? { status: 'not-found' };
      }
      if ('error' in draft) return { status: 'refused', error: draft.error };
      const [outcome] = await this.#createAll(transaction, [draft], context);
      if (outcome?.status !== 'created') return outcome as Refused;
      const [url] = await this.#findMany(transaction, organizationId, [outcome.id]);
      changedIds = [outcome.id];
      return { status: 'created', presented: present(url as ShortUrl) };
    };
    const audit = () => auditOf(changedIds);
    return writeOnce(this.#database, organizationId, write, work, { audit });
  }

  /** Changes links in a transaction, with their events. */
  async #changeAll<Presented>(
    transaction: WriteTransaction,
    ids: readonly number[],
    change: (url: ShortUrl, index: number) => UrlChange,
    present: (url: ShortUrl) => Presented,
    context: WriteContext,
  ): Promise<{
    readonly outcomes: UpdateOutcome<Presented>[];
    readonly changedIds: readonly number[];
  }> {
    const { organizationId, now } = context;
    const outcomes: UpdateOutcome<Presented>[] = [];
    const changed: ChangedUrl[] = [];
    const links = await this.#findToUpdate(transaction, ids, context);
    const activeLinks = new ActiveLinks(transaction, this.#options.plans, organizationId);
    for (const round of roundsOf(ids)) {
      const changes: (ItemChange | undefined)[] = [];
      for (const { id, index } of round) {
        if (index % linksAtOnce === linksAtOnce - 1) await yieldToEventLoop();
        const before = links.get(id);
        changes.push(before && { before, ...change(before, index) });
      }
      for (const outcome of await this.#updateAll(transaction, changes, activeLinks, context)) {
        if (outcome.status === 'updated') {
          changed.push(outcome);
          links.set(outcome.url.id, outcome.url);
        }
        outcomes.push(
          'url' in outcome ? { status: 'updated', presented: present(outcome.url) } : outcome,
        );
      }
    }
    await activeLinks.settle();
    await this.recordUpdates(transaction, organizationId, changed, now);
    const restored = changed.filter(
      ({ before, url }) => before.deletedAt !== null && url.deletedAt === null,
    );
    const urls = restored.map(({ url }) => url);
    await this.#record(transaction, urlRestored, organizationId, urls, now);
    return { outcomes, changedIds: changed.map(({ url }) => url.id) };
  }

  /** Deletes links. `present` gets those of the organization in their new state. */
  deleteMany<Presented>(
    ids: readonly number[],
    present: (urls: readonly ShortUrl[]) => Presented,
    { organizationId, now, write, ifMatch }: WriteContext,
  ): Promise<IdempotentResult<Presented>> {
    let changedIds: readonly number[] = [];
    const work = async (transaction: WriteTransaction) => {
      const found = await this.#findMany(transaction, organizationId, ids);
      for (const { updatedAt } of found) checkIfMatch(ifMatch, updatedAt);
      const current = await this.#expireDue(transaction, found, now);
      const changed = current
        .filter(({ deletedAt }) => deletedAt === null)
        .map((before) => ({ before, url: { ...deactivated(before, now), deletedAt: now } }));
      changedIds = changed.map(({ url }) => url.id);
      await this.#delete(transaction, organizationId, changed, now);
      const deleted = new Map(changed.map(({ url }) => [url.id, url]));
      return present(current.map((url) => deleted.get(url.id) ?? url));
    };
    const isBulk = ids.length > 1;
    return writeOnce(this.#database, organizationId, write, work, {
      isBulk,
      audit: () => auditOf(changedIds),
    });
  }

  /**
   * Deactivates up to `limit` links that are due, with their events, in one transaction for each
   * organization. Returns their ids. Starts no write transaction if none is due.
   */
  async expireDue(now: number, limit: number): Promise<number[]> {
    const found = await selectDue(this.#database.read, now, limit);
    const organizationIds = [...new Set(found.map((url) => url.organizationId))];
    const expired = await Promise.all(
      organizationIds.map((organizationId) =>
        this.#database.writeDirectly(
          async (transaction) => {
            // Some may have changed meanwhile.
            const ids = found.flatMap((url) =>
              url.organizationId === organizationId ? url.id : [],
            );
            const urls = await this.#findMany(transaction, organizationId, ids);
            const due = urls.filter((url) => isDue(url, now));
            await this.#expire(transaction, due, now);
            return due.map(({ id }) => id);
          },
          { organizationId },
        ),
      ),
    );
    return expired.flat();
  }

  async #findOneByKey({ domain_key, key }: DomainAndKey): Promise<FoundUrl | undefined> {
    const { rows } = await this.#database.read.executeQuery(this.#byKey(domain_key, key));
    const [row] = rows;
    return row && toFound(row);
  }

  async #find(
    db: Kysely<Schema>,
    organizationId: string,
    id: number,
  ): Promise<ShortUrl | undefined> {
    const { rows } = await db.executeQuery(this.#byId(id, organizationId));
    const [row] = rows;
    return row && !isBeingErased(row) ? fromRow(row) : undefined;
  }

  async #createAll(
    transaction: WriteTransaction,
    drafts: readonly UrlDraft[],
    context: CreateContext,
  ): Promise<CreateOutcome[]> {
    const { organizationId, now } = context;
    if (drafts.length === 0) return [];
    const domains = await findActiveDomains(
      transaction,
      organizationId,
      drafts.map(({ body }) => body.domainId ?? null),
    );
    const firstId = await this.#ids.allocate(transaction, drafts.length);
    const urls = drafts.map((draft, index) => {
      const hostname = domains.get(draft.body.domainId ?? '') ?? null;
      const shortCode = context.newShortCode();
      return newUrl(draft, { id: firstId + index, organizationId, shortCode, hostname }, now);
    });
    const refused = new Map<number, CreateOutcome>();
    const accepted = new Map<number, ShortUrl>();
    // Maps the slugs of stored links, and the keys of links that this request has accepted so far, to
    // link ids.
    const owners = await findKeyOwners(transaction, urls.flatMap(slugsOf));
    for (const key of await findRetiredKeys(transaction, urls.flatMap(slugsOf))) {
      owners.set(mapKeyOf(key), noUrl);
    }
    const externalIds = await findExternalIds(
      transaction,
      organizationId,
      urls.map(({ externalId }) => externalId),
    );
    const local = new Set(await this.#options.loops.findLocal(transaction, urls));
    const existing = new Map<number, ShortUrl>();
    let checked = 0;
    const findAccepted = (mapKey: string) => accepted.get(owners.get(mapKey) ?? 0);
    for (const [index, draft] of urls.entries()) {
      if (drafts[index]?.body.ifExists === 'return') {
        if (index % linksAtOnce === linksAtOnce - 1) await yieldToEventLoop();
        const equivalent =
          (await findEquivalent(transaction, draft)) ??
          [...accepted.values()].find((url) => isEquivalent(url, draft));
        if (equivalent) {
          existing.set(draft.id, equivalent);
          continue;
        }
      }
      if (draft.domainId !== null && !domains.has(draft.domainId)) {
        refused.set(draft.id, { status: 'domain-invalid' });
        continue;
      }
      const domain_key = domainKeyOf(draft.domainId);
      const { customSlug } = draft;
      if (customSlug !== null && owners.has(mapKeyOf({ domain_key, key: customSlug }))) {
        refused.set(draft.id, { status: 'slug-conflict' });
        continue;
      }
      if (draft.externalId !== null) {
        if (externalIds.has(draft.externalId)) {
          refused.set(draft.id, { status: 'external-id-conflict' });
          continue;
        }
        externalIds.set(draft.externalId, draft.id);
      }
      let { shortCode } = draft;
      while (shortCode === customSlug || owners.has(mapKeyOf({ domain_key, key: shortCode }))) {
        shortCode = context.newShortCode();
      }
      const url = shortCode === draft.shortCode ? draft : { ...draft, shortCode };
      if (local.has(draft)) {
        checked += 1;
        if (checked % linksAtOnce === 0) await yieldToEventLoop();
        const path = await this.#options.loops.findLoop(transaction, url, findAccepted);
        if (path !== undefined) {
          refused.set(url.id, { status: 'loop', path });
          continue;
        }
      }
      accepted.set(url.id, url);
      for (const key of keysOf(url)) owners.set(mapKeyOf(key), url.id);
    }

    // Paused links do not count towards the plan.
    const active = [...accepted.values()].filter(({ isActive }) => isActive);
    const { free, quota } = await reserveLinks(
      transaction,
      this.#options.plans,
      organizationId,
      active.length,
    );
    for (const { id } of active.slice(free)) {
      refused.set(id, { status: 'quota-exceeded', quota });
      accepted.delete(id);
    }
    await releaseLinks(transaction, organizationId, active.length - free);
    const created = [...accepted.values()];
    const creation = { organizationId, urls: created, now };
    // Other works of the transaction may look for a slug, an external id or an equal link, or for the
    // links of a domain. Nobody knows the other links yet.
    const isKnown =
      created.some(
        (url) => url.customSlug !== null || url.externalId !== null || url.domainId !== null,
      ) || drafts.some(({ body }) => body.ifExists === 'return');
    if (isKnown) await this.#insertCreated(transaction, [creation]);
    else if (created.length > 0) handleAtCommit(transaction, this.#insertCreated, creation);
    return urls.map(({ id }) => {
      const found = existing.get(id);
      // A link of this request may have been refused after it was found.
      if (found) return refused.get(found.id) ?? existingOutcome(found);
      return refused.get(id) ?? createdOutcome(accepted.get(id) as ShortUrl);
    });
  }

  /** Inserts new links, and writes their events. Throws a UniqueViolationError if a short code is taken. */
  readonly #insertCreated = async (
    transaction: WriteTransaction,
    creations: readonly NewLinks[],
  ): Promise<void> => {
    const urls = creations.flatMap((creation) => creation.urls);
    for await (const slice of slicesOf(urls, this.#linksPerInsert)) {
      const keys = slice.flatMap(keysOf);
      await this.#database.bulkInsert(transaction, 'urls', slice.map(toRow));
      await this.#database.bulkInsert(transaction, 'url_keys', keys);
      const [retired] = await findRetiredKeys(transaction, keys);
      if (retired !== undefined) throw new UniqueViolationError(`${retired.key} is retired`);
    }
    const organizationIds = [...new Set(creations.map(({ organizationId }) => organizationId))];
    await this.#options.outbox.skipWithoutWebhooks(transaction, organizationIds);
    for (const { organizationId, urls: own, now } of creations) {
      await this.#record(transaction, urlCreated, organizationId, own, now);
    }
  };

  /**
   * Writes changes of different links, in order; undefined stands for an unknown link. The number of
   * statements does not grow with the number of links, except for links that move to another domain, or
   * whose target is on this server.
   */
  async #updateAll(
    transaction: WriteTransaction,
    changes: readonly (ItemChange | undefined)[],
    activeLinks: ActiveLinks,
    { organizationId, now }: WriteContext,
  ): Promise<ItemOutcome[]> {
    const { loops } = this.#options;
    const candidates = changes.flatMap((each) => (each?.ok ? [each] : []));
    const hostnames = await findActiveDomains(
      transaction,
      organizationId,
      candidates.filter(needsDomain).map(({ url }) => url.domainId),
    );
    const local = new Set(
      await loops.findLocal(
        transaction,
        candidates.filter(needsLoopCheck).map(({ url }) => url),
      ),
    );
    // Ids that other links give up in this request are free for the next one.
    const externalIds = await findExternalIds(
      transaction,
      organizationId,
      candidates.filter(getsExternalId).map(({ url }) => url.externalId),
    );
    let unwritten: ShortUrl[] = [];
    const writeAll = async () => {
      const rows = unwritten;
      unwritten = [];
      for await (const slice of slicesOf(rows)) {
        await this.#database.updateEach(transaction, 'urls', slice.map(toUpdate));
      }
    };
    const update = async (candidate: ChangedUrl): Promise<ItemOutcome> => {
      const { before, url: changed } = candidate;
      // No event and no new `updatedAt`.
      if (isDeepStrictEqual(changed, before)) return { status: 'unchanged', url: before };
      let url: ShortUrl = { ...changed, updatedAt: nextUpdatedAt(before.updatedAt, now) };
      if (needsDomain(candidate)) {
        const hostname = url.domainId === null ? null : hostnames.get(url.domainId);
        if (hostname === undefined) return { status: 'domain-invalid' };
        url = { ...url, hostname };
      }
      if (getsExternalId(candidate)) {
        const externalId = changed.externalId as string;
        if (externalIds.has(externalId)) return { status: 'external-id-conflict' };
        externalIds.set(externalId, changed.id);
      }
      if (local.has(changed)) {
        // The detection reads the targets of the links before this one.
        await writeAll();
        const path = await loops.findLoop(transaction, url);
        if (path !== undefined) return { status: 'loop', path };
      }
      if (url.isActive && !before.isActive) {
        const quota = await activeLinks.take();
        if (quota) return { status: 'quota-exceeded', quota };
      }
      // The link keeps its keys on the old domain, because printed copies use them.
      if (moves(candidate) && !(await this.#insertKeys(transaction, url))) {
        if (url.isActive && !before.isActive) activeLinks.release();
        return { status: 'slug-conflict' };
      }
      if (before.isActive && !url.isActive) activeLinks.release();
      unwritten.push(url);
      return { status: 'updated', before, url };
    };
    const outcomes: ItemOutcome[] = [];
    for (const [index, each] of changes.entries()) {
      if (index % linksAtOnce === linksAtOnce - 1) await yieldToEventLoop();
      if (!each) outcomes.push({ status: 'not-found' });
      else if (!each.ok) outcomes.push({ status: 'refused', error: each.error });
      else outcomes.push(await update(each));
    }
    await writeAll();
    return outcomes;
  }

  /** Returns the links of an organization by id. Those that are due have expired. */
  async #findToUpdate(
    transaction: WriteTransaction,
    ids: readonly number[],
    { organizationId, now, ifMatch }: WriteContext,
  ): Promise<Map<number, ShortUrl>> {
    const found = await this.#findMany(transaction, organizationId, ids);
    for (const { updatedAt } of found) checkIfMatch(ifMatch, updatedAt);
    const current = await this.#expireDue(transaction, found, now);
    return new Map(current.map((url) => [url.id, url]));
  }

  /**
   * Returns links before a change. One that is due expires first, even if the periodic expiry has not
   * reached it yet.
   */
  async #expireDue(
    transaction: WriteTransaction,
    found: readonly ShortUrl[],
    now: number,
  ): Promise<ShortUrl[]> {
    const due = found.filter((url) => isDue(url, now));
    await this.#expire(transaction, due, now);
    return found.map((url) => (isDue(url, now) ? deactivated(url, now) : url));
  }

  async #findMany(
    transaction: Kysely<Schema>,
    organizationId: string,
    ids: readonly number[],
  ): Promise<ShortUrl[]> {
    // PostgreSQL has no empty list.
    const rows = await selectUrls(transaction)
      .where('urls.id', 'in', ids.length === 0 ? [noUrl] : ids)
      .execute();
    // Not in SQL: SQLite would search the index of the organization instead of the ids.
    return rows
      .filter((row) => row.organizationId === organizationId && !isBeingErased(row))
      .map(fromRow);
  }

  /** Inserts the keys of a link on its new domain. Returns false when another link has, or had, one. */
  async #insertKeys(transaction: WriteTransaction, url: ShortUrl): Promise<boolean> {
    const keys = keysOf(url);
    const owners = await findKeyOwners(transaction, keys);
    if ([...owners.values()].some((id) => id !== url.id)) return false;
    const free = keys.filter((key) => !owners.has(mapKeyOf(key)));
    if ((await findRetiredKeys(transaction, free)).length > 0) return false;
    await this.#database.bulkInsert(transaction, 'url_keys', free);
    return true;
  }

  /** Deactivates links that are due, and writes their events. */
  async #expire(
    transaction: WriteTransaction,
    due: readonly ShortUrl[],
    now: number,
  ): Promise<void> {
    if (due.length === 0) return;
    const ids = due.map(({ id }) => id);
    await transaction
      .updateTable('urls')
      .set({ is_active: 0, updated_at: nextUpdatedAtOfRow(now) })
      .where('id', 'in', ids)
      .execute();
    for (const organizationId of new Set(due.map((url) => url.organizationId))) {
      const own = due.filter((url) => url.organizationId === organizationId);
      await releaseLinks(transaction, organizationId, own.length);
      const urls = own.map((url) => deactivated(url, now));
      await this.#record(transaction, urlExpired, organizationId, urls, now);
    }
  }

  /** Stores that links of an organization are deleted, and writes their events. */
  async #delete(
    transaction: WriteTransaction,
    organizationId: string,
    changed: readonly ChangedUrl[],
    now: number,
  ): Promise<void> {
    if (changed.length === 0) return;
    const urls = changed.map(({ url }) => url);
    await transaction
      .updateTable('urls')
      .set({ is_active: 0, deleted_at: now, updated_at: nextUpdatedAtOfRow(now) })
      .where(
        'id',
        'in',
        urls.map(({ id }) => id),
      )
      .execute();
    const active = changed.filter(({ before }) => before.isActive);
    await releaseLinks(transaction, organizationId, active.length);
    await this.recordUpdates(transaction, organizationId, changed, now);
    const { toEventData } = this.#options;
    await this.#recordEach(transaction, urlDeleted, organizationId, urls, now, (url) => ({
      data: { ...toEventData(url, now), isErased: false },
      subject: subjectOf(url),
    }));
  }

  /** Writes an event for each link. */
  #record(
    transaction: WriteTransaction,
    event: RecordEvent,
    organizationId: string,
    urls: readonly ShortUrl[],
    now: number,
  ): Promise<void> {
    const { toEventData } = this.#options;
    return this.#recordEach(transaction, event, organizationId, urls, now, (url) => ({
      data: toEventData(url, now),
      subject: subjectOf(url),
    }));
  }

  /** Writes `url.updated` for each link, in the transaction that changes it. */
  recordUpdates(
    transaction: WriteTransaction,
    organizationId: string,
    changed: readonly ChangedUrl[],
    now: number,
  ): Promise<void> {
    const { toEventData } = this.#options;
    return this.#recordEach(transaction, urlUpdated, organizationId, changed, now, (change) => {
      const data = toEventData(change.url, now);
      const previous = previousOf(toEventData(change.before, now), data);
      return { data: { ...data, previous }, subject: subjectOf(change.url) };
    });
  }

  async #recordEach<Event extends RecordEvent | typeof urlUpdated | typeof urlDeleted, Item>(
    transaction: WriteTransaction,
    event: Event,
    organizationId: string,
    items: readonly Item[],
    now: number,
    describe: (item: Item) => NewEvent<Event>,
  ): Promise<void> {
    const { outbox } = this.#options;
    for await (const slice of slicesOf(items)) {
      const isSubscribed = await outbox.record(transaction, organizationId, event, now, () =>
        slice.map(describe),
      );
      if (!isSubscribed) return;
    }
  }
}

/** Selects links by their keys, with what a redirect needs of their organizations. */
function selectFound(db: Kysely<Schema>) {
  return selectUrls(db)
    .innerJoin('url_keys', 'url_keys.url_id', 'urls.id')
    .innerJoin('organizations', 'organizations.id', 'urls.organization_id')
    .select(['url_keys.domain_key as domain_key', 'url_keys.key as key'])
    .select(['suspended_at as suspendedAt', 'exclude_addresses as excludeAddresses'])
    .select('domains.ignore_case as domainIgnoresCase')
    .select('domains.forward_query as domainForwardsQuery')
    .select('domains.forward_path as domainForwardsPath');
}

type FoundRow = Awaited<ReturnType<ReturnType<typeof selectFound>['execute']>>[number];

function toFound(row: FoundRow): FoundUrl {
  const { suspendedAt, excludeAddresses, domainForwardsQuery, domainForwardsPath } = row;
  return {
    url: fromRow(row),
    isSuspended: suspendedAt !== null,
    excludeAddresses,
    domainSettings:
      row.domainId === null
        ? null
        : {
            forwarding: { query: domainForwardsQuery === 1, path: domainForwardsPath === 1 },
            ignoresCase: row.domainIgnoresCase === 1,
          },
  };
}

/** Returns a function that finds the links of several keys by one statement of PostgreSQL. */
function findByKeys(db: Kysely<Schema>) {
  // Two arrays, so that one prepared statement serves any number of keys.
  const none: readonly string[] = [];
  const query = prepare(
    selectFound(db).where(
      sql<boolean>`(url_keys.domain_key, url_keys.key) in
        (select * from unnest(${none}::text[], ${none}::text[]))`,
    ),
  );
  return async (keys: readonly DomainAndKey[]) => {
    const { rows } = await db.executeQuery(
      query(
        keys.map(({ domain_key }) => domain_key),
        keys.map(({ key }) => key),
      ),
    );
    const found = new Map(rows.map((row) => [mapKeyOf(row), row]));
    return keys.map((key) => {
      const row = found.get(mapKeyOf(key));
      return row && toFound(row);
    });
  };
}

/** Returns what the audit log says about changed links; null if there are none. */
function auditOf(ids: readonly number[]): AuditTarget | null {
  const changed = new Set(ids);
  const [id] = changed.size === 1 ? changed : [];
  return changed.size === 0 ? null : { type: 'url', id, count: changed.size };
}

/** Splits ids into parts without repeated ids, in order. */
function roundsOf(ids: readonly number[]): Item[][] {
  const rounds: Item[][] = [];
  let seen = new Set<number>();
  for (const [index, id] of ids.entries()) {
    if (index === 0 || seen.has(id)) {
      rounds.push([]);
      seen = new Set();
    }
    seen.add(id);
    rounds.at(-1)?.push({ id, index });
  }
  return rounds;
}

function moves({ before, url }: ChangedUrl): boolean {
  return url.domainId !== before.domainId;
}

/** The domain of an inactive link may have been deleted. */
function needsDomain(change: ChangedUrl): boolean {
  return moves(change) || (change.url.isActive && !change.before.isActive);
}

function getsExternalId({ before, url }: ChangedUrl): boolean {
  return url.externalId !== null && url.externalId !== before.externalId;
}

function needsLoopCheck(change: ChangedUrl): boolean {
  const { before, url } = change;
  return (
    needsDomain(change) ||
    url.targetUrl !== before.targetUrl ||
    url.expiredUrl !== before.expiredUrl ||
    url.rules !== before.rules
  );
}

function toUpdate(url: ShortUrl) {
  const { id, ...set } = toRow(url);
  return { set, where: { id } };
}

function isDue(url: ShortUrl, now: number): boolean {
  return url.isActive && isExpired(url, now);
}

function deactivated(url: ShortUrl, now: number): ShortUrl {
  return { ...url, isActive: false, updatedAt: nextUpdatedAt(url.updatedAt, now) };
}

function subjectOf({ id, domainId, tags }: ShortUrl): EventSubject {
  return { urlId: id, domainId, tags: formatTags(tags) };
}

/** Yields a few links at a time, with a turn of the event loop in between. */
async function* slicesOf<Item>(
  items: readonly Item[],
  size = linksPerSlice,
): AsyncGenerator<readonly Item[]> {
  for (let at = 0; at < items.length; at += size) {
    if (at > 0) await yieldToEventLoop();
    yield items.slice(at, at + size);
  }
}

function createdOutcome({ id, shortCode, hostname }: ShortUrl): CreateOutcome {
  return { status: 'created', id, shortCode, hostname: hostname ?? undefined };
}

function existingOutcome(url: ShortUrl): CreateOutcome {
  const { id, shortCode, hostname, customSlug, createdAt } = url;
  return {
    status: 'existing',
    id,
    shortCode,
    hostname: hostname ?? undefined,
    customSlug,
    createdAt,
  };
}

/** Returns up to `limit` links that are active although `expiresAt` has passed. */
async function selectDue(db: Kysely<Schema>, now: number, limit: number): Promise<ShortUrl[]> {
  const rows = await selectUrls(db)
    .where('urls.is_active', '=', 1)
    .where('expires_at', 'is not', null)
    .where('expires_at', '<=', now)
    .orderBy('expires_at')
    .limit(limit)
    .execute();
  return rows.map(fromRow);
}

/** Returns the hostnames of active domains of an organization, by id. */
async function findActiveDomains(
  transaction: WriteTransaction,
  organizationId: string,
  ids: readonly (string | null)[],
): Promise<ReadonlyMap<string, string>> {
  const wanted = [...new Set(ids)].filter((id) => id !== null);
  if (wanted.length === 0) return new Map();
  const rows = await transaction
    .selectFrom('domains')
    .select(['id', 'hostname'])
    .where('organization_id', '=', organizationId)
    .where('is_active', '=', 1)
    .where('id', 'in', wanted)
    .execute();
  return new Map(rows.map((row) => [row.id, row.hostname]));
}
