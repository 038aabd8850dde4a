import { isDeepStrictEqual } from 'node:util';
import { ApiError, domainInvalid } from '../contract/api-error.js';
import type { WriteContext } from '../idempotency/with-idempotency-key.js';
import { countActiveLinks } from '../organizations/link-quota.js';
import { nextUpdatedAt } from '../preconditions/if-match.js';
import type { WriteTransaction } from '../storage/database.js';
import { bulkInsert, updateEach } from '../storage/statements.js';
import { mapInSlices, TimeSlices } from '../yield-to-event-loop.js';
import type { LinkWriteOptions } from './create-urls.js';
import { externalIdConflict, type Outcome, refused, urlNotFound } from './link-outcomes.js';
import { type ShortUrl, toRow } from './short-url.js';
import { urlDeleted, urlRestored, urlUpdated } from './url-events.js';
import {
  findExternalIds,
  findKeyOwners,
  findLinkDomains,
  findRetiredKeys,
  keysOf,
  mapKeyOf,
} from './url-keys.js';
import { findCurrent } from './url-life-cycle.js';

export interface LinkChange {
  readonly id: number;
  /** Returns the new state of the link, or throws an ApiError. */
  readonly change: (url: ShortUrl) => ShortUrl;
}

/**
 * Changes links by id, in order, with their events. When an id is repeated, the second change gets the state
 * after the first. Adds the ids of changed links to `changedIds`.
 */
export async function updateUrls(
  transaction: WriteTransaction,
  { plans, record, ignoreCase }: Omit<LinkWriteOptions, 'newShortCode'>,
  changes: readonly LinkChange[],
  context: WriteContext,
  changedIds: Set<number>,
): Promise<Outcome<ShortUrl>[]> {
  const { organizationId, now } = context;
  const ids = changes.map(({ id }) => id);
  const current = await findCurrent(transaction, record, ids, context);
  const links = new Map(current.map((url) => [url.id, url]));
  const activeLinks = countActiveLinks(transaction, plans, organizationId);
  const outcomes: Outcome<ShortUrl>[] = [];
  const changed: ShortUrl[] = [];
  const deleted: ShortUrl[] = [];
  const restored: ShortUrl[] = [];
  const slices = new TimeSlices();
  for (const { id, change } of changes) {
    if (slices.isOver) await slices.next();
    try {
      const before = links.get(id);
      if (!before) throw urlNotFound(id);
      const wanted = change(before);
      let url = before;
      // A change of nothing has no event and no new `updatedAt`.
      if (!isDeepStrictEqual(wanted, before)) {
        const hostname = await allow(before, wanted);
        url = { ...wanted, hostname, updatedAt: nextUpdatedAt(before.updatedAt, now) };
        changed.push(url);
        if (before.deletedAt === null && url.deletedAt !== null) deleted.push(url);
        if (before.deletedAt !== null && url.deletedAt === null) restored.push(url);
        changedIds.add(id);
      }
      links.set(id, url);
      outcomes.push({ status: 'updated', presented: url });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      outcomes.push(refused(error));
    }
  }
  const rows = await mapInSlices([...changedIds], (id) => toUpdate(links.get(id) as ShortUrl));
  await updateEach(transaction, 'urls', rows);
  await activeLinks.settle();
  await record(transaction, urlUpdated, changed, now);
  await record(transaction, urlDeleted, deleted, now);
  await record(transaction, urlRestored, restored, now);
  return outcomes;

  /** Checks a change, stores the keys of a link that moves, and returns its hostname. Throws an ApiError. */
  async function allow(before: ShortUrl, url: ShortUrl): Promise<string | null> {
    const { domainId, externalId } = url;
    const moves = domainId !== before.domainId;
    const becomesActive = url.isActive && !before.isActive;
    let { hostname } = url;
    let newKeys: Awaited<ReturnType<typeof findNewKeys>> = [];
    // The domain of an inactive link may have been deleted.
    if (moves || (domainId !== null && becomesActive)) {
      const domains = await findLinkDomains(transaction, context, [domainId], ignoreCase);
      if (!domains.has(domainId)) throw domainInvalid(domainId);
      hostname = domains.hostnameOf(domainId);
      // The link keeps its keys on the old domain, because printed copies use them.
      if (moves) newKeys = await findNewKeys(transaction, url, domains.folds(domainId));
    }
    if (externalId !== null && externalId !== before.externalId) {
      const owners = await findExternalIds(transaction, organizationId, [externalId]);
      if (owners.size > 0) throw externalIdConflict(externalId);
    }
    if (becomesActive) await activeLinks.take();
    if (before.isActive && !url.isActive) activeLinks.release();
    await bulkInsert(transaction, 'url_keys', newKeys);
    return hostname;
  }
}

/** Returns the keys that a link needs on its new domain. Throws an ApiError if another link has, or had, one. */
async function findNewKeys(transaction: WriteTransaction, url: ShortUrl, folds: boolean) {
  const keys = keysOf(url, folds);
  const owners = await findKeyOwners(transaction, keys);
  const free = keys.filter((key) => !owners.has(mapKeyOf(key)));
  const isTaken = [...owners.values()].some((id) => id !== url.id);
  if (isTaken || (await findRetiredKeys(transaction, free)).length > 0) {
    throw new ApiError('SLUG_CONFLICT', 'The slug or code of this link is taken on this domain');
  }
  return free;
}

function toUpdate(url: ShortUrl) {
  const { id, ...set } = toRow(url);
  return { set, where: { id } };
}
