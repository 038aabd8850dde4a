import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CliError } from '../cli-error.js';
import { forward, reasonOf } from './forward.js';
import { inspectDelivery, type Received } from './received.js';

export interface ListenerOptions {
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
  readonly secret: string | undefined;
  readonly target: URL | undefined;
  readonly now: () => number;
  readonly onReceived: (received: Received) => Promise<void>;
  readonly onError: (error: Error) => void;
}

export interface Listener {
  readonly url: string;
  /** Closes immediately. The server retries deliveries that were in progress. */
  stop(): Promise<void>;
}

const maxBodyBytes = 1024 * 1024;

export async function openListener(options: ListenerOptions): Promise<Listener> {
  const stopping = new AbortController();
  const server = createServer((request, response) => {
    receive(request, response, options, stopping.signal).catch((error: Error) => {
      if (!stopping.signal.aborted) options.onError(error);
      response.destroy();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(new CliError(`cannot listen on port ${options.port}: ${error.message}`)),
    );
    server.listen(options.port, options.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  return {
    url: `http://${host}:${port}`,
    async stop() {
      stopping.abort();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function receive(
  request: IncomingMessage,
  response: ServerResponse,
  options: ListenerOptions,
  signal: AbortSignal,
): Promise<void> {
  if (request.method !== 'POST') return send(response, 405, 'webhooks use POST', { allow: 'POST' });
  const body = await readBody(request);
  if (!body) return send(response, 413, 'a delivery is at most 1 MB', { connection: 'close' });
  const { now, secret, target, onReceived } = options;
  const { refusalStatus, ...inspection } = inspectDelivery(request.headers, body, secret, now());
  const received: Received = {
    receivedAt: new Date(now()).toISOString(),
    ...inspection,
    forwardedStatus: null,
    forwardError: null,
    durationMs: null,
  };
  if (inspection.isVerified === false) {
    send(response, refusalStatus, inspection.refusal ?? '');
    return onReceived(received);
  }
  if (!target) {
    send(response, 204, '');
    return onReceived(received);
  }
  const startedAt = now();
  try {
    const {
      status,
      headers,
      body: text,
    } = await forward(target, { headers: request.headers, body, signal });
    response.writeHead(status, { ...headers, ...lengthHeader(status, text) }).end(text);
    return await onReceived({
      ...received,
      forwardedStatus: status,
      durationMs: now() - startedAt,
    });
  } catch (error) {
    if (signal.aborted) throw error;
    const forwardError = reasonOf(error);
    // Bad Gateway, so that the server retries the delivery.
    send(response, 502, forwardError);
    return onReceived({ ...received, forwardError, durationMs: now() - startedAt });
  }
}

/** Reads the body. Returns undefined when it is too long. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += (chunk as Buffer).length;
    if (length > maxBodyBytes) return undefined;
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

function send(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Record<string, string> = {},
): void {
  if (response.headersSent) return void response.destroy();
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', ...headers }).end(text);
}

// RFC 9110, 8.6: these statuses have no content.
function lengthHeader(status: number, body: Buffer): Record<string, number> {
  return status === 204 || status === 304 ? {} : { 'content-length': body.length };
}
