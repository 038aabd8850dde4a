import type { GuardedFetch } from '../network/guarded-fetch.js';
import { GuardedFetchError, type GuardedFetchReason } from '../network/guarded-fetch-error.js';
import { parseUrl } from '../network/parse-url.js';

/**
 * `dead`: the target does not exist, or cannot be reached. `uncertain`: people may reach it, because it
 * refused only this server, or because its error may be temporary.
 */
export type TargetState = 'alive' | 'dead' | 'uncertain';

/** What the check of a target found. */
export interface TargetCheck {
  readonly state: TargetState;
  /** The status of the last response; null without one. */
  readonly status: number | null;
  /** Why there is no last response, or why it is not followed. */
  readonly error: string | null;
  /** Where the redirects of the target lead; null without one. */
  readonly redirectsTo: string | null;
  readonly durationMs: number;
}

export interface TargetCheckerOptions {
  readonly request: GuardedFetch['request'];
  readonly monotonicMs: () => number;
}

/** How many redirects of a target are followed. */
export const maxRedirects = 5;
// With all redirects and the second attempt.
const timeLimitMs = 8_000;
// For the headers of one response.
const requestTimeoutMs = 5_000;
const headers = {
  'user-agent': 'ShortyLinkCheck/1.0 (bot; checks the targets of links)',
  accept: '*/*',
};

const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
// The server, or its firewall, refuses programs or this network, or asks for a sign-in.
const refusals: ReadonlySet<number> = new Set([401, 403, 407, 408, 421, 425, 426, 429, 451]);
const passing: ReadonlySet<GuardedFetchReason> = new Set(['timeout', 'reset', 'bad_url']);

/**
 * Checks a target by HEAD, and by GET where that fails, because some servers do not know HEAD. Reads no
 * body. Each redirect is a request of its own, whose address is checked. Never throws a GuardedFetchError.
 */
export async function checkTarget(
  targetUrl: string,
  { request, monotonicMs }: TargetCheckerOptions,
): Promise<TargetCheck> {
  const startedAt = monotonicMs();
  let url = targetUrl;
  let hasMoved = false;
  const finish = (
    state: TargetState,
    status: number | null,
    error: string | null,
  ): TargetCheck => ({
    state,
    status,
    error,
    redirectsTo: hasMoved ? url : null,
    durationMs: Math.round(monotonicMs() - startedAt),
  });
  const leftMs = () => Math.min(requestTimeoutMs, timeLimitMs - (monotonicMs() - startedAt));
  const send = (method: 'HEAD' | 'GET') => {
    const timeoutMs = leftMs();
    if (timeoutMs <= 0)
      throw new GuardedFetchError('timeout', `No result within ${timeLimitMs} ms`);
    // The headers are sufficient.
    const limits = { timeoutMs, bodyTimeoutMs: 1, maxResponseBytes: 0 };
    return request(url, { method, headers, ...limits });
  };
  try {
    for (let redirects = 0; ; redirects += 1) {
      const byHead = await send('HEAD').catch(toUndefined);
      const response = byHead && byHead.status < 400 ? byHead : await send('GET');
      const { status } = response;
      const { location } = response.headers;
      if (!redirectStatuses.has(status) || location === undefined) {
        return finish(stateOf(status), status, null);
      }
      const next = parseUrl(location, new URL(url))?.href;
      if (next === undefined)
        return finish('dead', status, 'The response redirects to an invalid URL');
      if (redirects === maxRedirects) {
        return finish('dead', status, `The target redirects more than ${maxRedirects} times`);
      }
      url = next;
      hasMoved = true;
    }
  } catch (error) {
    if (!(error instanceof GuardedFetchError)) throw error;
    return finish(passing.has(error.reason) ? 'uncertain' : 'dead', null, error.message);
  }
}

/** A failed HEAD is repeated by GET. */
function toUndefined(error: unknown): undefined {
  // GET would wait as long, and find no other address.
  const isFinal =
    !(error instanceof GuardedFetchError) || !/^(?:reset|protocol)$/.test(error.reason);
  if (isFinal) throw error;
}

function stateOf(status: number): TargetState {
  if (status < 400) return 'alive';
  return status >= 500 || refusals.has(status) ? 'uncertain' : 'dead';
}
