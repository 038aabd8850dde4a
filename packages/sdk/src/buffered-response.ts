import type { Bytes } from './exchange.js';

// Fetch standard, "null body status".
const withoutBody = [204, 205, 304];

/**
 * A response whose body has been read, for `@shorty/sdk/node`. A `Response` with its streams takes as
 * long to create as the request to send, so it is created only for members that calls do not need.
 */
export class BufferedResponse {
  readonly type = 'basic';
  readonly redirected = false;
  readonly url: string;
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
  readonly #bytes: Bytes;
  #response: Response | undefined;

  constructor(
    url: string,
    init: { status: number; statusText: string; headers: Headers },
    bytes: Bytes,
  ) {
    this.url = url;
    this.status = init.status;
    this.statusText = init.statusText;
    this.headers = init.headers;
    this.#bytes = bytes;
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  async text(): Promise<string> {
    return new TextDecoder().decode(this.#bytes);
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return (await this.bytes()).buffer;
  }

  async bytes(): Promise<Bytes> {
    // A copy: the bytes may be a part of the buffer that the connection reads into.
    return new Uint8Array(this.#bytes);
  }

  get body(): Response['body'] {
    return this.#toResponse().body;
  }

  get bodyUsed(): boolean {
    return this.#response?.bodyUsed ?? false;
  }

  blob(): Promise<Blob> {
    return this.#toResponse().blob();
  }

  formData(): ReturnType<Response['formData']> {
    return this.#toResponse().formData();
  }

  clone(): Response {
    return this.#toResponse().clone();
  }

  #toResponse(): Response {
    const body = withoutBody.includes(this.status) ? null : this.#bytes;
    this.#response ??= new Response(body, this);
    return this.#response;
  }
}
