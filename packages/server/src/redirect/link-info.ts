import { LRUCache } from 'lru-cache';
import type { ClickReport } from '../analytics/reports/report-contract.js';
import { minuteMs } from '../durations.js';
import type { LinkInfo, PublicClicks } from '../pages/visitor-pages.js';
import type { Clock } from '../ports.js';
import type { ShortUrl } from '../urls/short-url.js';
import type { UrlReader } from '../urls/url-reader.js';
import { decideRedirect, type Link } from './link.js';

export interface LinkInfoOptions {
  /** Whether links have an info page, unless they say otherwise. */
  readonly isDefault: boolean;
  readonly urls: Pick<UrlReader, 'findMany'>;
  readonly readRecentClicks: (organizationId: string, urlId: number) => Promise<ClickReport>;
  readonly clock: Clock;
}

export type FindLinkInfo = (link: Link) => Promise<LinkInfo | undefined>;

const maxCachedLinks = 1_000;

/** Returns a function that finds what everybody may know about a link: undefined for nothing. */
export function createLinkInfo(options: LinkInfoOptions): FindLinkInfo {
  const { isDefault, urls, readRecentClicks, clock } = options;

  async function readClicks({ id, organizationId, clickCount }: ShortUrl): Promise<PublicClicks> {
    const { timeseries, breakdowns } = await readRecentClicks(organizationId, id);
    return { total: clickCount, days: timeseries, countries: breakdowns.country };
  }

  // Anybody can ask for them as often as they like.
  const clicks = new LRUCache<number, PublicClicks, ShortUrl>({
    max: maxCachedLinks,
    ttl: minuteMs,
    ttlResolution: 0,
    perf: { now: clock },
    fetchMethod: (_id, _stale, { context }) => readClicks(context),
  });

  return async (link) => {
    if (!isPlain(link, clock())) return undefined;
    const [url] = await urls.findMany(link, [link.urlId]);
    if (!url || url.targetBlockedAt !== null) return undefined;
    if (!(url.infoPage ?? (isDefault || url.publicStats))) return undefined;
    return {
      location: link.location,
      title: url.title,
      createdAt: url.createdAt,
      clicks: url.publicStats ? await clicks.fetch(url.id, { context: url }) : undefined,
    };
  };
}

/** Returns whether a link leads everybody to one target now, however often. */
function isPlain(link: Link, now: number): boolean {
  return decideRedirect(link, now) === 'redirect' && !link.rules && !link.clickLimit;
}
