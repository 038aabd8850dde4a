import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import {
  type Connection,
  type ConnectionPool,
  type ConnectionUser,
  PoolClosedError,
} from './connection-pool.js';
import { GuardedFetchError, toGuardedFetchError } from './guarded-fetch-error.js';
import { ResponseReader } from './response-reader.js';

export interface GuardedRequest {
  readonly method: 'GET' | 'HEAD' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
  /** Limits the whole request, from the look-up to the last byte of the response. */
  readonly timeoutMs: number;
  /**
   * Limits the wait for the body after the headers. A body that is not complete by then, or that
   * breaks off, is cut. Without it, such a body is an error.
   */
  readonly bodyTimeoutMs?: number;
  /** Limits the body in the response. A longer body is cut. */
  readonly maxResponseBytes: number;
  /** How many redirects of a GET are followed. Further ones fail; 0 returns them. */
  readonly followRedirects?: number;
}

export interface GuardedResponse {
  /** The URL that responded: after redirects, another one than that of the request. */
  readonly url: URL;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
  /** Whether the body is incomplete. */
  readonly isCut: boolean;
}

/**
 * Sends one request and reads its response within `timeoutMs`, which end at `deadline` by
 * `performance.now()`. Does not follow redirects. A receiver
 * may close an idle connection while the request is on its way. The request is then sent again over a
 * new connection, once, and only if no byte of a response has arrived (RFC 9110 §9.2.2).
 */
export function exchange(
  pool: ConnectionPool,
  url: URL,
  request: GuardedRequest,
  { timeoutMs, deadline }: { readonly timeoutMs: number; readonly deadline: number },
): Promise<GuardedResponse> {
  return new Promise((resolve, reject) => {
    new Exchange({ pool, url, request, deadline, resolve, reject }).start(timeoutMs);
  });
}

interface ExchangeOptions {
  readonly pool: ConnectionPool;
  readonly url: URL;
  readonly request: GuardedRequest;
  readonly deadline: number;
  readonly resolve: (response: GuardedResponse) => void;
  readonly reject: (error: unknown) => void;
}

class Exchange implements ConnectionUser {
  readonly #options: ExchangeOptions;
  readonly #reader: ResponseReader;
  #head = '';
  #connection: Connection | undefined;
  #timer: NodeJS.Timeout | undefined;
  #hasBytes = false;
  #isResent = false;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    const { maxResponseBytes, method } = options.request;
    this.#reader = new ResponseReader(maxResponseBytes, method === 'HEAD');
  }

  start(timeoutMs: number): void {
    const { pool, url, request } = this.#options;
    this.#timer = setTimeout(() => this.#expire(), timeoutMs);
    this.#connect(() => {
      this.#head = requestHead(url, request);
      return pool.acquire(url, this);
    });
  }

  onConnect(socket: Socket): void {
    const { body = '' } = this.#options.request;
    const head = this.#head;
    // One write for both: receivers wake up once.
    if (typeof body === 'string') socket.write(head + body);
    else {
      socket.cork();
      socket.write(head);
      socket.write(body);
      socket.uncork();
    }
  }

  onBytes(bytes: Buffer): void {
    this.#hasBytes = true;
    const reader = this.#reader;
    const hadHead = reader.hasHead;
    try {
      reader.read(bytes);
    } catch (error) {
      this.#break(error);
      return;
    }
    if (reader.isComplete) this.#succeed();
    else if (reader.hasHead && !hadHead) this.#waitForBody();
  }

  onEnd(error?: Error): void {
    const { pool, url } = this.#options;
    const isLost =
      error === undefined || lostCodes.has((error as NodeJS.ErrnoException).code ?? '');
    if (this.#connection?.isReused && isLost && !this.#hasBytes && !this.#isResent) {
      this.#isResent = true;
      this.#connect(() => pool.open(url, this));
    } else if (error) {
      this.#break(error);
    } else {
      try {
        this.#reader.end();
      } catch (incomplete) {
        this.#break(incomplete);
        return;
      }
      this.#succeed();
    }
  }

  #connect(open: () => Connection): void {
    try {
      this.#connection = open();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Begins to wait for the body, for as long as the request allows. */
  #waitForBody(): void {
    const { request, deadline } = this.#options;
    const { bodyTimeoutMs } = request;
    if (bodyTimeoutMs === undefined) return;
    const leftMs = deadline - performance.now();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#expire(), Math.min(bodyTimeoutMs, leftMs));
  }

  #expire(): void {
    const what = this.#reader.hasHead ? 'No complete response' : 'No response';
    const message = `${what} within ${this.#options.request.timeoutMs} ms`;
    this.#break(new GuardedFetchError('timeout', message));
  }

  /** Ends the exchange. The response is cut if its headers are complete and suffice. */
  #break(error: unknown): void {
    const isEnough = this.#reader.hasHead && this.#options.request.bodyTimeoutMs !== undefined;
    if (isEnough && !(error instanceof PoolClosedError)) this.#succeed();
    else this.#fail(error);
  }

  #succeed(): void {
    const { status, headers, body, isCut, isComplete, isReusable } = this.#reader;
    this.#release(isReusable);
    const { url, resolve } = this.#options;
    resolve({ url, status, headers, body, isCut: isCut || !isComplete });
  }

  #fail(error: unknown): void {
    this.#release(false);
    this.#options.reject(error instanceof PoolClosedError ? error : toGuardedFetchError(error));
  }

  #release(isReusable: boolean): void {
    clearTimeout(this.#timer);
    if (this.#connection) this.#options.pool.release(this.#connection, isReusable);
  }
}

const lostCodes = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED']);

const headerName = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/;
const headerValue = /^[\t\x20-\x7e]*$/;

function requestHead(url: URL, { method, headers = {}, body }: GuardedRequest): string {
  let head = `${method} ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\n`;
  for (const name in headers) {
    const value = headers[name] as string;
    if (!headerName.test(name) || !headerValue.test(value)) {
      throw new GuardedFetchError('protocol', `The header ${JSON.stringify(name)} is not valid`);
    }
    head += `${name}: ${value}\r\n`;
  }
  if (method === 'POST') head += `Content-Length: ${Buffer.byteLength(body ?? '')}\r\n`;
  return `${head}Connection: keep-alive\r\n\r\n`;
}
