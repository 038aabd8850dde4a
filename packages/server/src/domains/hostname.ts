import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { canonicalAddress, withoutBrackets } from '../network/ip-address.js';
import { parseUrl } from '../network/parse-url.js';

/** The DNS label, in front of a hostname, of the TXT record that proves who owns the hostname. */
const challengeLabel = '_shorty-challenge';

// RFC 1035 §2.3.4 allows 253 characters. The longer name of the TXT record must fit, too.
export const maxHostnameLength = 253 - `${challengeLabel}.`.length;
const addressRule = 'must be a host name, not an address';
const lengthRule = `must be at most ${maxHostnameLength} characters long in ASCII`;
const maxTextLength = 1_000;

// RFC 1123 §2.1.
const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

const aloneRule =
  'must be one host name alone, such as go.example.com: without scheme, port, path, user, wildcard or spaces';

/** Returns a hostname as it is stored and compared: lower case, ASCII (UTS 46), no final dot. */
export function toHostname(text: string): string {
  // RFC 1034 §3.1: a final dot is the root of the DNS.
  return domainToASCII(text).replace(/\.$/, '');
}

/** Returns why a text is not the name of a domain: addresses and names of a single label are none. */
export function findHostnameError(text: string): string | undefined {
  if (isIP(text.replace(/^\[|\]$/g, '')) !== 0) return addressRule;
  if (/^$|[\s/\\?#@%*:]/.test(text)) return aloneRule;
  // The conversion takes time in proportion to the square of the length.
  if (text.length > maxTextLength) return lengthRule;
  const hostname = toHostname(text);
  // The URL standard also reads `0x7f.1` as an address.
  if (isIP(hostname) !== 0) return addressRule;
  const labels = hostname.split('.');
  if (hostname === '' || !labels.every((each) => label.test(each))) {
    return 'must be a valid host name: labels of 1 to 63 letters, digits and inner hyphens, with dots';
  }
  if (labels.length < 2) return 'must have a dot, such as go.example.com';
  return hostname.length > maxHostnameLength ? lengthRule : undefined;
}

/** Returns the hostname of a Host header or of a URL's host: lower case, no port, no final dot. */
export function hostnameOf(host: string): string {
  return host.replace(/\.?(?::\d*)?$/, '').toLowerCase();
}

/** Returns the name of the TXT record that proves who owns a hostname. */
export function challengeNameOf(hostname: string): string {
  return `${challengeLabel}.${hostname}`;
}

/**
 * Returns whether the platform's own links are served on a hostname, as `hostnameOf` returns it. With a port,
 * that of a URL, another server on this machine is not its own.
 */
export type IsOwnHost = (hostname: string, port?: string) => boolean;

/** Returns a test for the given hosts. The server is reached by each of `addresses`, too. */
export function ownHostTest(
  hosts: readonly string[],
  addresses: readonly string[] = [],
): IsOwnHost {
  const canonical = new Set(addresses.map(canonicalAddress));
  const isOfMachine = (hostname: string) =>
    isLoopback(hostname) || canonical.has(canonicalAddress(withoutBrackets(hostname)));
  const own = hosts.map((host) => {
    const url = parseUrl(`http://${host}`);
    return { hostname: hostnameOf(url?.host ?? host), port: url?.port };
  });
  const ofMachine = own.filter((each) => isOfMachine(each.hostname));
  return (hostname, port) => {
    // Every name of the machine reaches the same server, so one of them stands for all.
    const reaches = ofMachine.some((each) => port === undefined || each.port === port);
    if (isOfMachine(hostname) && reaches) return true;
    return !isLoopback(hostname) && own.some((each) => each.hostname === hostname);
  };
}

function isLoopback(hostname: string): boolean {
  return (
    /(?:^|\.)localhost$|^127\.|^\[::ffff:7f[0-9a-f]{2}:/.test(hostname) ||
    unspecifiedOrLoopback.includes(hostname)
  );
}

const unspecifiedOrLoopback = ['0.0.0.0', '[::]', '[::1]', '[::ffff:0:0]'];
