import { BlockList, isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { parseUrl } from '@shorty/import';
import { fetch, ProxyAgent } from 'undici';
import { systemErrorCode, UsageError } from './cli-error.js';
import type { Io } from './io.js';

/** Returns a `fetch` that uses the proxies of the environment. */
export function createProxyFetch(env: Io['env']): typeof globalThis.fetch {
  const agents = new Map<string, ProxyAgent>();
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const proxy = findProxy(url, env);
    if (!proxy) return globalThis.fetch(input, init);
    const { variable, uri } = proxy;
    // As curl does: many proxies open tunnels to port 443 only.
    const dispatcher = agents.get(variable) ?? new ProxyAgent({ uri, proxyTunnel: false });
    agents.set(variable, dispatcher);
    // The types of undici and of Node differ in members that no caller uses.
    const undiciFetch = fetch as unknown as typeof globalThis.fetch;
    const options: object = { ...init, dispatcher };
    try {
      return await undiciFetch(url, options);
    } catch (error) {
      if (init?.signal?.aborted) throw error;
      let deepest = error as Error;
      while (deepest.cause instanceof Error) deepest = deepest.cause;
      const reason = deepest.message || systemErrorCode(deepest);
      const cause = new Error(`through the proxy ${new URL(uri).origin} (${variable}): ${reason}`);
      throw new TypeError('fetch failed', { cause: Object.assign(cause, { code: 'PROXY' }) });
    }
  };
}

/** A proxy, and the environment variable that names it. */
interface HttpProxy {
  readonly variable: string;
  readonly uri: string;
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
  const text = env[variable]?.trim() ?? '';
  // What precedes an @ may be a password.
  const address = text.slice(text.lastIndexOf('@') + 1);
  const proxy = parseUrl(/^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  if (proxy && /^https?:$/.test(proxy.protocol) && proxy.port !== '0' && canDecode(proxy)) {
    // As with curl. A URL does not have the default port of its scheme.
    const hasPort = /:\d+(?:[/?#]|$)/.test(address);
    if (proxy.protocol === 'http:' && !hasPort) proxy.port = '1080';
    return { variable, uri: proxy.href };
  }
  const kind = /^socks/i.test(text)
    ? 'an http or https proxy, not SOCKS'
    : 'the URL of an http or https proxy';
  throw new UsageError(
    `${variable} ${JSON.stringify(address)}: must be ${kind}`,
    `for example ${variable}=http://127.0.0.1:3128`,
  );
}

/** Returns whether each % in the credentials is followed by two digits that are UTF-8. */
function canDecode({ username, password }: URL): boolean {
  try {
    return decodeURIComponent(username + password) !== undefined;
  } catch {
    return false;
  }
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
    if (isIP(host)) return isInNetwork(host, name.replace(/[[\]]/g, ''));
    const domain = domainToASCII(name.replace(/^\*?\.|\.$/g, ''));
    return domain !== '' && (host === domain || host.endsWith(`.${domain}`));
  });
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
