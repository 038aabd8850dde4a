import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { httpFetch } from '../src/http-fetch.js';

/** What happens to one request that is decided about: it passes, its answer is lost, it is refused, or it waits. */
export type Fate = 'pass' | 'lose answer' | 'unavailable' | 'hold';

/** A server in front of the real one that decides about some requests: bulk ones unless others are named. */
export interface Gate {
  readonly url: string;
  /** The fate of the nth of these requests, from 0. */
  decide: (index: number) => Fate;
  /** Idempotency keys of all of them, in the order in which they came. */
  readonly keys: string[];
  /** Settles when the first request is held. */
  readonly held: Promise<void>;
  stop(): Promise<void>;
}

export async function openGate(
  target: string,
  isDecided: (path: string) => boolean = (path) => path === '/api/v1/urls/bulk',
): Promise<Gate> {
  let tellHeld = () => {};
  const held = new Promise<void>((resolve) => {
    tellHeld = resolve;
  });
  const server = createServer((request, response) => {
    void handle(request, response);
  });
  const gate = {
    url: '',
    decide: (): Fate => 'pass',
    keys: [] as string[],
    held,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const fate = isDecided(request.url ?? '') ? decide(request) : 'pass';
    if (fate === 'hold') return tellHeld();
    if (fate === 'unavailable') return void response.writeHead(503, { 'retry-after': '0' }).end();
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
    const answer = await httpFetch(target + request.url, {
      method: request.method ?? 'GET',
      headers: headers as Record<string, string>,
      ...(pieces.length > 0 ? { body: Buffer.concat(pieces).toString() } : {}),
    });
    const body = Buffer.from(await answer.arrayBuffer());
    if (fate === 'lose answer') return void request.socket.destroy();
    const { 'content-length': ____, ...kept } = Object.fromEntries(answer.headers);
    response.writeHead(answer.status, kept).end(body);
  }

  function decide(request: IncomingMessage): Fate {
    gate.keys.push(String(request.headers['idempotency-key']));
    return (gate as Gate).decide(gate.keys.length - 1);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  gate.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return gate;
}
