import { shorten } from '../contract/api-error.js';
import { hostnameOf } from '../domains/hostname.js';
import { decodeUnreserved } from '../http/request-target.js';
import { parseUrl } from '../network/parse-url.js';
import { isLinkCode } from './url-keys.js';

/** A short URL. Without a hostname, it is a slug or code alone. */
export interface ShortUrlName {
  readonly hostname: string | undefined;
  readonly key: string;
}

/** Returns what a short URL may mean, the likeliest first. It may lack the scheme. */
export function parseShortUrl(text: string): readonly ShortUrlName[] {
  if (text.includes('://')) return /^https?:/i.test(text) ? nameOf(text) : [];
  const alone = isLinkCode(text) ? [{ hostname: undefined, key: text }] : [];
  return text.includes('/') ? [...nameOf(`https://${text}`), ...alone] : alone;
}

function nameOf(href: string): ShortUrlName[] {
  const url = parseUrl(href);
  const key = decodeUnreserved(url?.pathname ?? '').replace(/^\/|\/$/g, '');
  return url && isLinkCode(key) ? [{ hostname: hostnameOf(url.host), key }] : [];
}

/** Returns the rule of `parseShortUrl` for a text that is no short URL. */
export function notShortUrlMessage(text: string): string {
  return `${JSON.stringify(shorten(text))} must be a short URL, such as https://sho.example/sale, or a custom slug or short code alone`;
}
