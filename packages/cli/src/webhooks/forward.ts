import {
  request as httpRequest,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from 'node:http';
import { request as httpsRequest } from 'node:https';

export interface ForwardedResponse {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
}

const timeoutMs = 30_000;
const maxResponseBytes = 1024 * 1024;

// Hop-by-hop headers (RFC 9110, 7.6.1), and the length, which is computed again.
const hopByHop = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding'],
  ...['upgrade', 'host', 'content-length', 'expect'],
]);

/** Posts the unchanged body. Rejects when the response is missing or incomplete. */
export function forward(
  target: URL,
  { headers, body, signal }: { headers: IncomingHttpHeaders; body: Buffer; signal: AbortSignal },
): Promise<ForwardedResponse> {
  const send = target.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const limit = AbortSignal.timeout(timeoutMs);
    const message = send(target, {
      method: 'POST',
      headers: { ...endToEnd(headers), 'content-length': body.length },
      signal: AbortSignal.any([signal, limit]),
    });
    const fail = (error: Error) =>
      reject(limit.aborted ? new Error(`no response within ${timeoutMs / 1000} s`) : error);
    message.on('error', fail).on('response', (response) => {
      const chunks: Buffer[] = [];
      let length = 0;
      response
        .on('data', (chunk: Buffer) => {
          length += chunk.length;
          if (length > maxResponseBytes)
            response.destroy(new Error('the response is longer than 1 MB'));
          else chunks.push(chunk);
        })
        .on('error', fail)
        .on('end', () =>
          resolve({
            status: response.statusCode ?? 502,
            headers: endToEnd(response.headers),
            body: Buffer.concat(chunks),
          }),
        );
    });
    message.end(body);
  });
}

function endToEnd(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).filter(([name, value]) => !hopByHop.has(name) && value !== undefined),
  );
}

/** Returns the reason of a failed request. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : '';
  return error.message || code || error.name;
}
