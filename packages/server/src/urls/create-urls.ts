import { type SqlBool, sql } from 'kysely';
import { ApiError, domainInvalid } from '../contract/api-error.js';
import type { LinkRestriction } from '../contract/caller.js';
import type { WriteContext } from '../idempotency/with-idempotency-key.js';
import { countActiveLinks } from '../organizations/link-quota.js';
import type { PlanTable } from '../organizations/plans.js';
import { type Schema, UniqueViolationError, type WriteTransaction } from '../storage/database.js';
import { handleAtCommit } from '../storage/group-commit.js';
import { isWithin } from '../storage/link-restriction.js';
import { allOf } from '../storage/list-page.js';
import { bulkInsert } from '../storage/statements.js';
import { mapInSlices } from '../yield-to-event-loop.js';
import { type Draft, newUrl } from './change-url.js';
import { redirectColumns } from './link-fields.js';
import { externalIdConflict, type Outcome, refused, slugConflict } from './link-outcomes.js';
import { fromRow, type ShortUrl, selectUrls, toRow } from './short-url.js';
import type { UrlCreateRequest } from './url-contract.js';
import { type RecordUrls, urlCreated } from './url-events.js';
import {
  type DomainAndKey,
  domainKeyOf,
  findExternalIds,
  findLinkDomains,
  findRetiredKeys,
  findTakenKeys,
  keyOn,
  keysOf,
  mapKeyOf,
} from './url-keys.js';

// After so many codes that are taken, the next ones have another character.
const roundsPerLength = 8;

export interface LinkWriteOptions {
  readonly plans: PlanTable;
  /** Whether links of the platform's domain are found in any case. */
  readonly ignoreCase: boolean;
  readonly record: RecordUrls;
  /** Returns a random code, with more characters than usual if most of the usual ones are taken. */
  readonly newShortCode: (extraLength?: number) => string;
}

/** A link to insert, with its rows in the tables. */
interface NewLink {
  readonly url: ShortUrl;
  readonly row: ReturnType<typeof toRow>;
  readonly keys: readonly Schema['url_keys'][];
  /** Its short code if the request has it. */
  readonly importedCode: string | null;
  readonly returnsExisting: boolean;
  readonly now: number;
  readonly record: RecordUrls;
}

/** One run of a transaction that creates links. */
export interface CreateRun {
  /** The ids of new links begin with it. */
  readonly firstId: number;
  /** Whether an earlier run has failed, because a short code was taken. */
  readonly isRepeated: boolean;
  /** Gets the ids of new links. */
  readonly changedIds: Set<number>;
}

/**
 * Creates links in order, with their events. Returns for each the new link, the one that exists, or why there
 * is none.
 */
export async function createUrls(
  transaction: WriteTransaction,
  { plans, ignoreCase, record, newShortCode }: LinkWriteOptions,
  drafts: readonly Draft<UrlCreateRequest>[],
  context: WriteContext,
  { firstId, isRepeated, changedIds }: CreateRun,
): Promise<Outcome<ShortUrl>[]> {
  const { organizationId, now, write } = context;
  const createdBy = write?.origin.actorId ?? null;
  const domainIds = drafts.map(({ body }) => body.domainId ?? null);
  const domains = await findLinkDomains(transaction, context, domainIds, ignoreCase);
  const newKeyAt = (index: number, extraLength: number) => {
    const domainId = domainIds[index] ?? null;
    return keyOn(domainId, newShortCode(extraLength), domains.folds(domainId));
  };
  const codes = isRepeated ? await findFreeCodes(transaction, drafts.length, newKeyAt) : [];
  const candidates = await mapInSlices(drafts, (draft, index): NewLink => {
    const importedCode = draft.body.importedCode ?? null;
    const hostname = domains.hostnameOf(draft.body.domainId ?? null);
    const shortCode = importedCode ?? codes[index] ?? newShortCode();
    const identity = { id: firstId + index, organizationId, shortCode, hostname, createdBy };
    const url = newUrl(draft, identity, now);
    const keys = keysOf(url, domains.folds(url.domainId));
    const returnsExisting = draft.body.ifExists === 'return';
    return { url, row: toRow(url), keys, now, record, importedCode, returnsExisting };
  });
  const taken = await findTakenKeys(transaction, candidates.flatMap(chosenKeys));
  const externalIds = await findExternalIds(
    transaction,
    organizationId,
    candidates.map(({ url }) => url.externalId),
  );
  const activeLinks = countActiveLinks(transaction, plans, organizationId);
  /** Counts a link and its keys. Throws an ApiError for one that cannot be created. */
  const accept = async ({ url, keys, importedCode }: NewLink): Promise<void> => {
    const { customSlug, externalId, domainId } = url;
    if (!domains.has(domainId)) throw domainInvalid(domainId);
    const [slugKey, codeKey = slugKey] = keys;
    if (customSlug !== null && slugKey && taken.has(mapKeyOf(slugKey))) {
      throw slugConflict('customSlug', customSlug);
    }
    const isCodeTaken = importedCode === customSlug || (codeKey && taken.has(mapKeyOf(codeKey)));
    if (importedCode !== null && isCodeTaken) throw slugConflict('importedCode', importedCode);
    if (externalId !== null && externalIds.has(externalId)) throw externalIdConflict(externalId);
    // Paused links do not count towards the plan.
    if (url.isActive) await activeLinks.take();
    changedIds.add(url.id);
    for (const key of keys) taken.add(mapKeyOf(key));
    if (externalId !== null) externalIds.set(externalId, url.id);
  };
  const accepted: NewLink[] = [];
  const outcomes: Outcome<ShortUrl>[] = [];
  for (const candidate of candidates) {
    const existing = candidate.returnsExisting
      ? ((await findEquivalent(transaction, candidate, context.restriction)) ??
        accepted.find((other) => isEquivalent(other, candidate))?.url)
      : undefined;
    if (existing) {
      outcomes.push({ status: 'existing', presented: existing });
      continue;
    }
    try {
      await accept(candidate);
      accepted.push(candidate);
      outcomes.push({ status: 'created', presented: candidate.url });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      outcomes.push(refused(error));
    }
  }
  await activeLinks.settle();

  // Other works of the transaction may look for a slug, an imported code, an external id or an equal
  // link, or for the links of a domain. Nobody knows the other links yet.
  const isKnown = candidates.some(
    (each) =>
      each.returnsExisting ||
      chosenKeys(each).length > 0 ||
      each.url.externalId !== null ||
      each.url.domainId !== null,
  );
  if (isKnown) await insertLinks(transaction, accepted);
  else for (const link of accepted) handleAtCommit(transaction, insertLinks, link);
  return outcomes;
}

/** Inserts links, and writes their events. Throws a UniqueViolationError if a short code is taken. */
async function insertLinks(
  transaction: WriteTransaction,
  links: readonly NewLink[],
): Promise<void> {
  const keys = links.flatMap((link) => link.keys);
  const rows = links.map(({ row }) => row);
  await bulkInsert(transaction, 'urls', rows);
  await bulkInsert(transaction, 'url_keys', keys);
  // After the inserts, because an erasure may have retired and deleted the keys before them.
  const [retired] = await findRetiredKeys(transaction, keys);
  if (retired !== undefined) throw new UniqueViolationError(`${retired.key} is retired`);
  for (const link of links) await link.record(transaction, urlCreated, [link.url], link.now);
}

/** Returns the keys that the request has chosen. An insert that meets a random one fails, and is repeated. */
function chosenKeys({ url, keys, importedCode }: NewLink): readonly DomainAndKey[] {
  if (importedCode !== null) return keys;
  return url.customSlug === null ? [] : keys.slice(0, 1);
}

/** Returns a short code for each draft that no link on its domain has. */
async function findFreeCodes(
  transaction: WriteTransaction,
  count: number,
  newKeyAt: (index: number, extraLength: number) => DomainAndKey,
): Promise<string[]> {
  const keys = Array.from({ length: count }, (_, index) => newKeyAt(index, 0));
  for (let round = 1; ; round += 1) {
    const taken = await findTakenKeys(transaction, keys);
    if (taken.size === 0) return keys.map(({ key }) => key);
    for (const [index, key] of keys.entries()) {
      if (!taken.has(mapKeyOf(key))) continue;
      keys[index] = newKeyAt(index, Math.floor(round / roundsPerLength));
    }
  }
}

/**
 * Returns the first link that redirects like a new link would: it is active if this is, has the same target
 * and the same settings, and the slug, imported code and external id of the new link if this has them.
 * Reads the link with one of these, or else links with the same hash, within the restriction.
 */
async function findEquivalent(
  transaction: WriteTransaction,
  { url, row, importedCode }: NewLink,
  restriction: LinkRestriction | undefined,
): Promise<ShortUrl | undefined> {
  const { customSlug, externalId, organizationId, domainId } = url;
  const hasKey = (key: string) => sql`urls.id in
    (select url_id from url_keys where domain_key = ${domainKeyOf(domainId)} and key = ${key})`;
  const named = allOf(
    customSlug !== null && sql`${hasKey(customSlug)} and custom_slug = ${customSlug}`,
    importedCode !== null && sql`${hasKey(importedCode)} and short_code = ${importedCode}`,
    externalId !== null &&
      sql`urls.organization_id = ${organizationId} and external_id = ${externalId}`,
  );
  // Links with the same hash may differ.
  const equal = redirectColumns.map(
    (column) => sql<SqlBool>`${sql.ref(`urls.${column}`)} is not distinct from ${row[column]}`,
  );
  const found = await selectUrls(transaction)
    .where(named ?? sql<SqlBool>`settings_hash = ${row.settings_hash}`)
    .where('urls.is_active', '=', row.is_active)
    .where('urls.deleted_at', 'is', null)
    .where('urls.taken_down_at', 'is', null)
    .where(isWithin(restriction))
    .where(sql<SqlBool>`${sql.join(equal, sql` and `)}`)
    .orderBy('urls.id')
    .limit(1)
    .executeTakeFirst();
  return found && fromRow(found);
}

/** Returns whether another new link can be used instead of this one, as `findEquivalent` decides it. */
function isEquivalent(other: NewLink, { url, row, importedCode }: NewLink): boolean {
  return (
    other.row.settings_hash === row.settings_hash &&
    other.row.is_active === row.is_active &&
    redirectColumns.every((column) => other.row[column] === row[column]) &&
    (url.customSlug === null || other.url.customSlug === url.customSlug) &&
    (url.externalId === null || other.url.externalId === url.externalId) &&
    (importedCode === null || other.importedCode === importedCode)
  );
}
