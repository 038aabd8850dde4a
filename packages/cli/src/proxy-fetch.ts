import { BlockList, isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { fetch, ProxyAgent } from 'undici';
import { reasonOf } from './cli-error.js';
import type { Io } from './io.js';

/** Returns a `fetch` that uses the proxies of the environment. */
export function createProxyFetch(env: Io['env']): typeof globalThis.fetch {
  const agents = new Map<string, ProxyAgent>();
  return async (input, init) => {
    const uri = findProxy(new URL(input instanceof Request ? input.url : input), env);
    if (uri === undefined) return globalThis.fetch(input, init);
    try {
      // As curl does: many proxies open tunnels to port 443 only.
      const dispatcher = agents.get(uri) ?? new ProxyAgent({ uri, proxyTunnel: false });
      agents.set(uri, dispatcher);
      // The types of undici and of Node differ in members that no caller uses.
      const undiciFetch = fetch as unknown as typeof globalThis.fetch;
      const options: object = { ...init, dispatcher };
      return await undiciFetch(input, options);
    } catch (error) {
      if (init?.signal?.aborted) throw error;
      const cause = new Error(`with the proxies of the environment: ${reasonOf(error)}`);
      throw new TypeError('fetch failed', { cause: Object.assign(cause, { code: 'PROXY' }) });
    }
  };
}

const loopback = /^(?:localhost|127\.[\d.]+|\[::1\])\.?$/;

/**
 * Returns the proxy of the environment for a URL, by the rules of curl; undefined for a direct
 * connection. Other than with curl, HTTP_PROXY counts in capitals, too, since no web server sets it from
 * a header here, and the own machine is never behind a proxy.
 */
export function findProxy(url: URL, env: Io['env']): string | undefined {
  const scheme = url.protocol.slice(0, -1);
  const names = [`${scheme}_proxy`, 'all_proxy'].flatMap((name) => [name, name.toUpperCase()]);
  const text = names.map((name) => env[name]?.trim()).find(Boolean);
  if (text === undefined || loopback.test(url.hostname)) return undefined;
  if (isExempt(url, env.no_proxy || env.NO_PROXY || '')) return undefined;
  return text.includes('://') ? text : `http://${text}`;
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
