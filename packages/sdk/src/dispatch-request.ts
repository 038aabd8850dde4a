import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { BufferedResponse } from './buffered-response.js';
import type { Bytes } from './exchange.js';
import { onAbort } from './on-abort.js';

/** The requests of the client: others need the whole of fetch. */
export interface PlainInit extends RequestInit {
  readonly body?: string | null;
}

/** Returns whether a request needs neither streams nor redirects. */
export function isPlain(input: unknown, init: RequestInit = {}): init is PlainInit {
  const { redirect, body } = init;
  const isText = typeof body === 'string' || body === null || body === undefined;
  return !(input instanceof Request) && redirect === 'manual' && isText;
}

/**
 * Sends a request without the streams of fetch, and reads the whole response. Its errors are those of
 * fetch: a TypeError whose cause is the error of the connection.
 */
export function dispatchRequest(
  dispatcher: Dispatcher,
  input: string | URL | Request,
  { method = 'GET', headers, body = null, signal }: PlainInit,
): Promise<BufferedResponse> {
  let stopListening: (() => void) | undefined;
  return new Promise<BufferedResponse>((resolve, reject) => {
    signal?.throwIfAborted();
    const url = new URL(String(input));
    const sent = Object.fromEntries(new Headers(headers));
    sent['accept-encoding'] ??= url.protocol === 'https:' ? 'br, gzip, deflate' : 'gzip, deflate';
    const chunks: Buffer[] = [];
    const head = { status: 0, statusText: '', headers: new Headers() };
    let controller: Dispatcher.DispatchController | undefined;
    const abort = () => {
      // Before the error of the connection.
      reject(signal?.reason);
      controller?.abort(signal?.reason);
    };
    if (signal) stopListening = onAbort(signal, abort);
    dispatcher.dispatch(
      {
        origin: url.origin,
        path: url.pathname + url.search,
        method: method as Dispatcher.HttpMethod,
        headers: sent,
        body,
      },
      {
        onRequestStart(started) {
          controller = started;
          // It waited for a connection.
          if (signal?.aborted) abort();
        },
        onResponseStart(_, status, received, statusText = '') {
          head.status = status;
          head.statusText = statusText;
          head.headers = toHeaders(received);
        },
        onResponseData(_, chunk) {
          chunks.push(chunk);
        },
        onResponseEnd() {
          const [first] = chunks;
          const whole = first && chunks.length === 1 ? first : Buffer.concat(chunks);
          const encoding = head.headers.get('content-encoding');
          const respond = (bytes: Buffer) =>
            resolve(new BufferedResponse(url.href, head, bytes as unknown as Bytes));
          if (encoding === null) respond(whole);
          else {
            decode(whole, encoding).then(respond, (cause) =>
              reject(new TypeError('terminated', { cause })),
            );
          }
        },
        onResponseError(_, cause) {
          reject(new TypeError('fetch failed', { cause }));
        },
      },
    );
  }).finally(() => stopListening?.());
}

function toHeaders(received: NodeJS.Dict<string | string[]>): Headers {
  const headers = new Headers();
  for (const [name, value = ''] of Object.entries(received)) {
    for (const each of [value].flat()) headers.append(name, each);
  }
  return headers;
}

type Decoder = (bytes: Buffer) => Promise<Buffer>;

const decoders: Readonly<Record<string, Decoder>> = {
  gzip: promisify<Buffer, Buffer>(gunzip),
  'x-gzip': promisify<Buffer, Buffer>(gunzip),
  br: promisify<Buffer, Buffer>(brotliDecompress),
  // Some servers omit the zlib header, whose first byte ends with 8.
  deflate: promisify<Buffer, Buffer>((bytes, done) =>
    ((bytes[0] ?? 8) & 15) === 8 ? inflate(bytes, done) : inflateRaw(bytes, done),
  ),
};

/** Removes the encodings of a body, the last one first. An unknown encoding stays, as in fetch. */
async function decode(bytes: Buffer, encodings: string): Promise<Buffer> {
  const found = encodings.split(',').map((name) => decoders[name.trim().toLowerCase()]);
  let decoded = bytes;
  if (decoded.length > 0 && !found.includes(undefined)) {
    for (const decoder of found.reverse()) decoded = (await decoder?.(decoded)) ?? decoded;
  }
  return decoded;
}
