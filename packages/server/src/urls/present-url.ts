import type { z } from 'zod';
import { presentAs, withIsoTimes } from '../contract/present.js';
import { isLive, type ShortUrl } from './short-url.js';
import { type urlListItem, urlRecord } from './url-contract.js';

/** The public addresses that short URLs are built from. */
export interface LinkOrigins {
  /** `https://` or `http://`. */
  readonly scheme: string;
  /** The host of links without a custom domain, with its port if it has one. */
  readonly shortDomain: string;
}

/** Returns the public link. Specification, "URL record". */
export function shortUrlOf(
  origins: LinkOrigins,
  url: Pick<ShortUrl, 'shortCode' | 'customSlug'> & {
    readonly hostname: string | null | undefined;
  },
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

/** Returns the record of the API. */
export function toRecord(
  origins: LinkOrigins,
  url: ShortUrl,
  now: number,
): z.input<typeof urlRecord> {
  return presentAs(urlRecord, {
    ...withIsoTimes(url),
    ...toListItem(origins, url, now),
    isPasswordProtected: url.passwordHash !== null,
  });
}
