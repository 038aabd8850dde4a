import { EnvHttpProxyAgent, fetch } from 'undici';
import { httpFetch } from './http-fetch.js';

const loopback = /^(localhost|127\.[\d.]+|\[::1\])$/;

/**
 * Returns a `fetch` that uses the proxies of the environment: HTTP_PROXY, HTTPS_PROXY and NO_PROXY, in
 * capitals or small letters. The own machine is never behind a proxy.
 */
export function createProxyFetch(): typeof globalThis.fetch {
  const dispatcher = new EnvHttpProxyAgent();
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (loopback.test(url.hostname)) return httpFetch(input, init);
    // The types of undici and of Node differ in members that no caller uses.
    const undiciFetch = fetch as unknown as typeof globalThis.fetch;
    const options: object = { ...init, dispatcher };
    return undiciFetch(url, options);
  };
}
