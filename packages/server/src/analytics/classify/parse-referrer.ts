import { parseUrl } from '../../network/parse-url.js';
import { plainText } from './plain-text.js';
import { appHosts, type ReferrerType, referrerTypeOf } from './referrers.js';

export interface ReferrerFacts {
  /** '(direct)', or a host: lower case, ASCII, without `www.` and port, at most 253 characters. */
  readonly referrerDomain: string;
  readonly referrerType: ReferrerType;
  /** A search by image: who comes from one has held up a picture of the link's code. */
  readonly isImageSearch: boolean;
}

export const directReferrer: ReferrerFacts = {
  referrerDomain: '(direct)',
  referrerType: 'direct',
  isImageSearch: false,
};

// RFC 1035 §2.3.4, as text.
const maxDomainLength = 253;
const androidApp = /^android-app:\/\/([\w.]+)/i;
const imageSearch = /^(?:lens\.google\.|images\.google\.|tineye\.com$|graph\.baidu\.com$)/;

/** Reads a `Referer`; what is no page's address counts as none. Never throws. */
export function parseReferrer(referer: string): ReferrerFacts {
  const domain = domainOf(referer);
  if (domain === '' || domain.length > maxDomainLength) return directReferrer;
  return {
    referrerDomain: domain,
    referrerType: referrerTypeOf(domain),
    isImageSearch: imageSearch.test(domain),
  };
}

function domainOf(referer: string): string {
  const app = androidApp.exec(referer)?.[1];
  if (app !== undefined) return appHosts.get(app.toLowerCase()) ?? plainHost(app.toLowerCase());
  const page = /^https?:/i.test(referer) ? parseUrl(referer) : undefined;
  return page ? plainHost(page.hostname) : '';
}

/** The host of a `Host` header or a URL, as referrers are compared with it. */
export function plainHost(host: string): string {
  return plainText(
    host
      .toLowerCase()
      .replace(/:\d*$/, '')
      .replace(/\.$/, '')
      .replace(/^www\.(?=.)/, ''),
    maxDomainLength + 1,
  );
}

// What ad networks add to the address of an ad that was clicked. Facebook adds `fbclid` to every
// outgoing link, so that it proves no ad.
const adClick =
  /(?:^|[?&])(?:gclid|gbraid|wbraid|dclid|gclsrc|msclkid|ttclid|twclid|li_fat_id|epik|rdt_cid|ScCid|yclid)=[^&]/i;

/** Whether the visit's own query was written by an ad. */
export function isAdClick(query: string): boolean {
  return query !== '' && adClick.test(query);
}
