/** The status, headers and request id of a response. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly requestId: string | undefined;
  /** The version of the record, for `ifMatch`; undefined for a response without one. */
  readonly etag?: string | undefined;
}

export interface WithResponse<T> {
  readonly data: T;
  readonly response: ApiResponse;
}

/**
 * A promise of the data. `withResponse` also returns the response.
 *
 * @example
 * ```ts
 * import { Shorty } from '@shorty/sdk';
 *
 * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
 * const { data, response } = await shorty.urls.get('42').withResponse();
 * console.log(data.shortUrl, response.status, response.requestId);
 * ```
 */
export class ApiPromise<T> extends Promise<T> {
  readonly #result: Promise<WithResponse<T>>;

  constructor(result: Promise<WithResponse<T>>) {
    super((resolve, reject) => {
      result.then(({ data }) => resolve(data), reject);
    });
    this.#result = result;
  }

  // `then`, `catch` and `finally` return plain promises, because their values have no response.
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  /** Returns the data together with status, headers and request id. */
  withResponse(): Promise<WithResponse<T>> {
    // The caller handles the returned promise only, so a rejection of this one must not be reported.
    this.catch(() => {});
    // A new promise, so a rejection that the caller does not handle is still reported.
    return this.#result.then((result) => result);
  }
}
