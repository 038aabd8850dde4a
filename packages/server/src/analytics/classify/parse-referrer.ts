import { parseUrl } from '../../network/parse-url.js';
import { plainText } from './plain-text.js';
import { appHosts, type ReferrerType, referrerTypeOf } from './referrers.js';

export interface ReferrerFacts {
  /** '(direct)', or a host in lower-case ASCII without `www.` and port, of at most 253 characters. */
  readonly referrerDomain: string;
  readonly referrerType: ReferrerType;
  /** True for an image search: the visitor searched with an image of the QR code. */
  readonly isImageSearch: boolean;
}

export const directReferrer: ReferrerFacts = {
  referrerDomain: '(direct)',
  referrerType: 'direct',
  isImageSearch: false,
};

// RFC 1035, section 2.3.4, in text form.
const maxDomainLength = 253;
const androidApp = /^android-app:\/\/([\w.]+)/i;
const imageSearch = /^(?:lens\.google\.|images\.google\.|tineye\.com$|graph\.baidu\.com$)/;

/** Parses a `Referer`; one that is neither a page nor an Android app is direct. Never throws. */
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
  if (app !== undefined) return appHosts.get(app.toLowerCase()) ?? normalizeHost(app.toLowerCase());
  const page = /^https?:/i.test(referer) ? parseUrl(referer) : undefined;
  return page ? normalizeHost(page.hostname) : '';
}

/** Normalizes the host of a `Host` header or a URL, for comparison with referrers. */
export function normalizeHost(host: string): string {
  return plainText(
    host
      .toLowerCase()
      .replace(/:\d*$/, '')
      .replace(/\.$/, '')
      .replace(/^www\.(?=.)/, ''),
    maxDomainLength + 1,
  );
}

// Parameters that ad networks add to the target of an ad. `fbclid` is not among them, because
// Facebook adds it to every outgoing link.
const adClick =
  /(?:^|[?&])(?:gclid|gbraid|wbraid|dclid|gclsrc|msclkid|ttclid|twclid|li_fat_id|epik|rdt_cid|ScCid|yclid)=[^&]/i;

export function isAdClick(query: string): boolean {
  return query !== '' && adClick.test(query);
}
