import type { Dispatcher } from 'undici';
import { GuardedFetchError, toGuardedFetchError } from './guarded-fetch-error.js';
import type { GuardedRequest, GuardedResponse } from './guarded-request.js';

// A body that is only a little too long is read to its end, so its connection can be reused.
const drainBytes = 64 * 1024;
// Without a limit, a receiver can send 1xx responses until the time limit.
const maxInformational = 10;

/** Sends one request and reads its response within `timeoutMs`. Does not follow redirects. */
export function exchange(
  dispatcher: Dispatcher,
  url: URL,
  request: GuardedRequest,
  timeoutMs: number,
): Promise<GuardedResponse> {
  const { signal } = request;
  const stop = new AbortController();
  const progress = { hasResponse: false };
  return new Promise((resolve, reject) => {
    // Rejects at once: undici cannot abort a request while it connects.
    stop.signal.addEventListener('abort', () => reject(stop.signal.reason));
    const onAbort = () => stop.abort(signal?.reason);
    const timer = setTimeout(() => {
      const what = progress.hasResponse ? 'No complete response' : 'No response';
      const message = `${what} within ${request.timeoutMs} ms`;
      stop.abort(new GuardedFetchError('timeout', message));
    }, timeoutMs);
    signal?.addEventListener('abort', onAbort);
    if (signal?.aborted) onAbort();
    send(dispatcher, url, request, stop, progress)
      .then(resolve, (error: unknown) => reject(toGuardedFetchError(error)))
      .finally(() => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      });
  });
}

async function send(
  dispatcher: Dispatcher,
  url: URL,
  { method, headers, body, maxResponseBytes, onOversize }: GuardedRequest,
  stop: AbortController,
  progress: { hasResponse: boolean },
): Promise<GuardedResponse> {
  let informational = 0;
  const response = await dispatcher.request({
    origin: url.origin,
    path: url.pathname + url.search,
    method,
    headers: headers ?? null,
    body: body ?? null,
    signal: stop.signal,
    onInfo() {
      informational += 1;
      if (informational <= maxInformational) return;
      const message = `The receiver sent more than ${maxInformational} informational responses`;
      stop.abort(new GuardedFetchError('protocol', message));
    },
  });
  progress.hasResponse = true;
  // Leaving the loop early destroys the body, which then emits an error.
  response.body.on('error', () => {});
  const announced = method === 'HEAD' ? 0 : Number(response.headers['content-length']);
  const chunks: Buffer[] = [];
  let size = 0;
  const checkSize = (bytes: number) => {
    if (onOversize === 'cut' || !(bytes > maxResponseBytes)) return;
    response.body.destroy();
    const message = `The response is larger than ${maxResponseBytes} bytes`;
    throw new GuardedFetchError('too_large', message);
  };
  checkSize(announced);
  for await (const chunk of response.body) {
    const free = Math.max(0, maxResponseBytes - size);
    size += chunk.length;
    checkSize(size);
    chunks.push(chunk.subarray(0, free));
    if (size > maxResponseBytes + drainBytes) break;
  }
  return {
    status: response.statusCode,
    headers: response.headers,
    body: Buffer.concat(chunks),
    isCut: size > maxResponseBytes,
  };
}
