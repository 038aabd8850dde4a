import { fetch, ProxyAgent } from 'undici';
import { systemErrorCode } from './cli-error.js';
import { findProxy, type HttpProxy } from './find-proxy.js';
import type { Io } from './io.js';

/** Returns a `fetch` that uses the proxies of the environment. */
export function createProxyFetch(env: Io['env']): typeof globalThis.fetch {
  const agents = new Map<string, ProxyAgent>();
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const proxy = findProxy(url, env);
    if (!proxy) return globalThis.fetch(input, init);
    const dispatcher = agents.get(proxy.variable) ?? createAgent(proxy);
    agents.set(proxy.variable, dispatcher);
    // The types of undici and of Node differ in members that no caller uses.
    const undiciFetch = fetch as unknown as typeof globalThis.fetch;
    const options: object = { ...init, dispatcher };
    try {
      return await undiciFetch(url, options);
    } catch (error) {
      throw init?.signal?.aborted ? error : describeFailure(error, proxy);
    }
  };
}

function createAgent({ origin, authorization }: HttpProxy): ProxyAgent {
  return new ProxyAgent({
    uri: origin,
    ...(authorization && { token: authorization }),
    // As curl does: many proxies open tunnels to port 443 only.
    proxyTunnel: false,
  });
}

// The client connects to the proxy only, so these are failures of the proxy.
const connectionErrors = new Set([
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT'],
  // A response to CONNECT other than 200, and 407.
  ...['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_ABORTED', 'UND_ERR_INVALID_ARG'],
]);

/** Names the proxy and its variable, if the proxy is the reason. */
function describeFailure(error: unknown, { variable, origin }: HttpProxy): unknown {
  let deepest = error as Error;
  while (deepest.cause instanceof Error) deepest = deepest.cause;
  const code = systemErrorCode(deepest) ?? '';
  if (!connectionErrors.has(code)) return error;
  const cause = new Error(`the proxy ${origin} (${variable}) failed: ${deepest.message || code}`);
  return new TypeError('fetch failed', { cause: Object.assign(cause, { code: 'PROXY' }) });
}
