import type { IncomingHttpHeaders } from 'node:http';

export interface GuardedRequest {
  readonly method: 'GET' | 'HEAD' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
  /** For everything: finding the address, connecting, sending, and the last byte of the answer. */
  readonly timeoutMs: number;
  /** How much is kept of the answer's body. */
  readonly maxResponseBytes: number;
  /** What becomes of a longer body: its beginning is the answer, or there is none. */
  readonly onOversize: 'cut' | 'fail';
  readonly signal?: AbortSignal;
  /** How many redirects of a GET or HEAD are followed; others are answered as they come. */
  readonly followRedirects?: number;
}

export interface GuardedResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
  /** Whether the body was longer than what was kept of it. */
  readonly isCut: boolean;
}
