import { releaseLinks, reserveLinks } from '../organizations/link-quota.js';
import type { PlanTable } from '../organizations/plans.js';
import { type Schema, UniqueViolationError, type WriteTransaction } from '../storage/database.js';
import { handleAtCommit } from '../storage/group-commit.js';
import { bulkInsert } from '../storage/statements.js';
import { mapInSlices } from '../yield-to-event-loop.js';
import { newUrl, type UrlDraft } from './change-url.js';
import { type Candidate, findEquivalent, findExternalIds, isEquivalent } from './find-existing.js';
import { findRetiredKeys } from './retired-keys.js';
import { type ShortUrl, toRow } from './short-url.js';
import { urlCreated } from './url-events.js';
import {
  type DomainAndKey,
  findActiveDomains,
  findKeyOwners,
  foldsKeys,
  hasDomain,
  keyOn,
  keysOf,
  mapKeyOf,
} from './url-keys.js';
import type { UrlRecorder } from './url-recorder.js';
import type { CreateContext, CreateOutcome } from './url-write.js';

// After so many codes that are taken, the next ones have another character.
const roundsPerLength = 8;

export interface UrlCreatorOptions {
  readonly plans: PlanTable;
  readonly ignoreCase: boolean;
  readonly recorder: UrlRecorder;
}

/** A link to insert, with its rows in `url_keys`. */
interface NewLink extends Candidate {
  readonly keys: readonly Schema['url_keys'][];
  readonly now: number;
}

export class UrlCreator {
  readonly #options: UrlCreatorOptions;

  constructor(options: UrlCreatorOptions) {
    this.#options = options;
  }

  /**
   * Creates links in order, with their events. Their ids begin with `firstId`. Returns an outcome for each.
   * `isRepeated`: a short code was taken before.
   */
  async create(
    transaction: WriteTransaction,
    drafts: readonly UrlDraft[],
    firstId: number,
    context: CreateContext,
    isRepeated: boolean,
  ): Promise<CreateOutcome[]> {
    if (drafts.length === 0) return [];
    const { organizationId, now, newShortCode, write } = context;
    const createdBy = write?.origin.actorId ?? null;
    const domainIds = drafts.map(({ body }) => body.domainId ?? null);
    const domains = await findActiveDomains(transaction, context, domainIds);
    const foldsOf = (domainId: string | null) =>
      foldsKeys(domains, domainId, this.#options.ignoreCase);
    const newKeyOf = (draft: UrlDraft, extraLength?: number) => {
      const { domainId = null } = draft.body;
      return keyOn(domainId, newShortCode(extraLength), foldsOf(domainId));
    };
    const codes = isRepeated ? await findFreeCodes(transaction, drafts, newKeyOf) : [];
    const candidates = await mapInSlices(drafts, (draft, index) => {
      const importedCode = draft.body.importedCode ?? null;
      const hostname = domains.get(draft.body.domainId ?? '')?.hostname ?? null;
      const shortCode = importedCode ?? codes[index] ?? newShortCode();
      const identity = { id: firstId + index, organizationId, shortCode, hostname, createdBy };
      const url = newUrl(draft, identity, now);
      const keys = keysOf(url, foldsOf(url.domainId));
      const returnsExisting = draft.body.ifExists === 'return';
      return { url, row: toRow(url), keys, now, importedCode, returnsExisting };
    });
    const taken = await findTakenKeys(transaction, candidates.flatMap(chosenKeys));
    const externalIds = await findExternalIds(
      transaction,
      organizationId,
      candidates.map(({ url }) => url.externalId),
    );
    const outcomes = new Map<number, CreateOutcome>();
    const existing = new Map<number, ShortUrl>();
    let accepted: typeof candidates = [];
    for (const candidate of candidates) {
      const { url, keys } = candidate;
      if (candidate.returnsExisting) {
        const equal = accepted.find((other) => isEquivalent(other, candidate))?.url;
        const found = (await findEquivalent(transaction, candidate, context.restriction)) ?? equal;
        if (found) {
          existing.set(url.id, found);
          continue;
        }
      }
      const [slugKey] = url.customSlug === null ? [] : keys;
      const codeKey = candidate.importedCode === null ? undefined : keys.at(-1);
      if (!hasDomain(context, domains, url.domainId)) {
        outcomes.set(url.id, { status: 'domain-invalid' });
      } else if (slugKey && taken.has(mapKeyOf(slugKey))) {
        outcomes.set(url.id, { status: 'slug-conflict' });
      } else if (codeKey && (url.shortCode === url.customSlug || taken.has(mapKeyOf(codeKey)))) {
        outcomes.set(url.id, { status: 'slug-conflict', path: 'importedCode' });
      } else if (url.externalId !== null && externalIds.has(url.externalId)) {
        outcomes.set(url.id, { status: 'external-id-conflict' });
      } else {
        accepted.push(candidate);
        for (const key of keys) taken.add(mapKeyOf(key));
        if (url.externalId !== null) externalIds.set(url.externalId, url.id);
      }
    }

    // Paused links do not count towards the plan.
    const active = accepted.filter(({ url }) => url.isActive);
    const { plans } = this.#options;
    const { free, quota } = await reserveLinks(transaction, plans, organizationId, active.length);
    const refused = new Set(active.slice(free));
    for (const { url } of refused) outcomes.set(url.id, { status: 'quota-exceeded', quota });
    await releaseLinks(transaction, organizationId, refused.size);
    accepted = accepted.filter((candidate) => !refused.has(candidate));
    for (const { url } of accepted) outcomes.set(url.id, createdOutcome(url));

    // Other works of the transaction may look for a slug, an imported code, an external id or an equal
    // link, or for the links of a domain. Nobody knows the other links yet.
    const isKnown = candidates.some(
      (each) =>
        each.returnsExisting ||
        chosenKeys(each).length > 0 ||
        each.url.externalId !== null ||
        each.url.domainId !== null,
    );
    if (isKnown) await this.#insert(transaction, accepted);
    else for (const link of accepted) handleAtCommit(transaction, this.#insert, link);
    return candidates.map(({ url: { id } }) => {
      const found = existing.get(id);
      if (!found) return outcomes.get(id) as CreateOutcome;
      // A link of this request may have been refused after it was found.
      const outcome = outcomes.get(found.id);
      return outcome === undefined || outcome.status === 'created'
        ? existingOutcome(found)
        : outcome;
    });
  }

  /** Inserts links, and writes their events. Throws a UniqueViolationError if a short code is taken. */
  readonly #insert = async (
    transaction: WriteTransaction,
    links: readonly NewLink[],
  ): Promise<void> => {
    const keys = links.flatMap((link) => link.keys);
    const rows = links.map(({ row }) => row);
    await bulkInsert(transaction, 'urls', rows);
    await bulkInsert(transaction, 'url_keys', keys);
    // After the inserts, because an erasure may have retired and deleted the keys before them.
    const [retired] = await findRetiredKeys(transaction, keys);
    if (retired !== undefined) throw new UniqueViolationError(`${retired.key} is retired`);
    for (const { url, now } of links) {
      await this.#options.recorder.record(transaction, urlCreated, [url], now);
    }
  };
}

/** Returns the keys that the request has chosen. An insert that meets a random one fails, and is repeated. */
function chosenKeys({ url, keys, importedCode }: NewLink): readonly DomainAndKey[] {
  if (importedCode !== null) return keys;
  return url.customSlug === null ? [] : keys.slice(0, 1);
}

/** Returns those of the keys that a link has or that are retired, by `mapKeyOf`. */
async function findTakenKeys(
  transaction: WriteTransaction,
  keys: readonly DomainAndKey[],
): Promise<Set<string>> {
  const owners = await findKeyOwners(transaction, keys);
  const retired = await findRetiredKeys(transaction, keys);
  return new Set([...owners.keys(), ...retired.map(mapKeyOf)]);
}

/** Returns a short code for each draft that no link on its domain has. */
async function findFreeCodes(
  transaction: WriteTransaction,
  drafts: readonly UrlDraft[],
  newKeyOf: (draft: UrlDraft, extraLength?: number) => DomainAndKey,
): Promise<string[]> {
  const keys = drafts.map((draft) => newKeyOf(draft));
  for (let round = 1; ; round += 1) {
    const taken = await findTakenKeys(transaction, keys);
    if (taken.size === 0) return keys.map(({ key }) => key);
    for (const [index, draft] of drafts.entries()) {
      if (!taken.has(mapKeyOf(keys[index] as DomainAndKey))) continue;
      keys[index] = newKeyOf(draft, Math.floor(round / roundsPerLength));
    }
  }
}

function createdOutcome({ id, shortCode, hostname }: ShortUrl): CreateOutcome {
  return { status: 'created', id, shortCode, hostname: hostname ?? undefined };
}

function existingOutcome(url: ShortUrl): CreateOutcome {
  const { id, shortCode, hostname, customSlug } = url;
  return { status: 'existing', id, shortCode, hostname: hostname ?? undefined, customSlug };
}
