import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';

/** The label in front of a hostname at which its owner proves to be that. */
const challengeLabel = '_shorty-challenge';

// RFC 1035 §2.3.4 gives a name 253 characters, and the name of the TXT record is the longer one.
export const maxHostnameLength = 253 - `${challengeLabel}.`.length;

// RFC 1123 §2.1.
const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** What people type in place of a hostname, and what would be right; the first that fits. */
const slips: readonly (readonly [RegExp, string])[] = [
  [/^$/, 'must be a host name, such as go.example.com'],
  [/\s/, 'must not contain spaces'],
  [/[/\\?#@%]/, 'must be a host name alone, without scheme, path or user, such as go.example.com'],
  [/\*/, 'must be one host name: wildcards are not served'],
  [/:/, 'must be a host name without a port'],
];

export type HostnameReading =
  | { readonly ok: true; readonly hostname: string }
  | { readonly ok: false; readonly fault: string };

/**
 * A hostname as it is stored and compared: in lower case, in ASCII (UTS 46), without a final dot.
 * Addresses and single labels are none.
 */
export function readHostname(text: string): HostnameReading {
  if (isIP(text.replace(/^\[|\]$/g, '')) !== 0) return isAddress;
  const slip = slips.find(([pattern]) => pattern.test(text));
  if (slip) return refused(slip[1]);
  // RFC 1034 §3.1: the dot that ends a name stands for the root.
  const hostname = domainToASCII(text).replace(/\.$/, '');
  // `0x7f.1` is an address, too, by the URL standard.
  if (isIP(hostname) !== 0) return isAddress;
  const labels = hostname.split('.');
  if (hostname === '' || !labels.every((each) => label.test(each))) {
    return refused(
      'must be a valid host name: labels of 1 to 63 letters, digits and inner hyphens, with dots',
    );
  }
  if (labels.length < 2) return refused('must have a dot, such as go.example.com');
  if (hostname.length > maxHostnameLength) {
    return refused(`must be at most ${maxHostnameLength} characters long in ASCII`);
  }
  return { ok: true, hostname };
}

function refused(fault: string): HostnameReading {
  return { ok: false, fault };
}

const isAddress = refused('must be a host name, not an address');

/** The name in a Host header or an origin's host: without its port and its final dot. */
export function hostnameOf(host: string): string {
  return host.replace(/\.?(?::\d*)?$/, '').toLowerCase();
}

/** Where the owner of a hostname sets the TXT record. */
export function challengeNameOf(hostname: string): string {
  return `${challengeLabel}.${hostname}`;
}
