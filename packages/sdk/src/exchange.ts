import type { ApiResponse } from './api-promise.js';
import { ConnectionError } from './errors.js';
import type { RequestInfo } from './options.js';
import type { Ports } from './ports.js';
import type { Settings } from './settings.js';

export interface Outgoing extends RequestInfo {
  /** Whether it is sent without a token. */
  readonly isPublic: boolean;
  readonly url: string;
  readonly headers: Headers;
  readonly body: string | undefined;
}

/** `Uint8Array<ArrayBuffer>`, in words that TypeScript before 5.7 understands, too. */
export type Bytes = ReturnType<Uint8ArrayConstructor['of']>;

/** A complete response. */
export interface Incoming extends ApiResponse {
  readonly body: Bytes;
}

/** Sends one request, with a token if there is one, and reads its response, of any status. */
export async function exchange(
  request: Outgoing,
  token: string | undefined,
  signal: AbortSignal,
  { fetch, hooks }: Settings,
  ports: Ports,
): Promise<Incoming> {
  const { method, path, attempt, url, body } = request;
  const info: RequestInfo = { method, path, attempt };
  // Each attempt has its own headers, because the hook may set others.
  const headers = new Headers(request.headers);
  await hooks.onRequest?.({ ...info, headers });
  if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
  const startedAt = ports.monotonicMs();
  const incoming = await read();
  const { body: _, ...response } = incoming;
  await hooks.onResponse?.({ ...info, ...response, durationMs: ports.monotonicMs() - startedAt });
  return incoming;

  async function read(): Promise<Incoming> {
    try {
      const response = await fetch(url, {
        method,
        headers,
        signal,
        // A redirect could send the token to another host.
        redirect: 'manual',
        ...(body === undefined ? {} : { body }),
      });
      return {
        // Browsers hide the status of a redirect, so 302 replaces it.
        status: response.type === 'opaqueredirect' ? 302 : response.status,
        headers: response.headers,
        requestId: response.headers.get('x-request-id') ?? undefined,
        body: new Uint8Array(await response.arrayBuffer()),
      };
    } catch (cause) {
      signal.throwIfAborted();
      throw new ConnectionError(`${method} ${url} failed: ${describe(cause)}`, { cause });
    }
  }
}

/** Returns the message of the innermost cause, because the message of fetch is generic. */
function describe(error: unknown): string {
  let deepest = error;
  while (deepest instanceof Error && deepest.cause instanceof Error) deepest = deepest.cause;
  if (!(deepest instanceof Error)) return String(deepest);
  // If every address of a host fails, Node sets a code and leaves the message empty.
  const code = 'code' in deepest ? String(deepest.code) : '';
  return deepest.message || code || deepest.name;
}
