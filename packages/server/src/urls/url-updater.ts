import { isDeepStrictEqual } from 'node:util';
import type { LinkOwner } from '../contract/caller.js';
import type { WriteContext } from '../idempotency/with-idempotency-key.js';
import { ActiveLinks } from '../organizations/link-quota.js';
import type { PlanTable } from '../organizations/plans.js';
import { nextUpdatedAt } from '../preconditions/if-match.js';
import type { WriteTransaction } from '../storage/database.js';
import { bulkInsert, updateEach } from '../storage/statements.js';
import { mapInSlices, TimeSlices } from '../yield-to-event-loop.js';
import type { UrlChange } from './change-url.js';
import { findExternalIds } from './find-existing.js';
import { findRetiredKeys } from './retired-keys.js';
import { type ShortUrl, toRow } from './short-url.js';
import { urlRestored } from './url-events.js';
import {
  findActiveDomains,
  findKeyOwners,
  foldsKeys,
  hasDomain,
  keysOf,
  mapKeyOf,
} from './url-keys.js';
import { findCurrent } from './url-life-cycle.js';
import type { UrlRecorder } from './url-recorder.js';
import type { ChangedUrl, RefusedUpdate, UpdateOutcome } from './url-write.js';

export interface UrlUpdaterOptions {
  readonly plans: PlanTable;
  readonly ignoreCase: boolean;
  readonly recorder: UrlRecorder;
}

/**
 * Changes links by id, in order, with their events. `change` returns the new state of a link. When an id is
 * repeated, the second call gets the state after the first change.
 */
export async function updateUrls<Presented>(
  transaction: WriteTransaction,
  { plans, recorder, ignoreCase }: UrlUpdaterOptions,
  ids: readonly number[],
  change: (url: ShortUrl, index: number) => UrlChange,
  present: (url: ShortUrl) => Presented,
  context: WriteContext,
): Promise<{
  readonly outcomes: UpdateOutcome<Presented>[];
  readonly changedIds: readonly number[];
}> {
  const { organizationId, now } = context;
  const current = await findCurrent(transaction, recorder, ids, context);
  const links = new Map(current.map((url) => [url.id, url]));
  const activeLinks = new ActiveLinks(transaction, plans, organizationId);
  const outcomes: UpdateOutcome<Presented>[] = [];
  const changed: ChangedUrl[] = [];
  const slices = new TimeSlices();
  for (const [index, id] of ids.entries()) {
    if (slices.isOver) await slices.next();
    const before = links.get(id);
    if (!before) {
      outcomes.push({ status: 'not-found' });
      continue;
    }
    const wanted = change(before, index);
    const outcome = wanted.ok
      ? await prepareChange(
          transaction,
          context,
          { before, url: wanted.url },
          activeLinks,
          ignoreCase,
        )
      : ({ status: 'refused', error: wanted.error } as const);
    if ('status' in outcome) {
      outcomes.push(outcome);
      continue;
    }
    let url = before;
    if (outcome.url !== before) {
      url = { ...outcome.url, updatedAt: nextUpdatedAt(before.updatedAt, now) };
      await bulkInsert(transaction, 'url_keys', outcome.newKeys);
      changed.push({ before, url });
    }
    links.set(id, url);
    outcomes.push({ status: 'updated', presented: present(url) });
  }
  const changedIds = [...new Set(changed.map(({ url }) => url.id))];
  const rows = await mapInSlices(changedIds, (id) => toUpdate(links.get(id) as ShortUrl));
  await updateEach(transaction, 'urls', rows);
  await activeLinks.settle();
  await recorder.recordUpdates(transaction, changed, now);
  const restored = changed.flatMap(({ before, url }) =>
    before.deletedAt !== null && url.deletedAt === null ? [url] : [],
  );
  await recorder.record(transaction, urlRestored, restored, now);
  return { outcomes, changedIds };
}

type NewKeys = NonNullable<Awaited<ReturnType<typeof findNewKeys>>>;

/** Checks a change. Returns the new state, and the keys of a link that moves, or why there is none. */
async function prepareChange(
  transaction: WriteTransaction,
  owner: LinkOwner,
  { before, url: changed }: ChangedUrl,
  activeLinks: ActiveLinks,
  ignoreCase: boolean,
): Promise<{ readonly url: ShortUrl; readonly newKeys: NewKeys } | RefusedUpdate> {
  // No event and no new `updatedAt`.
  if (isDeepStrictEqual(changed, before)) return { url: before, newKeys: [] };
  const { organizationId, domainId, externalId } = changed;
  const moves = domainId !== before.domainId;
  const becomesActive = changed.isActive && !before.isActive;
  let { hostname } = changed;
  let newKeys: Awaited<ReturnType<typeof findNewKeys>> = [];
  // The domain of an inactive link may have been deleted.
  if (domainId !== null ? moves || becomesActive : moves) {
    const domains = await findActiveDomains(transaction, owner, [domainId]);
    if (!hasDomain(owner, domains, domainId)) return { status: 'domain-invalid' };
    hostname = domains.get(domainId ?? '')?.hostname ?? null;
    // The link keeps its keys on the old domain, because printed copies use them.
    const folds = foldsKeys(domains, domainId, ignoreCase);
    if (moves) newKeys = await findNewKeys(transaction, changed, folds);
  }
  if (externalId !== null && externalId !== before.externalId) {
    const owners = await findExternalIds(transaction, organizationId, [externalId]);
    if (owners.size > 0) return { status: 'external-id-conflict' };
  }
  if (newKeys === undefined) return { status: 'slug-conflict' };
  const quota = becomesActive ? await activeLinks.take() : undefined;
  if (quota) return { status: 'quota-exceeded', quota };
  if (before.isActive && !changed.isActive) activeLinks.release();
  return { url: { ...changed, hostname }, newKeys };
}

/** Returns the keys that a link needs on its new domain; undefined when another link has, or had, one. */
async function findNewKeys(transaction: WriteTransaction, url: ShortUrl, folds: boolean) {
  const keys = keysOf(url, folds);
  const owners = await findKeyOwners(transaction, keys);
  if ([...owners.values()].some((id) => id !== url.id)) return undefined;
  const free = keys.filter((key) => !owners.has(mapKeyOf(key)));
  return (await findRetiredKeys(transaction, free)).length > 0 ? undefined : free;
}

function toUpdate(url: ShortUrl) {
  const { id, ...set } = toRow(url);
  return { set, where: { id } };
}
