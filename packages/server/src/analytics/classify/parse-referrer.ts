import { parseUrl } from '../../network/parse-url.js';
import { isAdClick } from './ad-clicks.js';
import { dereferrers } from './dereferrers.js';
import { maxDomainLength, normalizeHost } from './normalize-host.js';
import { directReferrerDomain, type ReferrerType } from './referrer-types.js';
import { appHosts, referrerTypeOf } from './referrers.js';

export interface ReferrerFacts {
  /** '(direct)', or a host in lower-case ASCII without `www.` and port, of at most 253 characters. */
  readonly referrerDomain: string;
  readonly referrerType: ReferrerType;
  /** True if a page or an app led to the link, also one that a service hides: no phone scanned it. */
  readonly hasPage: boolean;
  /** True for an image search: the visitor searched with an image of the QR code. */
  readonly isImageSearch: boolean;
}

export const directReferrer: ReferrerFacts = {
  referrerDomain: directReferrerDomain,
  referrerType: 'direct',
  hasPage: false,
  isImageSearch: false,
};

const androidApp = /^android-app:\/\/([\w.]+)/i;
const imageSearch = /^(?:lens\.google\.|images\.google\.|tineye\.com$|graph\.baidu\.com$)/;

/**
 * Parses the host of a `Referer`; one that is neither a page nor an Android app is direct. Never
 * throws.
 */
export function parseReferrer(referer: string): ReferrerFacts {
  const domain = domainOf(referer);
  if (domain === '' || domain.length > maxDomainLength) return directReferrer;
  const origin = dereferrers.get(domain) ?? domain;
  if (origin === directReferrerDomain) return { ...directReferrer, hasPage: true };
  return {
    referrerDomain: origin,
    referrerType: referrerTypeOf(origin),
    hasPage: true,
    isImageSearch: imageSearch.test(origin),
  };
}

// The pages through which Google and Bing lead from an ad to its target.
const adPage = /^https?:\/\/(?:www\.)?(?:google\.[a-z.]{2,6}|bing\.com)\/(?:aclk|aclick)\b/i;
// The page through which all services of Google lead to other sites. Search sends no such `source`.
const googleRedirect =
  /^https?:\/\/(?:www\.)?google\.[a-z.]{2,6}\/url\?(?:.*&)?source=(gmail|docs|editors|calendar|chat|meet|hangouts|sites)\b/i;
const maxRefererLength = 2048;

/**
 * Corrects the facts of a referrer's host by its path and query. Most browsers leave both out, unless
 * the page is on the same site.
 */
export function refineReferrer(facts: ReferrerFacts, referer: string): ReferrerFacts {
  const text = referer.slice(0, maxRefererLength);
  const mark = text.indexOf('?');
  const isAd = adPage.test(text) || (mark >= 0 && isAdClick(text.slice(mark)));
  if (isAd && facts.hasPage) return { ...facts, referrerType: 'paid' };
  const service = googleRedirect.exec(text)?.[1]?.toLowerCase();
  if (service === undefined) return facts;
  return parseReferrer(`https://${service === 'gmail' ? 'mail' : service}.google.com`);
}

function domainOf(referer: string): string {
  const app = androidApp.exec(referer)?.[1];
  if (app !== undefined) return appHosts.get(app.toLowerCase()) ?? normalizeHost(app.toLowerCase());
  const page = /^https?:/i.test(referer) ? parseUrl(referer) : undefined;
  return page ? normalizeHost(page.hostname) : '';
}
