import type { ApiResponse } from './api-promise.js';
import { ConnectionError } from './errors.js';
import type { RequestInfo } from './options.js';
import type { Ports } from './ports.js';
import type { Settings } from './settings.js';

export interface Outgoing extends RequestInfo {
  /** Needs no token. */
  readonly isPublic: boolean;
  readonly url: string;
  readonly headers: Headers;
  readonly body: string | undefined;
}

/** A response, read to its end. */
export interface Incoming extends ApiResponse {
  readonly body: Uint8Array<ArrayBuffer>;
}

/** Sends one request and reads its answer, whatever its status. */
export async function exchange(
  request: Outgoing,
  signal: AbortSignal,
  { fetch, hooks }: Settings,
  ports: Ports,
): Promise<Incoming> {
  const { method, path, attempt, url, headers, body } = request;
  const info: RequestInfo = { method, path, attempt };
  hooks.onRequest?.(info);
  const startedAt = ports.monotonicMs();
  const incoming = await read();
  const { body: _, ...response } = incoming;
  hooks.onResponse?.({ ...info, ...response, durationMs: ports.monotonicMs() - startedAt });
  return incoming;

  async function read(): Promise<Incoming> {
    try {
      const response = await fetch(url, {
        method,
        headers,
        signal,
        // A redirect could carry the token to another host.
        redirect: 'manual',
        ...(body === undefined ? {} : { body }),
      });
      return {
        // Browsers hide the status of a redirect that is not followed.
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

/** The message at the bottom: fetch itself only says that it failed. */
function describe(fault: unknown): string {
  let deepest = fault;
  while (deepest instanceof Error && deepest.cause instanceof Error) deepest = deepest.cause;
  if (!(deepest instanceof Error)) return String(deepest);
  // Where every address of a host fails, Node leaves the message empty and sets a code.
  const code = 'code' in deepest ? String(deepest.code) : '';
  return deepest.message || code || deepest.name;
}
