import { LRUCache } from 'lru-cache';
import type { Campaign } from '../analytics/classify/parse-campaign.js';
import { utmFields, utmParameters } from '../contract/utm-parameters.js';
import type { AddressRanges } from '../network/ip-address.js';
import { clicksLeftOf, isExpired, type RedirectType, type ShortUrl } from '../urls/short-url.js';
import { type CachedRules, toCachedRules } from './cached-rules.js';
import type { Forwarding } from './forward-request.js';
import type { ClickLimit } from './max-clicks.js';
import { type Target, toTarget } from './target.js';

/** The fields of a link that a redirect needs. They do not depend on the request. */
export interface Link extends UsualFields, RareFields, Target {}

/** The fields that most links have. */
type UsualFields = Omit<CompactLink, keyof RareFields | 'variant'>;

/** The fields that few links have. */
interface RareFields {
  readonly isTakenDown: boolean;
  readonly excludedAddresses: AddressRanges | undefined;
  /** Undefined for a link that has always redirected. */
  readonly activatesAt: number | undefined;
  /** Where visitors are sent once the link has expired or its clicks are used up, if not told so. */
  readonly fallback: string | undefined;
  /** Undefined for a link without a limit of clicks. */
  readonly clickLimit: ClickLimit | undefined;
  readonly passwordHash: string | null;
  /** Whether a visit can close a loop that no write sees, by its path or by a key in another case. */
  readonly mayCloseLoop: boolean;
  /** Undefined for a link that forwards nothing. */
  readonly forwarding: Forwarding | undefined;
  /** Undefined for a link without rules. */
  readonly rules: CachedRules | undefined;
  /** Undefined for a link whose previews are those of its target. */
  readonly preview: ReturnType<typeof toCachedPreview>;
}

const withoutRareFields: RareFields = {
  isTakenDown: false,
  excludedAddresses: undefined,
  activatesAt: undefined,
  fallback: undefined,
  clickLimit: undefined,
  passwordHash: null,
  mayCloseLoop: false,
  forwarding: undefined,
  rules: undefined,
  preview: undefined,
};
const rareNames = Object.keys(withoutRareFields) as readonly (keyof RareFields)[];

/** Returns whether a link has one of the fields that few have. */
export function hasRareFields(fields: RareFields): boolean {
  return rareNames.some((name) => fields[name] !== withoutRareFields[name]);
}

/** A link in the cache. A million links take 100 MB less because most of them share one `#rare`. */
class CompactLink implements RareFields {
  readonly urlId: number;
  readonly organizationId: string;
  readonly shortCode: string;
  readonly status: number;
  readonly location: string;
  readonly campaign: Campaign | null;
  readonly cacheControl: string;
  readonly isActive: boolean;
  readonly expiresAt: number | null;
  readonly targetHostname: string | undefined;
  readonly #rare: RareFields;

  constructor(usual: UsualFields, rare: RareFields) {
    this.urlId = usual.urlId;
    this.organizationId = share(usual.organizationId);
    this.shortCode = usual.shortCode;
    this.status = usual.status;
    this.location = usual.location;
    this.campaign = usual.campaign;
    this.cacheControl = usual.cacheControl;
    this.isActive = usual.isActive;
    this.expiresAt = usual.expiresAt;
    this.targetHostname = usual.targetHostname;
    this.#rare = hasRareFields(rare) ? rare : withoutRareFields;
  }

  get isTakenDown() {
    return this.#rare.isTakenDown;
  }
  get excludedAddresses() {
    return this.#rare.excludedAddresses;
  }
  get activatesAt() {
    return this.#rare.activatesAt;
  }
  get fallback() {
    return this.#rare.fallback;
  }
  get clickLimit() {
    return this.#rare.clickLimit;
  }
  get passwordHash() {
    return this.#rare.passwordHash;
  }
  get mayCloseLoop() {
    return this.#rare.mayCloseLoop;
  }
  get forwarding() {
    return this.#rare.forwarding;
  }
  get rules() {
    return this.#rare.rules;
  }
  get preview() {
    return this.#rare.preview;
  }
  /** The link's own target is no variant. */
  get variant() {
    return null;
  }
}

const maxShared = 10_000;
const shared = new LRUCache<string, string>({ max: maxShared });

/** Returns one text for equal ones. Each row that is read has its own copy of the organization's id. */
function share(text: string): string {
  const known = shared.get(text);
  if (known === undefined) shared.set(text, text);
  return known ?? text;
}

// A short max-age, because a cached permanent redirect ignores edits and pauses of its link.
const cacheControls: Record<RedirectType, string> = {
  301: 'private, max-age=90',
  302: 'no-store',
  307: 'no-store',
  308: 'private, max-age=90',
};

/** The id of the links that were erased. Only their keys are known, so they are not cached. */
export const erasedUrlId = -1;

interface LinkPolicy {
  /** Whether the organization of the link is suspended. */
  readonly isSuspended: boolean;
  /** Whether the operator has blocked the host of its target. */
  readonly isBlocked: boolean;
  /** The addresses that the organization of the link excludes; undefined without any. */
  readonly excludedAddresses: AddressRanges | undefined;
  /** What a link without settings of its own forwards. */
  readonly forwarding: Forwarding;
  /** Whether the operator has blocked the host of its `expiredUrl`. */
  readonly isFallbackBlocked: boolean;
  /** Whether its domain serves keys in any case. */
  readonly ignoresCase: boolean;
}

const noPolicy: LinkPolicy = {
  isSuspended: false,
  isBlocked: false,
  excludedAddresses: undefined,
  forwarding: { query: false, path: false },
  isFallbackBlocked: false,
  ignoresCase: false,
};

export function toLink(
  url: ShortUrl,
  {
    isSuspended,
    isBlocked,
    excludedAddresses,
    forwarding: ofDomain,
    isFallbackBlocked,
    ignoresCase,
  }: LinkPolicy = noPolicy,
): Link {
  const query = url.forwardQuery ?? ofDomain.query;
  const path = url.forwardPath ?? ofDomain.path;
  const settings = { parameters: utmParametersOf(url), forwardsPath: path };
  const { location, campaign, targetHostname } = toTarget(url.targetUrl, settings, null);
  const hasFallback =
    url.expiredUrl !== null && !isSuspended && !isFallbackBlocked && url.deletedAt === null;
  return new CompactLink(
    {
      urlId: url.id,
      organizationId: url.organizationId,
      shortCode: url.shortCode,
      status: url.redirectType,
      location,
      campaign,
      // A browser that caches a redirect would ignore the rules, and visit without using a click.
      cacheControl:
        url.rules.length > 0 || url.maxClicks !== null
          ? 'no-store'
          : cacheControls[url.redirectType],
      isActive: url.isActive && !isSuspended,
      expiresAt: url.expiresAt,
      targetHostname,
    },
    {
      isTakenDown: url.takenDownAt !== null || isBlocked,
      excludedAddresses,
      activatesAt: url.activatesAt ?? undefined,
      fallback: hasFallback ? new URL(url.expiredUrl as string).href : undefined,
      clickLimit: url.maxClicks === null ? undefined : { isUsedUp: clicksLeftOf(url) === 0 },
      passwordHash: url.passwordHash,
      mayCloseLoop: path || ignoresCase,
      forwarding: query || path ? { query, path } : undefined,
      rules: url.rules.length > 0 ? toCachedRules(url, settings) : undefined,
      preview: toCachedPreview(url),
    },
  );
}

/** Returns the link of a key whose link was erased: it is gone. */
export function erasedLink(organizationId: string): Link {
  return new CompactLink(
    {
      urlId: erasedUrlId,
      organizationId,
      shortCode: '',
      status: 302,
      location: '',
      campaign: null,
      cacheControl: 'no-store',
      isActive: false,
      expiresAt: null,
      targetHostname: undefined,
    },
    withoutRareFields,
  );
}

/** Returns what link previews show, and what the address of the link consists of. */
function toCachedPreview(url: ShortUrl) {
  // A password also protects what the target is about.
  if (url.preview === null || url.passwordHash !== null) return undefined;
  return { ...url.preview, customSlug: url.customSlug, hostname: url.hostname };
}

/** Returns the parameters that a link sets on its targets. */
export function utmParametersOf(url: ShortUrl) {
  const parameters = new Map<string, string>();
  for (const field of utmFields) {
    const value = url[field];
    if (value !== null) parameters.set(utmParameters[field], value);
  }
  for (const [name, value] of Object.entries(url.customUtmParams)) {
    if (!parameters.has(name)) parameters.set(name, value);
  }
  return [...parameters];
}

/** Returns the kind of response to a visit. */
export function decideRedirect(link: Link | undefined, now: number) {
  if (!link) return 'unknown';
  // It says nothing about the link, so this comes first.
  if (link.activatesAt !== undefined && now < link.activatesAt) return 'unknown';
  if (link.isTakenDown) return 'taken-down';
  if (!link.isActive || isExpired(link, now)) {
    return link.fallback !== undefined && isExpired(link, now) ? 'fallback' : 'gone';
  }
  if (link.clickLimit?.isUsedUp) return usedUp(link);
  return link.passwordHash === null ? 'redirect' : 'ask-password';
}

/** Returns the kind of response to a visit of a link whose clicks are used up. */
export function usedUp({ fallback }: Pick<Link, 'fallback'>) {
  return fallback === undefined ? 'gone' : 'fallback';
}
