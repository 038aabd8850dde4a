import { EnvHttpProxyAgent, fetch } from 'undici';
import type { Io } from './io.js';

/** Returns a `fetch` that uses the proxies of the environment: HTTP_PROXY, HTTPS_PROXY and NO_PROXY. */
export function createProxyFetch(env: Io['env']): typeof globalThis.fetch {
  let dispatcher: EnvHttpProxyAgent | undefined;
  // The types of undici and of Node differ in members that no caller uses.
  const proxyFetch = fetch as unknown as typeof globalThis.fetch;
  return async (input, init) => {
    // At the first request, which reports an invalid proxy.
    dispatcher ??= new EnvHttpProxyAgent({
      httpProxy: withScheme(env.http_proxy || env.HTTP_PROXY),
      httpsProxy: withScheme(env.https_proxy || env.HTTPS_PROXY),
      // As curl does: many proxies open tunnels to port 443 only.
      proxyTunnel: false,
      // The own machine is never behind a proxy.
      noProxy: `localhost,127.0.0.1,[::1],${env.no_proxy || env.NO_PROXY || ''}`,
    });
    const options: object = { ...init, dispatcher };
    return proxyFetch(input, options);
  };
}

function withScheme(proxy: string | undefined): string {
  return proxy && !/^[a-z]+:\/\//i.test(proxy) ? `http://${proxy}` : (proxy ?? '');
}
