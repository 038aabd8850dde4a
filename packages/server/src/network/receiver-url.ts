import { isIP } from 'node:net';
import { isPublicAddress, withoutBrackets } from './ip-address.js';
import { parseUrl } from './parse-url.js';

// The Fetch standard, "Port blocking": their services may read an HTTP request as their own protocol.
const blockedPorts = new Set(
  [
    '0 1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111',
    '113 115 117 119 123 135 137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540',
    '548 554 556 563 587 601 636 989 990 993 995 1719 1720 1723 2049 3659 4045 4190 5060 5061 6000',
    '6566 6665 6666 6667 6668 6669 6679 6697 10080',
  ].flatMap((line) => line.split(' ')),
);

export interface ReceiverRules {
  readonly allowPrivateNetwork: boolean;
}

export type UrlError = {
  readonly reason: 'bad_url' | 'forbidden_address';
  readonly message: string;
};

/**
 * Returns why no request may be sent to a URL, or undefined. Does not look up the host name. The
 * WHATWG parser normalizes addresses: `2130706433`, `0x7f.1`, `127.0.0.1.` and full-width digits all
 * become `127.0.0.1`.
 */
export function findUrlError(url: string | URL, rules: ReceiverRules): UrlError | undefined {
  const parsed = typeof url === 'string' ? parseUrl(url) : url;
  if (!parsed) return bad('must be a URL, such as https://example.com/hook');
  const { protocol, username, password, port, hostname } = parsed;
  if (protocol !== 'https:' && protocol !== 'http:')
    return bad('must start with http:// or https://');
  if (username !== '' || password !== '') return bad('must not contain a user name or password');
  if (blockedPorts.has(port))
    return bad(`must not use port ${port}, which is reserved for another service`);
  if (rules.allowPrivateNetwork) return undefined;
  const host = withoutBrackets(hostname);
  // RFC 6761 §6.3.
  const isThisMachine = /(?:^|\.)localhost\.?$/.test(host);
  if (isThisMachine || (isIP(host) !== 0 && !isPublicAddress(host))) {
    return {
      reason: 'forbidden_address',
      message:
        'must have a public address; SHORTY_ALLOW_PRIVATE_NETWORK=1 (createServer: allowPrivateNetwork) allows private ones',
    };
  }
  return undefined;
}

function bad(message: string): UrlError {
  return { reason: 'bad_url', message };
}
