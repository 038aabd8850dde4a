import { BlockList, isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { parseUrl } from '@shorty/import';
import { UsageError } from './cli-error.js';
import type { Io } from './io.js';

/** A proxy, and the environment variable that names it. */
export interface HttpProxy {
  readonly variable: string;
  /** Without credentials, such as `http://127.0.0.1:3128`. */
  readonly origin: string;
  /** The value of the header Proxy-Authorization. */
  readonly authorization: string | undefined;
}

const loopback = /^(?:localhost|127\.[\d.]+|\[::1\])\.?$/;

/**
 * Returns the proxy of the environment for a URL, by the rules of curl; undefined for a direct
 * connection. Other than with curl, HTTP_PROXY counts in capitals, too, since no web server sets it from
 * a header here, and the own machine is never behind a proxy. Throws UsageError if the variable is invalid.
 */
export function findProxy(url: URL, env: Io['env']): HttpProxy | undefined {
  const scheme = url.protocol.slice(0, -1);
  const names = [`${scheme}_proxy`, 'all_proxy'].flatMap((name) => [name, name.toUpperCase()]);
  const variable = names.find((name) => env[name]?.trim());
  if (variable === undefined || loopback.test(url.hostname)) return undefined;
  if (isExempt(url, env.no_proxy || env.NO_PROXY || '')) return undefined;
  return parseProxy(variable, env[variable] ?? '');
}

function parseProxy(variable: string, value: string): HttpProxy {
  const text = value.trim();
  const [scheme = 'http:'] = /^[a-z][a-z\d+.-]*:(?=\/\/)/i.exec(text) ?? [];
  const address = text.replace(/^[a-z][a-z\d+.-]*:\/\//i, '');
  const url = /^https?:$/i.test(scheme) ? parseUrl(`${scheme}//${address}`) : undefined;
  if (!url || url.port === '0') {
    const kind = /^socks/i.test(scheme)
      ? 'an http or https proxy, not SOCKS'
      : 'the URL of an http or https proxy';
    // What precedes an @ may be a password.
    const shown = JSON.stringify(text.slice(text.lastIndexOf('@') + 1));
    throw new UsageError(
      `${variable} ${shown}: must be ${kind}`,
      `for example ${variable}=http://127.0.0.1:3128`,
    );
  }
  const { protocol, hostname, username, password } = url;
  // A URL does not have the default port of its scheme. Without a port, curl uses 1080.
  const isPort80 = /:0*80(?:[/?#]|$)/.test(address.slice(address.lastIndexOf('@') + 1));
  const port = url.port || (protocol === 'https:' ? '443' : isPort80 ? '80' : '1080');
  const credentials = Buffer.from(`${decode(username)}:${decode(password)}`, 'latin1');
  return {
    variable,
    origin: `${protocol}//${hostname}:${port}`,
    authorization: username || password ? `Basic ${credentials.toString('base64')}` : undefined,
  };
}

/** Decodes the bytes of a percent-encoded text. A % without two digits stays. */
function decode(text: string): string {
  return text.replace(/%([\da-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/**
 * Returns whether NO_PROXY names the host: by its name or a parent's, its address or a network, each
 * with or without a port, or by `*`.
 */
function isExempt({ hostname, port, protocol }: URL, noProxy: string): boolean {
  const host = hostname.replace(/^\[|\]$|\.$/g, '');
  const ownPort = port || (protocol === 'https:' ? '443' : '80');
  return noProxy.split(/[\s,]+/).some((entry) => {
    // A bare IPv6 address has no port.
    const [, name = entry, entryPort] = /^(\[.*\]|[^:]*):(\d+)$/.exec(entry) ?? [];
    if (entryPort !== undefined && Number(entryPort) !== Number(ownPort)) return false;
    if (name === '*') return true;
    return isIP(host) ? isInNetwork(host, name.replace(/[[\]]/g, '')) : isInDomain(host, name);
  });
}

function isInDomain(host: string, entry: string): boolean {
  const domain = domainToASCII(entry.replace(/^\*?\.|\.$/g, ''));
  return domain !== '' && (host === domain || host.endsWith(`.${domain}`));
}

function isInNetwork(host: string, entry: string): boolean {
  const [address = '', bits] = entry.split('/');
  const family = isIP(address);
  const most = family === 6 ? 128 : 32;
  const prefix = bits === undefined ? most : Number(bits);
  if (family === 0 || !(prefix >= 0 && prefix <= most)) return false;
  const network = new BlockList();
  network.addSubnet(address, prefix, `ipv${family as 4 | 6}`);
  return network.check(host, `ipv${isIP(host) as 4 | 6}`);
}
