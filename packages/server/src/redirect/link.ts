import { utmFields, utmParameters } from '../contract/utm-parameters.js';
import type { AddressRanges } from '../network/ip-address.js';
import { shownPreviewOf } from '../urls/link-preview.js';
import { clicksLeftOf, isExpired, type RedirectType, type ShortUrl } from '../urls/short-url.js';
import { toCachedRules } from './cached-rules.js';
import type { Forwarding } from './forward-request.js';
import { toTarget } from './target.js';

/** The fields of a link that a redirect needs. They do not depend on the request. */
export type Link = Readonly<ReturnType<typeof toLink>>;

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
) {
  const query = url.forwardQuery ?? ofDomain.query;
  const path = url.forwardPath ?? ofDomain.path;
  const settings = { parameters: utmParametersOf(url), forwardsPath: path };
  const { location, campaign, targetHostname, variant } = toTarget(url.targetUrl, settings, null);
  return {
    isTakenDown: url.takenDownAt !== null || isBlocked,
    urlId: url.id,
    organizationId: url.organizationId,
    excludedAddresses,
    shortCode: url.shortCode,
    status: url.redirectType,
    location,
    campaign,
    // A browser that caches a redirect would ignore the rules, and visit without using a click.
    cacheControl:
      url.rules.length > 0 || url.maxClicks !== null ? 'no-store' : cacheControls[url.redirectType],
    isActive: url.isActive && !isSuspended,
    /** Undefined for a link that has always redirected. */
    activatesAt: url.activatesAt ?? undefined,
    expiresAt: url.expiresAt,
    /** Where visitors are sent once the link has expired or its clicks are used up, if not told so. */
    fallback:
      url.expiredUrl === null || isSuspended || isFallbackBlocked || url.deletedAt !== null
        ? undefined
        : new URL(url.expiredUrl).href,
    /** Undefined for a link without a limit of clicks. */
    clickLimit: url.maxClicks === null ? undefined : { isUsedUp: clicksLeftOf(url) === 0 },
    passwordHash: url.passwordHash,
    targetHostname,
    variant,
    /** Whether a visit can close a loop that no write sees, by its path or by a key in another case. */
    mayCloseLoop: path || ignoresCase,
    /** Undefined for a link that forwards nothing. */
    forwarding: query || path ? { query, path } : undefined,
    /** Undefined for a link without rules. */
    rules: url.rules.length > 0 ? toCachedRules(url, settings) : undefined,
    /** Undefined for a link whose previews are those of its target. */
    preview: url.preview === null ? undefined : toCachedPreview(url),
  };
}

/** Returns the link of a key whose link was erased: it is gone. */
export function erasedLink(organizationId: string): Link {
  return {
    isTakenDown: false,
    urlId: erasedUrlId,
    organizationId,
    excludedAddresses: undefined,
    shortCode: '',
    status: 302,
    location: '',
    campaign: null,
    cacheControl: 'no-store',
    isActive: false,
    activatesAt: undefined,
    expiresAt: null,
    fallback: undefined,
    clickLimit: undefined,
    passwordHash: null,
    targetHostname: undefined,
    variant: null,
    mayCloseLoop: false,
    forwarding: undefined,
    rules: undefined,
    preview: undefined,
  };
}

/** Returns what link previews show, and what the address of the link consists of. */
function toCachedPreview(url: ShortUrl) {
  // A password also protects what the target is about.
  const preview = url.passwordHash === null ? shownPreviewOf(url) : undefined;
  if (preview === undefined) return undefined;
  return { ...preview, customSlug: url.customSlug, hostname: url.hostname };
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
