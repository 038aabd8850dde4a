import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * The treatment of a request: forward it, drop its response or the second half of it, reject it with 503
 * for now or for an hour, or never respond.
 */
export type Fault = 'pass' | 'lose response' | 'cut response' | 'unavailable' | 'away' | 'hold';

/** A proxy that injects faults into bulk requests, or into the requests that `isAffected` selects. */
export interface FaultProxy {
  readonly url: string;
  /** Returns the fault of the nth affected request, from 0. */
  decide: (index: number) => Fault;
  /** The idempotency keys of affected requests, in order of arrival. */
  readonly keys: string[];
  /** Resolves when the first request is held. */
  readonly held: Promise<void>;
  stop(): Promise<void>;
}

export async function openFaultProxy(
  target: string,
  isAffected: (path: string) => boolean = (path) => path === '/api/v1/urls/bulk',
): Promise<FaultProxy> {
  let resolveHeld = () => {};
  const held = new Promise<void>((resolve) => {
    resolveHeld = resolve;
  });
  const server = createServer((request, response) => {
    void handle(request, response);
  });
  const proxy = {
    url: '',
    decide: (): Fault => 'pass',
    keys: [] as string[],
    held,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const fault = isAffected(request.url ?? '') ? decide(request) : 'pass';
    if (fault === 'hold') return resolveHeld();
    const delay = { unavailable: '0', away: '3600' }[fault as string];
    if (delay !== undefined) return void response.writeHead(503, { 'retry-after': delay }).end();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
    const forwarded = await fetch(target + request.url, {
      method: request.method ?? 'GET',
      headers: headers as Record<string, string>,
      ...(chunks.length > 0 ? { body: Buffer.concat(chunks).toString() } : {}),
    });
    const body = Buffer.from(await forwarded.arrayBuffer());
    if (fault === 'lose response') return void request.socket.destroy();
    const { 'content-length': ____, ...responseHeaders } = Object.fromEntries(forwarded.headers);
    if (fault === 'cut response') {
      response.writeHead(forwarded.status, { ...responseHeaders, 'content-length': body.length });
      const half = body.subarray(0, body.length >> 1);
      return void response.write(half, () => request.socket.destroy());
    }
    response.writeHead(forwarded.status, responseHeaders).end(body);
  }

  function decide(request: IncomingMessage): Fault {
    proxy.keys.push(String(request.headers['idempotency-key']));
    return (proxy as FaultProxy).decide(proxy.keys.length - 1);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  proxy.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return proxy;
}
