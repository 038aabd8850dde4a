import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CliError } from '../cli-error.js';
import { forward } from './forward.js';
import { judge, type Received } from './received.js';

export interface ListenerOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly secret: string | undefined;
  readonly target: URL | undefined;
  readonly now: () => number;
  readonly onReceived: (received: Received) => Promise<void>;
  readonly onFault: (fault: Error) => void;
}

export interface Listener {
  readonly url: string;
  /** Ends at once: who was under way is sent again by its sender. */
  stop(): Promise<void>;
}

const maxBodyBytes = 1024 * 1024;

export async function openListener(options: ListenerOptions): Promise<Listener> {
  const stopping = new AbortController();
  const server = createServer((request, response) => {
    receive(request, response, options, stopping.signal).catch((fault: Error) => {
      if (!stopping.signal.aborted) options.onFault(fault);
      response.destroy();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (fault) =>
      reject(new CliError(`port ${options.port} cannot be listened on: ${fault.message}`)),
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
  if (request.method !== 'POST')
    return answer(response, 405, 'webhooks come by POST', { allow: 'POST' });
  const body = await readBody(request);
  if (!body)
    return answer(response, 413, 'no delivery is longer than 1 MB', { connection: 'close' });
  const { now, secret, target, onReceived } = options;
  const { refusalStatus, ...judgement } = judge(request.headers, body, secret, now());
  const received: Received = {
    receivedAt: new Date(now()).toISOString(),
    ...judgement,
    forwardedStatus: null,
    forwardError: null,
    durationMs: null,
  };
  if (judgement.isVerified === false) {
    answer(response, refusalStatus, judgement.refusal ?? '');
    return onReceived(received);
  }
  if (!target) {
    answer(response, 204, '');
    return onReceived(received);
  }
  const startedAt = now();
  try {
    const {
      status,
      headers,
      body: text,
    } = await forward(target, { headers: request.headers, body, signal });
    response.writeHead(status, { ...headers, ...lengthOf(status, text) }).end(text);
    return await onReceived({
      ...received,
      forwardedStatus: status,
      durationMs: now() - startedAt,
    });
  } catch (error) {
    if (signal.aborted) throw error;
    const forwardError = reasonOf(error);
    // Bad gateway: the sender tries again, by when the receiver may be there.
    answer(response, 502, forwardError);
    return onReceived({ ...received, forwardError, durationMs: now() - startedAt });
  }
}

/** The whole body, or undefined for one that is too long. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of request) {
    length += (piece as Buffer).length;
    if (length > maxBodyBytes) return undefined;
    pieces.push(piece as Buffer);
  }
  return Buffer.concat(pieces);
}

function answer(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Record<string, string> = {},
): void {
  if (response.headersSent) return void response.destroy();
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', ...headers }).end(text);
}

// RFC 9110, 8.6: these have no content, and so no length.
function lengthOf(status: number, body: Buffer): Record<string, number> {
  return status === 204 || status === 304 ? {} : { 'content-length': body.length };
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : '';
  return error.message || code || error.name;
}
