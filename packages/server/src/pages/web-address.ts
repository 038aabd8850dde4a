import { parseUrl } from '../network/parse-url.js';

/**
 * Returns a web address in ASCII and without user information, because other characters and user
 * information can imitate another host. Returns undefined for other text, such as `javascript:` URLs,
 * which a page must not link.
 */
export function webAddressOf(text: string): string | undefined {
  const url = /^https?:\/\//i.test(text) ? parseUrl(text) : undefined;
  if (!url) return undefined;
  url.username = '';
  url.password = '';
  return url.href;
}
