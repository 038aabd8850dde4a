import { cutText, fitText } from '@shorty/report';
import type { WebhookEvent } from '@shorty/sdk';

/** A visit in the event `url.clicked`. */
export type ClickedVisit = WebhookEvent<'url.clicked'>['data']['visits'][number];

/**
 * Formats a visit as one line of at most `width` columns: the time, the kind, the country, the device, the
 * link and the referrer. `scan?` is an inferred scan.
 */
export function describeVisit(visit: ClickedVisit, width: number): string {
  const { method, scanCertainty, country, deviceType } = visit;
  const parts = [
    visit.visitedAt.slice(11, 19),
    (scanCertainty === 'inferred' ? 'scan?' : method).padEnd('click'.length),
    fitText(country === 'Unknown' ? '--' : country, 2),
    fitText(deviceType, 'desktop'.length),
    visit.shortUrl.replace(/^https?:\/\//, '').padEnd(32),
    visit.referrerDomain,
  ];
  return cutText(parts.join('  '), width);
}
