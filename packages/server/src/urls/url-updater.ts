import { isDeepStrictEqual } from 'node:util';
import type { IsOwnHost } from '../domains/own-hosts.js';
import { ActiveLinks } from '../organizations/link-quota.js';
import type { PlanTable } from '../organizations/plans.js';
import { nextUpdatedAt } from '../preconditions/if-match.js';
import type { Database, WriteTransaction } from '../storage/database.js';
import { yieldToEventLoop } from '../yield-to-event-loop.js';
import type { UrlChange } from './change-url.js';
import { findOwnTargets } from './check-target.js';
import { findExternalIds } from './find-existing.js';
import { findRetiredKeys } from './retired-keys.js';
import { type ShortUrl, toRow } from './short-url.js';
import { urlRestored } from './url-events.js';
import { findActiveDomains, findKeyOwners, keysOf, mapKeyOf } from './url-keys.js';
import type { UrlLifeCycle } from './url-life-cycle.js';
import type { UrlRecorder } from './url-recorder.js';
import {
  type ChangedUrl,
  linksAtOnce,
  linksPerWrite,
  type RefusedUpdate,
  slicesOf,
  type UpdateOutcome,
  type WriteContext,
} from './url-write.js';

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

export interface UrlUpdaterOptions {
  readonly plans: PlanTable;
  readonly isOwnHost: IsOwnHost;
  readonly ignoreCase: boolean;
  readonly recorder: UrlRecorder;
  readonly lifeCycle: UrlLifeCycle;
}

/** Changes links in a transaction. */
export class UrlUpdater {
  readonly #database: Database;
  readonly #options: UrlUpdaterOptions;

  constructor(database: Database, options: UrlUpdaterOptions) {
    this.#database = database;
    this.#options = options;
  }

  /**
   * Changes links by id, in order, with their events. `change` returns the new state of a link. When an
   * id is repeated, the second call gets the state after the first change.
   */
  async update<Presented>(
    transaction: WriteTransaction,
    ids: readonly number[],
    change: (url: ShortUrl, index: number) => UrlChange,
    present: (url: ShortUrl) => Presented,
    context: WriteContext,
  ): Promise<{
    readonly outcomes: UpdateOutcome<Presented>[];
    readonly changedIds: readonly number[];
  }> {
    const { recorder } = this.#options;
    const { organizationId, now } = context;
    const outcomes: UpdateOutcome<Presented>[] = [];
    const changed: ChangedUrl[] = [];
    const current = await this.#options.lifeCycle.findCurrent(transaction, ids, context);
    const links = new Map(current.map((url) => [url.id, url]));
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
    await recorder.recordUpdates(transaction, organizationId, changed, now);
    const restored = changed.filter(
      ({ before, url }) => before.deletedAt !== null && url.deletedAt === null,
    );
    const urls = restored.map(({ url }) => url);
    await recorder.record(transaction, urlRestored, organizationId, urls, now);
    return { outcomes, changedIds: changed.map(({ url }) => url.id) };
  }

  /**
   * Writes changes of different links, in order; undefined stands for an unknown link. On PostgreSQL, the
   * number of statements does not grow with the number of links, except for links that move to another
   * domain.
   */
  async #updateAll(
    transaction: WriteTransaction,
    changes: readonly (ItemChange | undefined)[],
    activeLinks: ActiveLinks,
    { organizationId, now }: WriteContext,
  ): Promise<ItemOutcome[]> {
    const candidates = changes.flatMap((each) => (each?.ok ? [each] : []));
    const domains = await findActiveDomains(
      transaction,
      organizationId,
      candidates.filter(needsDomain).map(({ url }) => url.domainId),
    );
    const ownTargets = await findOwnTargets(
      transaction,
      this.#options.isOwnHost,
      candidates.filter(hasNewTarget).map(({ url }) => url),
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
      for await (const slice of slicesOf(rows, linksPerWrite(this.#database))) {
        await this.#database.updateEach(transaction, 'urls', slice.map(toUpdate));
      }
    };
    const update = async (candidate: ChangedUrl): Promise<ItemOutcome> => {
      const { before, url: changed } = candidate;
      // No event and no new `updatedAt`.
      if (isDeepStrictEqual(changed, before)) return { status: 'unchanged', url: before };
      let url: ShortUrl = { ...changed, updatedAt: nextUpdatedAt(before.updatedAt, now) };
      if (needsDomain(candidate)) {
        const hostname = url.domainId === null ? null : domains.get(url.domainId)?.hostname;
        if (hostname === undefined) return { status: 'domain-invalid' };
        url = { ...url, hostname };
      }
      if (getsExternalId(candidate)) {
        const externalId = changed.externalId as string;
        if (externalIds.has(externalId)) return { status: 'external-id-conflict' };
        externalIds.set(externalId, changed.id);
      }
      const ownTarget = ownTargets.get(changed);
      if (ownTarget !== undefined) return { status: 'own-target', path: ownTarget };
      if (url.isActive && !before.isActive) {
        const quota = await activeLinks.take();
        if (quota) return { status: 'quota-exceeded', quota };
      }
      // The link keeps its keys on the old domain, because printed copies use them.
      const { ignoreCase } = this.#options;
      const folds =
        url.domainId === null ? ignoreCase : domains.get(url.domainId)?.ignoresCase === true;
      if (moves(candidate) && !(await this.#insertKeys(transaction, url, folds))) {
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

  /** Inserts the keys of a link on its new domain. Returns false when another link has, or had, one. */
  async #insertKeys(
    transaction: WriteTransaction,
    url: ShortUrl,
    folds: boolean,
  ): Promise<boolean> {
    const keys = keysOf(url, folds);
    const owners = await findKeyOwners(transaction, keys);
    if ([...owners.values()].some((id) => id !== url.id)) return false;
    const free = keys.filter((key) => !owners.has(mapKeyOf(key)));
    if ((await findRetiredKeys(transaction, free)).length > 0) return false;
    await this.#database.bulkInsert(transaction, 'url_keys', free);
    return true;
  }
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

function hasNewTarget({ before, url }: ChangedUrl): boolean {
  return (
    url.targetUrl !== before.targetUrl ||
    url.expiredUrl !== before.expiredUrl ||
    url.rules !== before.rules
  );
}

function toUpdate(url: ShortUrl) {
  const { id, ...set } = toRow(url);
  return { set, where: { id } };
}
