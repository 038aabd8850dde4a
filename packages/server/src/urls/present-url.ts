import type { z } from 'zod';
import { type LinkOrigins, shortUrlOf } from '../network/link-origins.js';
import { createsObjects, presentFields } from './link-fields.js';
import { clicksLeftOf, isLive, type ShortUrl } from './short-url.js';
import { type urlListItem, urlRecord } from './url-schemas.js';

export type UrlRecord = z.input<typeof urlRecord>;
export type UrlListItem = z.input<typeof urlListItem>;

export interface UrlPresentation {
  /** `summary` by default. */
  readonly view: 'summary' | 'full' | undefined;
  readonly origins: LinkOrigins;
  /** The time that decides which links have expired. */
  readonly now: number;
}

export function presenterOf({ view, origins, now }: UrlPresentation) {
  const toItem = view === 'full' ? toRecord : toListItem;
  return (url: ShortUrl) => toItem(origins, url, now);
}

export function toNewLink(origins: LinkOrigins, url: ShortUrl) {
  const { id, shortCode, targetUrl, customSlug } = url;
  return { id: String(id), shortCode, targetUrl, customSlug, shortUrl: shortUrlOf(origins, url) };
}

export function toListItem(origins: LinkOrigins, url: ShortUrl, now: number): UrlListItem {
  return { ...toNewLink(origins, url), isActive: isLive(url, now) };
}

const newRecord = createsObjects(Object.keys(urlRecord.shape));

export function toRecord(origins: LinkOrigins, url: ShortUrl, now: number): UrlRecord {
  const { takenDownAt, takedownReason } = url;
  return Object.assign(newRecord(), toNewLink(origins, url), presentFields(url), {
    organizationId: url.organizationId,
    isPasswordProtected: url.passwordHash !== null,
    isActive: isLive(url, now),
    clickCount: url.clickCount,
    excludedClicks: url.excludedClicks,
    clicksLeft: clicksLeftOf(url),
    lastClickAt: toIsoTime(url.lastClickAt),
    takenDown:
      takenDownAt === null ? null : { at: toIsoTime(takenDownAt), reason: takedownReason ?? '' },
    createdAt: toIsoTime(url.createdAt),
    updatedAt: toIsoTime(url.updatedAt),
  });
}

function toIsoTime<Time extends number | null>(at: Time): Time extends null ? null : string {
  return (at === null ? null : new Date(at).toISOString()) as never;
}
