import type { z } from 'zod';
import { clicksLeftOf, isLive, type ShortUrl } from './short-url.js';
import type { urlListItem, urlRecord } from './url-records.js';

/** The public addresses that short URLs are built from. */
export interface LinkOrigins {
  /** `https://` or `http://`. */
  readonly scheme: string;
  /** The host of links without a custom domain, with its port if it has one. */
  readonly shortDomain: string;
}

interface HasHostname {
  /** The hostname of the custom domain; none on the platform's domain. */
  readonly hostname: string | null | undefined;
}

/** Returns the public link. Specification, "URL record". */
export function shortUrlOf(
  origins: LinkOrigins,
  url: Pick<ShortUrl, 'shortCode' | 'customSlug'> & HasHostname,
): string {
  return `${origins.scheme}${url.hostname ?? origins.shortDomain}/${url.customSlug ?? url.shortCode}`;
}

/**
 * Returns the scheme and host in the payload of a link's QR codes. A link on a custom domain has
 * that domain's host, because no other host resolves its key.
 */
export function publicHostOf(
  { scheme, shortDomain }: LinkOrigins,
  publicHost: string | undefined,
  { hostname }: Pick<ShortUrl, 'hostname'>,
): string {
  if (hostname !== null) return scheme + hostname;
  return publicHost ?? scheme + shortDomain;
}

/** The form of the links in a list. */
export interface UrlPresentation {
  /** `summary` by default. */
  readonly view: 'summary' | 'full' | undefined;
  readonly origins: LinkOrigins;
  /** The time that decides which links have expired. */
  readonly now: number;
}

/** Returns the function that presents the links of a list. */
export function presenterOf({ view, origins, now }: UrlPresentation) {
  const toItem = view === 'full' ? toRecord : toListItem;
  return (url: ShortUrl) => toItem(origins, url, now);
}

/** Returns the parts of a new link that were generated, and those that its request contains. */
export function toNewLink(
  origins: LinkOrigins,
  { id, shortCode, hostname }: Pick<ShortUrl, 'id' | 'shortCode'> & HasHostname,
  request: Pick<ShortUrl, 'targetUrl'> & { readonly customSlug?: string | null | undefined },
) {
  const { targetUrl, customSlug = null } = request;
  const shortUrl = shortUrlOf(origins, { shortCode, customSlug, hostname });
  return { id: String(id), shortCode, targetUrl, customSlug, shortUrl };
}

export function toListItem(
  origins: LinkOrigins,
  url: ShortUrl,
  now: number,
): z.input<typeof urlListItem> {
  return {
    id: String(url.id),
    shortCode: url.shortCode,
    customSlug: url.customSlug,
    shortUrl: shortUrlOf(origins, url),
    targetUrl: url.targetUrl,
    isActive: isLive(url, now),
  };
}

/**
 * Returns the record of the API, with the fields in the order of the columns that users see. Lists the
 * fields, because V8 takes 5 µs instead of 0.5 µs to copy them by name. A page has 100 links.
 */
export function toRecord(
  origins: LinkOrigins,
  url: ShortUrl,
  now: number,
): z.input<typeof urlRecord> {
  return {
    id: String(url.id),
    shortCode: url.shortCode,
    targetUrl: url.targetUrl,
    customSlug: url.customSlug,
    shortUrl: shortUrlOf(origins, url),
    organizationId: url.organizationId,
    externalId: url.externalId,
    title: url.title,
    description: url.description,
    category: url.category,
    tags: url.tags,
    domainId: url.domainId,
    redirectType: url.redirectType,
    activatesAt: toIsoTime(url.activatesAt),
    expiresAt: toIsoTime(url.expiresAt),
    expiredUrl: url.expiredUrl,
    maxClicks: url.maxClicks,
    isPasswordProtected: url.passwordHash !== null,
    utmSource: url.utmSource,
    utmMedium: url.utmMedium,
    utmCampaign: url.utmCampaign,
    utmTerm: url.utmTerm,
    utmContent: url.utmContent,
    customUtmParams: url.customUtmParams,
    sourceDomain: url.sourceDomain,
    clickThresholds: url.clickThresholds,
    forwardQuery: url.forwardQuery,
    forwardPath: url.forwardPath,
    rules: [...url.rules],
    preview: url.preview,
    isActive: isLive(url, now),
    deletedAt: toIsoTime(url.deletedAt),
    clickCount: url.clickCount,
    excludedClicks: url.excludedClicks,
    importedClicks: url.importedClicks,
    clicksLeft: clicksLeftOf(url),
    lastClickAt: toIsoTime(url.lastClickAt),
    takenDown:
      url.takenDownAt === null
        ? null
        : { at: new Date(url.takenDownAt).toISOString(), reason: url.takedownReason ?? '' },
    createdAt: new Date(url.createdAt).toISOString(),
    updatedAt: new Date(url.updatedAt).toISOString(),
  };
}

function toIsoTime(epochMs: number | null): string | null {
  return epochMs === null ? null : new Date(epochMs).toISOString();
}
