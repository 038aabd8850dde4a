import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';

const http = { request: httpRequest, agent: new HttpAgent({ keepAlive: true }) };
const https = { request: httpsRequest, agent: new HttpsAgent({ keepAlive: true }) };

// Fetch standard, "null body status".
const nullBodyStatuses = new Set([204, 205, 304]);

/**
 * `fetch` over node:http, which reads the whole response. A bulk request needs half the processor time and
 * 60 MB less memory than with the built-in fetch. Does not follow redirects. Passes requests with a body
 * other than a string to the built-in fetch.
 */
export const httpFetch: typeof globalThis.fetch = (input, init = {}) => {
  const { body, headers, method = 'GET', signal } = init;
  const isPlain =
    (typeof input === 'string' || input instanceof URL) &&
    (body === undefined || body === null || typeof body === 'string');
  if (!isPlain) return globalThis.fetch(input, init);
  const url = new URL(input);
  const { request, agent } = url.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    const fail = (cause: Error) =>
      reject(signal?.aborted ? signal.reason : new TypeError('fetch failed', { cause }));
    if (signal?.aborted) return fail(new Error('aborted'));
    const message = request(url, {
      method,
      agent,
      headers: {
        ...Object.fromEntries(new Headers(headers)),
        // node:http sets no Content-Length for the body of a DELETE.
        ...(body ? { 'content-length': Buffer.byteLength(body) } : {}),
      },
      ...(signal ? { signal } : {}),
    });
    message.on('error', fail).on('response', (response) => {
      const chunks: Buffer[] = [];
      response
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('error', fail)
        .on('end', () => resolve(toResponse(response, Buffer.concat(chunks))));
    });
    message.end(body ?? undefined);
  });
};

function toResponse(message: IncomingMessage, body: Buffer): Response {
  const headers = new Headers();
  for (const [name, values] of Object.entries(message.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value);
  }
  const status = message.statusCode ?? 0;
  return new Response(nullBodyStatuses.has(status) ? null : body, {
    status,
    statusText: message.statusMessage ?? '',
    headers,
  });
}
