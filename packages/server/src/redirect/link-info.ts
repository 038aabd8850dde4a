import { LRUCache } from 'lru-cache';
import type { ClickReport } from '../analytics/reports/report-contract.js';
import type { Config } from '../config.js';
import { minuteMs } from '../durations.js';
import type { LinkInfo, PublicClicks } from '../pages/visitor-pages.js';
import type { Clock } from '../ports.js';
import type { ShortUrl } from '../urls/short-url.js';
import type { UrlReader } from '../urls/url-reader.js';
import { decideRedirect, type Link } from './link.js';

export interface LinkInfoOptions {
  readonly config: Pick<Config, 'linkInfo'>;
  readonly urls: Pick<UrlReader, 'findMany'>;
  readonly readRecentClicks: (organizationId: string, urlId: number) => Promise<ClickReport>;
  readonly clock: Clock;
}

const maxCachedLinks = 1_000;

/** Returns a function that finds what everybody may know about a link: undefined for nothing. */
export function createLinkInfo({ config, urls, readRecentClicks, clock }: LinkInfoOptions) {
  // Anybody can ask for them as often as they like.
  const clicks = new LRUCache<number, PublicClicks, ShortUrl>({
    max: maxCachedLinks,
    ttl: minuteMs,
    ttlResolution: 0,
    perf: { now: clock },
    async fetchMethod(id, _stale, { context: { organizationId, clickCount } }) {
      const { timeseries, breakdowns } = await readRecentClicks(organizationId, id);
      return { total: clickCount, days: timeseries, countries: breakdowns.country };
    },
  });

  return async (link: Link): Promise<LinkInfo | undefined> => {
    const decision = decideRedirect(link, clock());
    // Only a link that leads everybody to one target now, however often.
    if (decision !== 'redirect' || link.rules || link.clickLimit) return undefined;
    const [url] = await urls.findMany(link, [link.urlId]);
    if (!url || url.targetBlockedAt !== null) return undefined;
    if (!(url.infoPage ?? (config.linkInfo || url.publicStats))) return undefined;
    return {
      location: link.location,
      title: url.title,
      createdAt: url.createdAt,
      clicks: url.publicStats ? await clicks.fetch(url.id, { context: url }) : undefined,
    };
  };
}
