import type { ErrorResponse } from '../../src/contract/errors.js';

/** A response of the server that matches the contract. */
export class ApiResponse<Data = unknown> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;

  constructor(response: Response, text: string) {
    this.status = response.status;
    this.headers = response.headers;
    this.text = text;
  }

  get body(): unknown {
    return JSON.parse(this.text);
  }

  /** Returns `data` of the success envelope. Throws for any other body. */
  get data(): Data {
    const body = this.body as { success: boolean; data: Data };
    if (body.success !== true) throw new Error(`${this.status} ${this.text}`);
    return body.data;
  }

  /** Returns `error` of the error envelope. Throws for any other body. */
  get error(): ErrorResponse['error'] {
    const body = this.body as ErrorResponse;
    if (body.success !== false) throw new Error(`${this.status} ${this.text}`);
    return body.error;
  }

  /** Returns the fields that the error's `details` name. */
  get invalidFields(): string[] {
    return (this.error.details ?? []).map(({ path }) => path);
  }

  /** Returns the status and the error code, such as `404 NOT_FOUND`. */
  get outcome(): string {
    return `${this.status} ${this.error.code}`;
  }
}
