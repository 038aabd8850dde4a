/** A function that sends one request, such as `globalThis.fetch`, that of undici, or one around them. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>;

/** A request. It is valid for every implementation of fetch. */
export interface FetchInit {
  readonly method: string;
  /** A plain object, because the types of `Headers` differ. */
  readonly headers: Record<string, string>;
  readonly signal: AbortSignal;
  readonly redirect: 'manual';
  readonly body: string | null;
}

/** The part of a `Response` that is used. */
export interface FetchResponse {
  readonly status: number;
  readonly ok: boolean;
  readonly type: string;
  readonly headers: Headers;
  text(): Promise<string>;
  arrayBuffer(): Promise<ArrayBuffer>;
}
