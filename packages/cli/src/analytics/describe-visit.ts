import { cutText, displayWidth, fitText, printable } from '@shorty/report';
import type { WebhookEvent } from '@shorty/sdk';

/** A visit in the event `url.clicked`. */
export type ClickedVisit = WebhookEvent<'url.clicked'>['data']['visits'][number];

const usualLinkWidth = 32;
const narrowestReferrer = 8;
const gap = '  ';

/**
 * Formats a visit as one line of at most `width` columns, at least 40: the time, the kind, the country,
 * the device, the link and the referrer. In a narrow line, the link and then the referrer are cut.
 */
export function describeVisit(visit: ClickedVisit, width: number): string {
  const { visitedAt, country, deviceType, shortUrl, referrerDomain } = visit;
  const start = [
    visitedAt.slice(11, 19),
    kindOf(visit).padEnd('click'.length),
    fitText(country === 'Unknown' ? '--' : country, 2),
    fitText(deviceType, 'desktop'.length),
  ].join(gap);
  const link = printable(shortUrl.replace(/^https?:\/\//, ''));
  const referrer = printable(referrerDomain);
  const left = width - start.length - gap.length;
  const forReferrer = Math.min(displayWidth(referrer), Math.floor(left / 2) - gap.length);
  const showsReferrer = forReferrer >= Math.min(displayWidth(referrer), narrowestReferrer);
  const available = showsReferrer ? left - forReferrer - gap.length : left;
  const linkWidth = Math.min(available, Math.max(usualLinkWidth, displayWidth(link)));
  const shownLink = fitText(fitLink(link, linkWidth), linkWidth);
  const shownReferrer = showsReferrer ? gap + cutText(referrer, left - linkWidth - gap.length) : '';
  return `${start}${gap}${shownLink}${shownReferrer}`.trimEnd();
}

/** `scan?` is an inferred scan. */
function kindOf({ method, scanCertainty }: ClickedVisit): string {
  return scanCertainty === 'inferred' ? 'scan?' : method;
}

/** Removes the host if the link does not fit. */
function fitLink(link: string, width: number): string {
  return displayWidth(link) > width ? link.replace(/^[^/]+(?=\/.)/, '') : link;
}
