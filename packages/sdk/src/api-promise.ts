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
      // Each promise has one listener, and `resolve` is passed as it is: otherwise V8 does not find the
      // function that awaits the call, and its frames are missing in the stack of an error.
      result.then(({ data }) => data).then(resolve, reject);
    });
    this.#result = result;
  }

  // `then`, `catch` and `finally` return plain promises, because their values have no response.
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  /** Returns the data together with status, headers and request id. */
  withResponse(): Promise<WithResponse<T>> {
    return this.then(() => this.#result);
  }
}
