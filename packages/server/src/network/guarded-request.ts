import type { IncomingHttpHeaders } from 'node:http';

export interface GuardedRequest {
  readonly method: 'GET' | 'HEAD' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
  /** Limits the whole request, from the look-up to the last byte of the response. */
  readonly timeoutMs: number;
  /** Limits the body in the response. */
  readonly maxResponseBytes: number;
  /** `cut` returns the beginning of a longer body; `fail` throws. */
  readonly onOversize: 'cut' | 'fail';
  readonly signal?: AbortSignal;
  /** How many redirects of a GET or HEAD are followed. Further ones fail; 0 returns them. */
  readonly followRedirects?: number;
}

export interface GuardedResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
  /** Whether the body was longer than `maxResponseBytes`. */
  readonly isCut: boolean;
}
