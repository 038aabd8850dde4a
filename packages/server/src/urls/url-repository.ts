import type { CompiledQuery } from 'kysely';
import type { ErrorDetail } from '../contract/errors.js';
import { findActiveDomains } from '../domains/find-active-domains.js';
import type { DataOfEvent } from '../events/define-event.js';
import type { EventOutbox } from '../events/event-outbox.js';
import {
  findStoredResult,
  type IdempotentRequest,
  type IdempotentResult,
  withIdempotencyKey,
} from '../idempotency/with-idempotency-key.js';
import { releaseLinks, reserveLinks } from '../organizations/link-quota.js';
import { type PlanTable, standardPlans } from '../organizations/plans.js';
import type { Database, WriteTransaction } from '../storage/database.js';
import { prepare } from '../storage/prepared.js';
import { yieldToEventLoop } from '../yield-to-event-loop.js';
import { allocateUrlIds } from './allocate-url-ids.js';
import type { LoopDetector } from './loop-detector.js';
import { isExpired, type ShortUrl, type UrlDraft, urlOf } from './short-url.js';
import { urlCreated, urlExpired, urlUpdated } from './url-events.js';
import { domainKeyOf, findKeyOwners, keysOf, mapKeyOf } from './url-keys.js';
import { selectUrls } from './url-query.js';
import { fromRow, toRow, type UrlRow } from './url-row.js';

/** The outcome of one draft, which is stored with its idempotency key. */
export type CreateOutcome =
  | {
      readonly status: 'created';
      readonly id: number;
      readonly shortCode: string;
      /** The hostname of the custom domain; undefined on the platform's domain. */
      readonly hostname: string | undefined;
    }
  | { readonly status: 'slug-conflict' | 'quota-exceeded' | 'domain-invalid' | 'loop' };

/** The outcome of one change. */
export type UpdateOutcome =
  | { readonly status: 'updated'; readonly url: ShortUrl }
  | {
      readonly status: 'not-found' | 'slug-conflict' | 'quota-exceeded' | 'domain-invalid' | 'loop';
    }
  | { readonly status: 'refused'; readonly error: ErrorDetail };

/** The new state of a link, or why it cannot change. */
export type UrlChange =
  | { readonly ok: true; readonly url: ShortUrl }
  | { readonly ok: false; readonly error: ErrorDetail };

export interface CreateContext<Result> {
  readonly organizationId: string;
  readonly now: number;
  readonly newShortCode: () => string;
  readonly idempotency: IdempotentRequest | undefined;
  /** Returns the result that is stored with the idempotency key and returned to repeated requests. */
  readonly toResult: (outcomes: readonly CreateOutcome[]) => Result;
}

export interface UrlRepositoryOptions {
  readonly outbox: EventOutbox;
  /** Returns the public record of a link for its events. */
  readonly toEventData: (url: ShortUrl, now: number) => DataOfEvent<typeof urlCreated>;
  readonly plans?: PlanTable;
  readonly loops: LoopDetector;
}

// Links that are updated, or checked for loops, in one turn of the event loop. Takes about 2 ms.
const linksAtOnce = 4;
// Links that are inserted, or whose events are written, in one turn of the event loop.
const linksPerSlice = 10;

/** Stores links and their keys. Every method is one transaction. */
export class UrlRepository {
  readonly #database: Database;
  readonly #outbox: EventOutbox;
  readonly #toEventData: UrlRepositoryOptions['toEventData'];
  readonly #plans: PlanTable;
  readonly #loops: LoopDetector;
  // A prepared query, because redirects of uncached links wait for it.
  readonly #byKey: (domainKey: string, key: string) => CompiledQuery<UrlRow>;

  constructor(database: Database, options: UrlRepositoryOptions) {
    this.#database = database;
    this.#byKey = prepare(
      selectUrls(database.read)
        .innerJoin('url_keys', 'url_keys.url_id', 'urls.id')
        .where('url_keys.domain_key', '=', '')
        .where('url_keys.key', '=', ''),
    );
    this.#outbox = options.outbox;
    this.#toEventData = options.toEventData;
    this.#plans = options.plans ?? standardPlans;
    this.#loops = options.loops;
  }

  /**
   * Creates links from drafts in order and returns the outcome of each. Writes the quota, keys, links
   * and events in one transaction.
   */
  createMany<Result>(
    drafts: readonly UrlDraft[],
    context: CreateContext<Result>,
  ): Promise<IdempotentResult<Result>> {
    return this.#database.write(
      context.organizationId,
      (transaction) =>
        withIdempotencyKey(transaction, context.idempotency, async () =>
          context.toResult(await this.#createAll(transaction, drafts, context)),
        ),
      { isBulk: drafts.length > 1 },
    );
  }

  /** Returns the result of an earlier `createMany` with the same Idempotency-Key. */
  findFirstResult<Result>(
    request: IdempotentRequest,
  ): Promise<IdempotentResult<Result> | undefined> {
    return findStoredResult(this.#database.read, request);
  }

  async find(organizationId: string, id: number): Promise<ShortUrl | undefined> {
    const row = await selectUrls(this.#database.read)
      .where('urls.id', '=', id)
      .where('urls.organization_id', '=', organizationId)
      .executeTakeFirst();
    return row && fromRow(row);
  }

  /** Returns the link of a key on a domain; `domainId` null is the platform's domain. */
  async findByKey(domainId: string | null, key: string): Promise<ShortUrl | undefined> {
    const { rows } = await this.#database.read.executeQuery(
      this.#byKey(domainKeyOf(domainId), key),
    );
    const [row] = rows;
    return row && fromRow(row);
  }

  /**
   * Changes links by id, in order. `change` returns the new state of a link. When an id is repeated,
   * the second call gets the state after the first change.
   */
  updateMany(
    organizationId: string,
    ids: readonly number[],
    now: number,
    change: (url: ShortUrl, index: number) => UrlChange,
  ): Promise<UpdateOutcome[]> {
    const work = async (transaction: WriteTransaction) => {
      const outcomes: UpdateOutcome[] = [];
      const changed: ShortUrl[] = [];
      for (const [index, id] of ids.entries()) {
        if (index % linksAtOnce === linksAtOnce - 1) await yieldToEventLoop();
        const outcome = await this.#update(transaction, organizationId, id, now, (url) =>
          change(url, index),
        );
        outcomes.push(outcome);
        if (outcome.status === 'updated') changed.push(outcome.url);
      }
      await this.#record(transaction, urlUpdated, organizationId, changed, now);
      return outcomes;
    };
    return this.#database.write(organizationId, work, { isBulk: ids.length > 1 });
  }

  /** Deactivates links. Returns the ids that belong to the organization. */
  deactivateMany(organizationId: string, ids: readonly number[], now: number): Promise<number[]> {
    const work = async (transaction: WriteTransaction) => {
      const rows = await selectUrls(transaction)
        .where('urls.organization_id', '=', organizationId)
        .where('urls.id', 'in', ids)
        .execute();
      await this.#expire(transaction, rows.filter(isDueBy(now)), now);
      const active = rows.filter((row) => row.is_active === 1 && !isDueBy(now)(row));
      await this.#deactivate(transaction, active, now);
      await this.#record(
        transaction,
        urlUpdated,
        organizationId,
        active.map((row) => ({ ...fromRow(row), isActive: false, updatedAt: now })),
        now,
      );
      return rows.map((row) => row.id);
    };
    return this.#database.write(organizationId, work, { isBulk: ids.length > 1 });
  }

  /** Deactivates up to `limit` links that are due, with their events, and returns their ids. */
  expireDue(now: number, limit: number): Promise<number[]> {
    return this.#database.writeDirectly(async (transaction) => {
      const rows = await selectUrls(transaction)
        .where('urls.is_active', '=', 1)
        .where('urls.expires_at', 'is not', null)
        .where('urls.expires_at', '<=', now)
        .orderBy('urls.expires_at')
        .limit(limit)
        .execute();
      await this.#expire(transaction, rows, now);
      return rows.map((row) => row.id);
    });
  }

  /** Returns whether a link is due: active although `expiresAt` has passed. */
  async hasDue(now: number): Promise<boolean> {
    const row = await this.#database.read
      .selectFrom('urls')
      .select('id')
      .where('is_active', '=', 1)
      .where('expires_at', 'is not', null)
      .where('expires_at', '<=', now)
      .limit(1)
      .executeTakeFirst();
    return row !== undefined;
  }

  async #createAll(
    transaction: WriteTransaction,
    drafts: readonly UrlDraft[],
    context: CreateContext<unknown>,
  ): Promise<CreateOutcome[]> {
    const { organizationId, now } = context;
    if (drafts.length === 0) return [];
    const domains = await findActiveDomains(
      transaction,
      organizationId,
      drafts.map((draft) => draft.domainId),
    );
    const firstId = await allocateUrlIds(transaction, drafts.length);
    const urls = drafts.map((draft, index) => {
      const hostname = draft.domainId === null ? null : (domains.get(draft.domainId) ?? null);
      const shortCode = context.newShortCode();
      return urlOf(draft, { id: firstId + index, organizationId, shortCode, hostname }, now);
    });
    const refused = new Map<number, CreateOutcome>();
    const accepted = new Map<number, ShortUrl>();
    // Maps the keys of stored links, and of links that this request has accepted so far, to link ids.
    const owners: Map<string, number> = await findKeyOwners(transaction, urls.flatMap(keysOf));
    const local = new Set(await this.#loops.findLocal(transaction, urls));
    let checked = 0;
    const findAccepted = (mapKey: string) => accepted.get(owners.get(mapKey) ?? 0);
    for (const draft of urls) {
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
      const shortCode = await this.#findFreeCode(transaction, draft, owners, context.newShortCode);
      const url = shortCode === draft.shortCode ? draft : { ...draft, shortCode };
      if (local.has(draft)) {
        checked += 1;
        if (checked % linksAtOnce === 0) await yieldToEventLoop();
        if (await this.#loops.leadsBack(transaction, url, findAccepted)) {
          refused.set(url.id, { status: 'loop' });
          continue;
        }
      }
      accepted.set(url.id, url);
      for (const key of keysOf(url)) owners.set(mapKeyOf(key), url.id);
    }

    const free = await reserveLinks(transaction, this.#plans, organizationId, accepted.size);
    const created = [...accepted.values()].slice(0, free);
    for (const { id } of [...accepted.values()].slice(free)) {
      refused.set(id, { status: 'quota-exceeded' });
    }
    await releaseLinks(transaction, organizationId, accepted.size - created.length);
    await inSlices(created, async (slice) => {
      await this.#database.bulkInsert(transaction, 'urls', slice.map(toRow));
      await this.#database.bulkInsert(transaction, 'url_keys', slice.flatMap(keysOf));
    });
    await this.#record(transaction, urlCreated, organizationId, created, now);
    return urls.map(({ id }) => refused.get(id) ?? createdOutcome(accepted.get(id) as ShortUrl));
  }

  /** Returns the short code of a new link, or a new code when another link has it on this domain. */
  async #findFreeCode(
    transaction: WriteTransaction,
    { domainId, shortCode, customSlug }: ShortUrl,
    owners: ReadonlyMap<string, number>,
    newShortCode: () => string,
  ): Promise<string> {
    const domain_key = domainKeyOf(domainId);
    for (let code = shortCode; ; code = newShortCode()) {
      if (code === customSlug || owners.has(mapKeyOf({ domain_key, key: code }))) continue;
      // The caller has looked up the first code in storage.
      if (code === shortCode) return code;
      const stored = await findKeyOwners(transaction, [{ domain_key, key: code }]);
      if (stored.size === 0) return code;
    }
  }

  async #update(
    transaction: WriteTransaction,
    organizationId: string,
    id: number,
    now: number,
    change: (url: ShortUrl) => UrlChange,
  ): Promise<UpdateOutcome> {
    const row = await selectUrls(transaction)
      .where('urls.id', '=', id)
      .where('urls.organization_id', '=', organizationId)
      .executeTakeFirst();
    if (!row) return { status: 'not-found' };
    // A link that is due expires first, even if the periodic expiry has not reached it yet.
    const isDue = isDueBy(now)(row);
    if (isDue) await this.#expire(transaction, [row], now);
    const before = fromRow(isDue ? { ...row, is_active: 0, updated_at: now } : row);
    const changed = change(before);
    if (!changed.ok) return { status: 'refused', error: changed.error };
    let url: ShortUrl = { ...changed.url, updatedAt: now };
    const moves = url.domainId !== before.domainId;
    const activeChange = Number(url.isActive) - Number(before.isActive);
    // The domain of an inactive link may have been deleted.
    if (moves || activeChange > 0) {
      const domains = await findActiveDomains(transaction, organizationId, [url.domainId]);
      const hostname = url.domainId === null ? null : domains.get(url.domainId);
      if (hostname === undefined) return { status: 'domain-invalid' };
      url = { ...url, hostname };
    }
    if (moves || activeChange > 0 || url.targetUrl !== before.targetUrl) {
      const [local] = await this.#loops.findLocal(transaction, [url]);
      if (local && (await this.#loops.leadsBack(transaction, url))) return { status: 'loop' };
    }
    if (activeChange > 0 && (await reserveLinks(transaction, this.#plans, organizationId, 1)) < 1) {
      await releaseLinks(transaction, organizationId, 1);
      return { status: 'quota-exceeded' };
    }
    // The link keeps its keys on the old domain, because printed copies use them.
    if (moves && !(await this.#insertKeys(transaction, url))) {
      if (activeChange > 0) await releaseLinks(transaction, organizationId, 1);
      return { status: 'slug-conflict' };
    }
    if (activeChange < 0) await releaseLinks(transaction, organizationId, 1);
    const { id: _, ...columns } = toRow(url);
    await transaction.updateTable('urls').set(columns).where('id', '=', id).execute();
    return { status: 'updated', url };
  }

  /** Inserts the keys of a link on its new domain. Returns false when another link has one of them. */
  async #insertKeys(transaction: WriteTransaction, url: ShortUrl): Promise<boolean> {
    const keys = keysOf(url);
    const owners = await findKeyOwners(transaction, keys);
    if ([...owners.values()].some((id) => id !== url.id)) return false;
    const free = keys.filter((key) => !owners.has(mapKeyOf(key)));
    await this.#database.bulkInsert(transaction, 'url_keys', free);
    return true;
  }

  async #expire(
    transaction: WriteTransaction,
    rows: readonly UrlRow[],
    now: number,
  ): Promise<void> {
    await this.#deactivate(transaction, rows, now);
    for (const [organizationId, expired] of byOrganization(rows)) {
      const urls = expired.map((row) => ({ ...fromRow(row), isActive: false, updatedAt: now }));
      await this.#record(transaction, urlExpired, organizationId, urls, now);
    }
  }

  async #deactivate(
    transaction: WriteTransaction,
    rows: readonly UrlRow[],
    now: number,
  ): Promise<void> {
    if (rows.length === 0) return;
    await transaction
      .updateTable('urls')
      .set({ is_active: 0, updated_at: now })
      .where(
        'id',
        'in',
        rows.map((row) => row.id),
      )
      .execute();
    for (const [organizationId, own] of byOrganization(rows)) {
      await releaseLinks(transaction, organizationId, own.length);
    }
  }

  /** Writes an event for each link. */
  async #record(
    transaction: WriteTransaction,
    event: typeof urlCreated | typeof urlUpdated | typeof urlExpired,
    organizationId: string,
    urls: readonly ShortUrl[],
    now: number,
  ): Promise<void> {
    await inSlices(urls, (slice) =>
      this.#outbox.record(transaction, organizationId, event, now, () =>
        slice.map((url) => this.#toEventData(url, now)),
      ),
    );
  }
}

/** Calls `work` for a few links at a time, with a turn of the event loop in between. */
async function inSlices(
  urls: readonly ShortUrl[],
  work: (slice: readonly ShortUrl[]) => Promise<void>,
): Promise<void> {
  for (let at = 0; at < urls.length; at += linksPerSlice) {
    if (at > 0) await yieldToEventLoop();
    await work(urls.slice(at, at + linksPerSlice));
  }
}

function createdOutcome({ id, shortCode, hostname }: ShortUrl): CreateOutcome {
  return { status: 'created', id, shortCode, hostname: hostname ?? undefined };
}

/** Returns a predicate for links that are active although `expiresAt` has passed. */
function isDueBy(now: number): (row: UrlRow) => boolean {
  return (row) => row.is_active === 1 && isExpired({ expiresAt: row.expires_at }, now);
}

function byOrganization<Row extends { organization_id: string }>(
  rows: readonly Row[],
): ReadonlyMap<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(row.organization_id);
    if (group) group.push(row);
    else groups.set(row.organization_id, [row]);
  }
  return groups;
}
