import { parseCampaign } from '../analytics/classify/parse-campaign.js';
import { utmFields, utmParameters } from '../contract/utm-parameters.js';
import type { AddressRanges } from '../network/ip-address.js';
import { linkNameOf, parseLinkPath } from '../urls/loop-detector.js';
import { isExpired, type RedirectType, type ShortUrl } from '../urls/short-url.js';
import type { Forwarding } from './forward-request.js';
import { parameterName } from './parameter-name.js';

/** The fields of a link that a redirect needs. They do not depend on the request. */
export type Link = Readonly<ReturnType<typeof toLink>>;

// A short max-age, because a cached permanent redirect ignores edits and pauses of its link.
const cacheControls: Record<RedirectType, string> = {
  301: 'private, max-age=90',
  302: 'no-store',
  307: 'no-store',
  308: 'private, max-age=90',
};

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
}

const noPolicy: LinkPolicy = {
  isSuspended: false,
  isBlocked: false,
  excludedAddresses: undefined,
  forwarding: { query: false, path: false },
  isFallbackBlocked: false,
};

export function toLink(
  url: ShortUrl,
  {
    isSuspended,
    isBlocked,
    excludedAddresses,
    forwarding: ofDomain,
    isFallbackBlocked,
  }: LinkPolicy = noPolicy,
) {
  const location = injectUtm(new URL(url.targetUrl).href, utmParametersOf(url));
  const query = url.forwardQuery ?? ofDomain.query;
  const path = url.forwardPath ?? ofDomain.path;
  return {
    isTakenDown: url.takenDownAt !== null || isBlocked,
    urlId: url.id,
    organizationId: url.organizationId,
    excludedAddresses,
    shortCode: url.shortCode,
    status: url.redirectType,
    /** The Location header: one ASCII line. */
    location,
    /** The campaign of visits whose own query has none. */
    campaign: parseCampaign(queryOf(location), location.length),
    cacheControl: cacheControls[url.redirectType],
    isActive: url.isActive && !isSuspended,
    /** Undefined for a link that has always redirected. */
    activatesAt: url.activatesAt ?? undefined,
    expiresAt: url.expiresAt,
    /** Where visitors are sent once the link has expired; undefined if they are told so. */
    fallback:
      url.expiredUrl === null || isSuspended || isFallbackBlocked || url.deletedAt !== null
        ? undefined
        : new URL(url.expiredUrl).href,
    passwordHash: url.passwordHash,
    /** The host of the target; undefined when its path cannot be that of a short link. */
    targetHostname: (path ? parseLinkPath(url.targetUrl) : linkNameOf(url.targetUrl))?.hostname,
    /** Undefined for a link that forwards nothing. */
    forwarding: query || path ? { query, path } : undefined,
  };
}

function queryOf(href: string): string {
  const rest = href.split('#', 1)[0] as string;
  const mark = rest.indexOf('?');
  return mark < 0 ? '' : rest.slice(mark);
}

function utmParametersOf(url: ShortUrl) {
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
  return link.passwordHash === null ? 'redirect' : 'ask-password';
}

/**
 * Sets query parameters of a serialised URL and returns it. Parameters of the same name are
 * replaced. Everything else stays unchanged byte for byte, because URLs may be signed.
 */
export function injectUtm(
  href: string,
  parameters: readonly (readonly [name: string, value: string])[],
): string {
  if (parameters.length === 0) return href;
  const hash = href.indexOf('#');
  const fragment = hash < 0 ? '' : href.slice(hash);
  const rest = hash < 0 ? href : href.slice(0, hash);
  const mark = rest.indexOf('?');
  const base = mark < 0 ? rest : rest.slice(0, mark);
  const query = mark < 0 ? '' : rest.slice(mark + 1);
  const names = new Set(parameters.map(([name]) => name));
  const others = query.split('&').filter((pair) => pair !== '' && !names.has(parameterName(pair)));
  const set = parameters.map(([name, value]) => `${encode(name)}=${encode(value)}`);
  return `${base}?${[...others, ...set].join('&')}${fragment}`;
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
