/** What is known of a response beside its data. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly requestId: string | undefined;
}

export interface WithResponse<T> {
  readonly data: T;
  readonly response: ApiResponse;
}

/**
 * A promise of the data, with the response for who asks.
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
  readonly #answer: Promise<WithResponse<T>>;

  constructor(answer: Promise<WithResponse<T>>) {
    super((resolve, reject) => {
      answer.then(({ data }) => resolve(data), reject);
    });
    this.#answer = answer;
  }

  // then, catch and finally make plain promises: theirs is no answer of the API.
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  /** The data together with status, headers and request id. */
  withResponse(): Promise<WithResponse<T>> {
    // The caller takes the outcome from the answer; this promise must not report it as unhandled.
    this.catch(() => {});
    // A promise of its own, so that a failure that nobody takes is still reported.
    return this.#answer.then((answer) => answer);
  }
}
