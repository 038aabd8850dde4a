import type { IsOwnHost } from '../domains/own-hosts.js';
import { releaseLinks, reserveLinks } from '../organizations/link-quota.js';
import type { PlanTable } from '../organizations/plans.js';
import {
  type Database,
  type Schema,
  UniqueViolationError,
  type WriteTransaction,
} from '../storage/database.js';
import { handleAtCommit } from '../storage/group-commit.js';
import { yieldToEventLoop } from '../yield-to-event-loop.js';
import { newUrl, type UrlDraft } from './change-url.js';
import { findOwnTargets } from './check-target.js';
import { EqualLinks, findEquivalent, findExternalIds } from './find-existing.js';
import { findRetiredKeys } from './retired-keys.js';
import { type ShortUrl, toRow } from './short-url.js';
import { urlCreated } from './url-events.js';
import { UrlIds } from './url-ids.js';
import {
  type DomainAndKey,
  findActiveDomains,
  findKeyOwners,
  keysOf,
  mapKeyOf,
} from './url-keys.js';
import { noUrl } from './url-reader.js';
import type { UrlRecorder } from './url-recorder.js';
import {
  type CreateContext,
  type CreateOutcome,
  linksAtOnce,
  linksPerSlice,
  linksPerStatement,
  linksPerWrite,
  slicesOf,
} from './url-write.js';

/** New links of one request. */
interface NewLinks {
  readonly organizationId: string;
  readonly urls: readonly ShortUrl[];
  readonly keysOfUrl: (url: ShortUrl) => Schema['url_keys'][];
  readonly now: number;
}

export interface UrlCreatorOptions {
  readonly plans: PlanTable;
  readonly isOwnHost: IsOwnHost;
  /** Whether links of the platform's domain are found in any case. */
  readonly ignoreCase: boolean;
  readonly recorder: UrlRecorder;
}

/** Creates links in a transaction. */
export class UrlCreator {
  readonly #database: Database;
  readonly #options: UrlCreatorOptions;
  readonly #ids: UrlIds;

  constructor(database: Database, options: UrlCreatorOptions) {
    this.#database = database;
    this.#options = options;
    this.#ids = new UrlIds(database);
  }

  /** Creates links in order, with their events. Returns an outcome for each. */
  async create(
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
      const hostname = domains.get(draft.body.domainId ?? '')?.hostname ?? null;
      const shortCode = draft.body.importedCode ?? context.newShortCode();
      return newUrl(draft, { id: firstId + index, organizationId, shortCode, hostname }, now);
    });
    const refused = new Map<number, CreateOutcome>();
    const accepted = new Map<number, ShortUrl>();
    // Maps the slugs and imported codes that stored links have, and the keys of links that this request
    // has accepted so far, to link ids.
    const importedCodeOf = (index: number) => drafts[index]?.body.importedCode ?? null;
    const isImported = (index: number) => importedCodeOf(index) !== null;
    const { isOwnHost, ignoreCase } = this.#options;
    const keysOfUrl = (url: ShortUrl) => {
      const domain = domains.get(url.domainId ?? '');
      return keysOf(url, url.domainId === null ? ignoreCase : domain?.ignoresCase === true);
    };
    // Random codes are not looked up: an insert that meets one fails, and is repeated with others.
    const chosen = urls.flatMap((url, index) => {
      if (isImported(index)) return keysOfUrl(url);
      return url.customSlug === null ? [] : keysOfUrl(url).slice(0, 1);
    });
    const owners = await findKeyOwners(transaction, chosen);
    for (const key of await findRetiredKeys(transaction, chosen)) {
      owners.set(mapKeyOf(key), noUrl);
    }
    const externalIds = await findExternalIds(
      transaction,
      organizationId,
      urls.map(({ externalId }) => externalId),
    );
    const ownTargets = await findOwnTargets(transaction, isOwnHost, urls);
    const existing = new Map<number, ShortUrl>();
    const equalLinks = new EqualLinks();
    const isReused = drafts.some(({ body }) => body.ifExists === 'return');
    for (const [index, draft] of urls.entries()) {
      if (drafts[index]?.body.ifExists === 'return') {
        if (index % linksAtOnce === linksAtOnce - 1) await yieldToEventLoop();
        const equivalent =
          (await findEquivalent(transaction, draft, importedCodeOf(index))) ??
          equalLinks.find(draft, importedCodeOf(index));
        if (equivalent) {
          existing.set(draft.id, equivalent);
          continue;
        }
      }
      if (draft.domainId !== null && !domains.has(draft.domainId)) {
        refused.set(draft.id, { status: 'domain-invalid' });
        continue;
      }
      const ownTarget = ownTargets.get(draft);
      if (ownTarget !== undefined) {
        refused.set(draft.id, { status: 'own-target', path: ownTarget });
        continue;
      }
      let url = draft;
      const isOwned = (key: DomainAndKey | undefined) => key && owners.has(mapKeyOf(key));
      if (url.customSlug !== null && isOwned(keysOfUrl(url)[0])) {
        refused.set(draft.id, { status: 'slug-conflict' });
        continue;
      }
      const isTaken = () => url.shortCode === url.customSlug || isOwned(keysOfUrl(url).at(-1));
      if (isImported(index) && isTaken()) {
        refused.set(draft.id, { status: 'slug-conflict', path: 'importedCode' });
        continue;
      }
      if (draft.externalId !== null) {
        if (externalIds.has(draft.externalId)) {
          refused.set(draft.id, { status: 'external-id-conflict' });
          continue;
        }
        externalIds.set(draft.externalId, draft.id);
      }
      while (isTaken()) url = { ...url, shortCode: context.newShortCode() };
      accepted.set(url.id, url);
      if (isReused) equalLinks.add(url, importedCodeOf(index));
      for (const key of keysOfUrl(url)) owners.set(mapKeyOf(key), url.id);
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
    const creation = { organizationId, urls: created, keysOfUrl, now };
    // Other works of the transaction may look for a slug, an imported code, an external id or an equal
    // link, or for the links of a domain. Nobody knows the other links yet.
    const isKnown =
      created.some(
        (url) => url.customSlug !== null || url.externalId !== null || url.domainId !== null,
      ) ||
      isReused ||
      drafts.some(({ body }) => body.importedCode != null);
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
    const links = creations.flatMap(({ urls, keysOfUrl }) =>
      urls.map((url) => ({ url, keys: keysOfUrl(url) })),
    );
    for await (const slice of slicesOf(links, linksPerWrite(this.#database))) {
      const rows = slice.map(({ url }) => toRow(url));
      await this.#database.bulkInsert(transaction, 'urls', rows);
      const keys = slice.flatMap((link) => link.keys);
      await this.#database.bulkInsert(transaction, 'url_keys', keys);
    }
    // After the inserts, because an erasure may have retired and deleted the keys before them.
    for await (const slice of slicesOf(links, linksPerStatement)) {
      const keys = slice.flatMap((link) => link.keys);
      const [retired] = await findRetiredKeys(transaction, keys);
      if (retired !== undefined) throw new UniqueViolationError(`${retired.key} is retired`);
    }
    for (const { organizationId, urls: own, now } of creations) {
      await this.#options.recorder.record(transaction, urlCreated, organizationId, own, now);
    }
    // SQLite takes a millisecond to commit 100 links.
    if (links.length > linksPerSlice) await yieldToEventLoop();
  };
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
