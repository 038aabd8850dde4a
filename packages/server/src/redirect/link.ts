import { LRUCache } from 'lru-cache';
import { type Campaign, parseCampaign } from '../analytics/classify/parse-campaign.js';
import type { DescribedVisit } from '../analytics/journal/visit-recorder.js';
import type { Config } from '../config.js';
import { utmFields, utmParameters } from '../contract/utm-parameters.js';
import { type AddressRanges, parseAddressRanges } from '../network/ip-address.js';
import type { LinkPolicy } from '../urls/blocked-hosts.js';
import type { RedirectType } from '../urls/link-fields.js';
import { targetsOfRules } from '../urls/link-rules.js';
import { clicksLeftOf, isExpired, type ShortUrl } from '../urls/short-url.js';
import type { FoundUrl, UrlReader } from '../urls/url-reader.js';
import { chooseTarget, matchRules } from './match-rules.js';
import { type Forwarding, injectUtm, splitUrl } from './target-location.js';

export interface Target {
  /** The Location header: one ASCII line. */
  readonly location: string;
  /** The campaign of visits whose own query has none. */
  readonly campaign: Campaign | null;
  /** The rule and its variant, which reports name; null for the link's own target. */
  readonly variant: string | null;
}

/** A link in the cache: what a redirect needs of it, whatever the request. */
export type Link = Readonly<ReturnType<typeof toLink>>;

type UtmParameters = readonly (readonly [name: string, value: string])[];

export function toTarget(targetUrl: string, utm: UtmParameters, variant: string | null): Target {
  const location = injectUtm(new URL(targetUrl).href, utm);
  return {
    location,
    campaign: parseCampaign(`?${splitUrl(location).query}`, location.length),
    variant,
  };
}

// A short max-age, because a cached permanent redirect ignores edits and pauses of its link.
const cacheControls: Record<RedirectType, string> = {
  301: 'private, max-age=90',
  302: 'no-store',
  307: 'no-store',
  308: 'private, max-age=90',
};

interface LinkLoaderOptions {
  readonly config: Pick<Config, 'forwardQuery' | 'forwardPath'>;
  readonly urls: Pick<UrlReader, 'findByKey'>;
  readonly linkPolicy: Pick<LinkPolicy, 'findBlockedHost'>;
}

/** Returns a function that reads a link for the cache, with the policy that holds for it. */
export function linkLoader({ config, urls, linkPolicy }: LinkLoaderOptions) {
  const forwarding = { query: config.forwardQuery, path: config.forwardPath };
  const isBlocked = (targetUrl: string) => linkPolicy.findBlockedHost(targetUrl) !== undefined;
  // Links share the ranges of their organization, because 100 ranges take 30 KB.
  const excludedAddresses = new LRUCache<string, AddressRanges>({
    max: 100,
    memoMethod: parseAddressRanges,
  });
  return async (domainId: string | null, key: string, folds: boolean) => {
    const found = await urls.findByKey(domainId, key, folds);
    if (!found || found.url.erasedAt !== null) return undefined;
    const { excludeAddresses: ranges } = found;
    const excluded = ranges === '' ? undefined : excludedAddresses.memo(ranges);
    return toLink(found, forwarding, excluded, isBlocked);
  };
}

/** `defaults` is what a link on the platform's domain without settings of its own forwards. */
function toLink(
  { url, isSuspended, forwarding: domainForwarding }: FoundUrl,
  defaults: Forwarding,
  excludedAddresses: AddressRanges | undefined,
  isBlocked: (targetUrl: string) => boolean,
) {
  const inherited = domainForwarding ?? defaults;
  const query = url.forwardQuery ?? inherited.query;
  const path = url.forwardPath ?? inherited.path;
  const utm = utmParametersOf(url);
  const hasRules = url.rules.length > 0;
  const hasFallback =
    url.expiredUrl !== null && !isSuspended && !isBlocked(url.expiredUrl) && url.deletedAt === null;
  // Such a link leads nowhere, because a rule could hide a blocked target from the operator.
  const leadsToBlocked = [url, ...targetsOfRules(url.rules)].some((each) =>
    isBlocked(each.targetUrl),
  );
  const { location, campaign } = toTarget(url.targetUrl, utm, null);
  const clickLimit =
    url.maxClicks === null
      ? undefined
      : // Only a change of the link, which is then read again, allows clicks after all are used.
        { isUsedUp: clicksLeftOf(url) === 0 };
  const forwarding: Forwarding | undefined = query || path ? { query, path } : undefined;
  return {
    urlId: url.id,
    organizationId: url.organizationId,
    shortCode: url.shortCode,
    status: url.redirectType as number,
    location,
    campaign,
    /** The link's own target is no variant. */
    variant: null,
    // A browser that caches a redirect would ignore the rules, and visit without using a click.
    cacheControl: hasRules || clickLimit ? 'no-store' : cacheControls[url.redirectType],
    isActive: url.isActive && !isSuspended,
    isTakenDown: url.takenDownAt !== null || leadsToBlocked,
    activatesAt: url.activatesAt,
    expiresAt: url.expiresAt,
    /** Where visitors are sent once the link has expired or its clicks are used up. */
    fallback: hasFallback ? new URL(url.expiredUrl as string).href : undefined,
    passwordHash: url.passwordHash,
    clickLimit,
    excludedAddresses,
    forwarding,
    rules: hasRules ? { list: url.rules, utm, targets: new Map<string, Target>() } : undefined,
    // A password also protects what the target is about.
    preview:
      url.preview === null || url.passwordHash !== null
        ? undefined
        : { ...url.preview, customSlug: url.customSlug, hostname: url.hostname },
  };
}

export function utmParametersOf(url: ShortUrl): UtmParameters {
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

/** Returns the target of a visit: that of the first rule that matches, or else the link's own. */
export function targetOf(link: Link, visit: DescribedVisit): Target {
  if (link.rules === undefined) return link;
  const { list, utm, targets } = link.rules;
  const { visitedAt, facts, query, request } = visit;
  const acceptLanguage = request.headers['accept-language'];
  const match = matchRules(list, { visitedAt, facts, query, acceptLanguage });
  const chosen = chooseTarget(link.urlId, match.targets, facts);
  if (chosen === undefined) return link;
  // Takes as long as the rules, so each target is built once.
  const known = targets.get(chosen.variant);
  const target = known ?? toTarget(chosen.targetUrl, utm, chosen.variant);
  if (!known) targets.set(chosen.variant, target);
  return target;
}

/** Returns the kind of response to a visit. */
export function decideRedirect(link: Link | undefined, now: number) {
  if (!link) return 'unknown';
  // It says nothing about the link, so this comes first.
  if (link.activatesAt !== null && now < link.activatesAt) return 'unknown';
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
