import { EnvHttpProxyAgent, fetch } from 'undici';
import { systemErrorCode } from './cli-error.js';
import type { Io } from './io.js';

/** Returns a `fetch` that uses the proxies of the environment. The own machine is never behind one. */
export function createProxyFetch(env: Io['env']): typeof globalThis.fetch {
  const read = (name: string) => env[name] || env[name.toUpperCase()];
  const proxyOf = (scheme: string) => {
    const text = read(`${scheme}_proxy`) || read('all_proxy');
    return text && !text.includes('://') ? `http://${text}` : text;
  };
  const noProxy = read('no_proxy') ?? '';
  let dispatcher: EnvHttpProxyAgent | undefined;
  return async (input, init) => {
    try {
      dispatcher ??= new EnvHttpProxyAgent({
        httpProxy: proxyOf('http') ?? '',
        httpsProxy: proxyOf('https') ?? '',
        noProxy: noProxy === '*' ? noProxy : `${noProxy},localhost,127.0.0.1,[::1]`,
        // As curl does: many proxies open tunnels to port 443 only.
        proxyTunnel: false,
      });
      // The types of undici and of Node differ in members that no caller uses.
      const undiciFetch = fetch as unknown as typeof globalThis.fetch;
      const options: object = { ...init, dispatcher };
      return await undiciFetch(input, options);
    } catch (error) {
      if (init?.signal?.aborted) throw error;
      let deepest = error as Error;
      while (deepest.cause instanceof Error) deepest = deepest.cause;
      const reason = deepest.message || systemErrorCode(deepest);
      const cause = new Error(`with the proxies of the environment: ${reason}`);
      throw new TypeError('fetch failed', { cause: Object.assign(cause, { code: 'PROXY' }) });
    }
  };
}
