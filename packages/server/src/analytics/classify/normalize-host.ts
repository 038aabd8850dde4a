import { plainText } from './plain-text.js';

// RFC 1035, section 2.3.4, in text form.
export const maxDomainLength = 253;

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
