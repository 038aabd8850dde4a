import type { ErrorResponse } from '../../src/contract/errors.js';

/** What a server answered, once the contract has been held against it. */
export class Answer<Data = unknown> {
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

  /** The payload of the success envelope; throws for anything else. */
  get data(): Data {
    const body = this.body as { success: boolean; data: Data };
    if (body.success !== true) throw new Error(`${this.status} ${this.text}`);
    return body.data;
  }

  /** The payload of the error envelope; throws for anything else. */
  get error(): ErrorResponse['error'] {
    const body = this.body as ErrorResponse;
    if (body.success !== false) throw new Error(`${this.status} ${this.text}`);
    return body.error;
  }

  /** The fields that an error names. */
  get faultyFields(): string[] {
    return (this.error.details ?? []).map(({ path }) => path);
  }

  /** Status and code, for tables of refusals. */
  get outcome(): string {
    return `${this.status} ${this.error.code}`;
  }
}
