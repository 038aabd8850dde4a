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
  readonly body: string | null;
}

/** `Uint8Array<ArrayBuffer>`, written in a form that TypeScript before 5.7 accepts. */
export type Bytes = ReturnType<Uint8ArrayConstructor['of']>;

/** A complete response. */
export interface Incoming {
  readonly response: ApiResponse;
  /** The bytes of an image, or the text of any other response. */
  readonly body: Bytes | string;
}

/** Sends one request, with a token if there is one, and reads its response, of any status. */
export async function exchange(
  request: Outgoing,
  token: string | undefined,
  signal: AbortSignal,
  { fetch, hooks, debug }: Settings,
  ports: Ports,
): Promise<Incoming> {
  const { method, path, attempt, url, body } = request;
  const info: RequestInfo = { method, path, attempt };
  const log = (outcome: string) => debug?.(`${method} ${path}, attempt ${attempt}: ${outcome}`);
  // Each attempt has its own headers, because the hook may set others.
  const headers = new Headers(request.headers);
  await hooks.onRequest?.({ ...info, headers });
  if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
  const startedAt = ports.monotonicMs();
  let incoming: Incoming;
  log('sent');
  try {
    const response = await fetch(url, {
      method,
      headers: Object.fromEntries(headers),
      signal,
      // A redirect could send the token to another host.
      redirect: 'manual',
      body,
    });
    const received = response.headers;
    incoming = {
      response: {
        // Browsers hide the status of a redirect, so 302 replaces it.
        status: response.type === 'opaqueredirect' ? 302 : response.status,
        headers: received,
        requestId: received.get('x-request-id') ?? undefined,
        // A proxy that compresses makes the tag weak, and a weak one never matches.
        etag: received.get('etag')?.replace(/^W\//, ''),
      },
      body:
        response.ok && received.get('content-type')?.startsWith('image/')
          ? new Uint8Array(await response.arrayBuffer())
          : await response.text(),
    };
  } catch (cause) {
    const reason = describe(cause);
    log(reason);
    signal.throwIfAborted();
    throw new ConnectionError(`${method} ${url} failed: ${reason}`, { cause });
  }
  const { response } = incoming;
  const durationMs = ports.monotonicMs() - startedAt;
  log(`${response.status} in ${durationMs | 0} ms, request ${response.requestId}`);
  await hooks.onResponse?.({ ...info, ...response, durationMs });
  return incoming;
}

/** Returns the message of the innermost cause, because the message of fetch is generic. */
function describe(error: unknown): string {
  let deepest = error as { cause?: unknown; message?: string; code?: string };
  while (deepest?.cause instanceof Error) deepest = deepest.cause;
  // If every address of a host fails, Node sets a code and leaves the message empty.
  return deepest?.message || deepest?.code || `${deepest}`;
}
