import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { FetchClosedError, GuardedFetchError } from '../../src/network/guarded-connector.js';
import {
  createGuardedFetch,
  type GuardedFetch,
  type GuardedRequest,
} from '../../src/network/guarded-fetch.js';
import type { ResolveDns } from '../../src/ports.js';
import { drip, flood, httpServer, rawServer } from './local-server.js';
import { selfSigned } from './self-signed.js';

const fetches: GuardedFetch[] = [];
afterEach(() => {
  for (const each of fetches.splice(0)) each.close();
});

function guarded(allowPrivateNetwork: boolean, resolve?: ResolveDns): GuardedFetch {
  const made = createGuardedFetch({ allowPrivateNetwork, ...(resolve && { resolve }) });
  fetches.push(made);
  return made;
}

const get: GuardedRequest = {
  method: 'GET',
  timeoutMs: 2_000,
  maxResponseBytes: 100,
};

async function reasonOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => new Error('the request did not fail'),
    (caught: unknown) => caught,
  );
  expect(error).toBeInstanceOf(GuardedFetchError);
  return (error as GuardedFetchError).reason;
}

const local: ResolveDns = async () => ['127.0.0.1'];

describe('guarded fetch reaches public addresses only', () => {
  it.each([
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://１２７.０.０.１/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://169.254.169.254/latest/meta-data/',
    'http://localhost/',
  ])('%s is refused before anything is sent', async (url) => {
    const resolve = async () => {
      throw new Error('unexpected look-up');
    };
    expect(await reasonOf(guarded(false, resolve).request(url, get))).toBe('forbidden_address');
  });

  it.each(['ftp://example.com/', '', 'http://user:word@example.com/', 'http://example.com:25/'])(
    '%s is refused as a URL',
    async (url) => {
      expect(await reasonOf(guarded(true).request(url, get))).toBe('bad_url');
    },
  );

  it('checks every address of a name and skips private ones', async () => {
    const server = await httpServer((_request, response) => response.end());
    // A documentation address is not public either.
    const resolve = async () => ['203.0.113.1', '127.0.0.1', '::1', '::ffff:127.0.0.1', '10.0.0.1'];
    const request = guarded(false, resolve).request(`http://mixed.test:${server.port}/`, get);
    expect(await reasonOf(request)).toBe('forbidden_address');
    expect(server.connections()).toBe(0);
  });

  it('looks up a name for each connection and refuses a private address at the second look-up', async () => {
    let lookups = 0;
    const resolve = async () => {
      lookups += 1;
      // First a public address where nothing responds, then this machine.
      return lookups === 1 ? ['192.0.0.9'] : ['127.0.0.1'];
    };
    const server = await httpServer((_request, response) => response.end());
    const fetch = guarded(false, resolve);
    const url = `http://second.test:${server.port}/`;
    await reasonOf(fetch.request(url, { ...get, timeoutMs: 100 }));
    expect(await reasonOf(fetch.request(url, get))).toBe('forbidden_address');
    expect([lookups, server.connections()]).toEqual([2, 0]);
  });

  it('connects to the checked address and sends the name in the Host header', async () => {
    const server = await httpServer((request, response) => response.end(request.headers.host));
    const answer = await guarded(true, local).request(`http://hook.test:${server.port}/`, get);
    expect(Buffer.from(answer.body).toString()).toBe(`hook.test:${server.port}`);
  });

  it('checks each redirect', async () => {
    const server = await httpServer((request, response) => {
      const location = request.url === '/in' ? 'ftp://example.com/' : 'http://name@127.0.0.1/';
      response.writeHead(302, { location }).end();
    });
    for (const path of ['/in', '/user']) {
      const request = guarded(true).request(server.url + path, { ...get, followRedirects: 3 });
      expect(await reasonOf(request)).toBe('bad_url');
    }
  });

  it('does not name an address in messages', async () => {
    const request = guarded(false, async () => ['10.1.2.3']).request('http://inner.test/', get);
    await expect(request).rejects.toThrow('inner.test does not resolve to a public address');
  });
});

describe('redirects', () => {
  it('are followed up to the limit, and never for a POST', async () => {
    const server = await httpServer((request, response) => {
      const at = Number(request.url?.slice(1));
      if (at === 3) response.end('there');
      else response.writeHead(307, { location: `/${at + 1}` }).end();
    });
    const fetch = guarded(true);
    const from = `${server.url}/0`;
    expect((await fetch.request(from, { ...get, followRedirects: 3 })).status).toBe(200);
    expect(await reasonOf(fetch.request(from, { ...get, followRedirects: 2 }))).toBe('protocol');
    const post = { ...get, method: 'POST', followRedirects: 3 } as const;
    expect((await fetch.request(from, post)).status).toBe(307);
  });
});

describe('certificates', () => {
  it('are verified for the requested name', async () => {
    const names: unknown[] = [];
    const server = createTlsServer({
      ...selfSigned,
      SNICallback: (name, callback) => {
        names.push(name);
        callback(null);
      },
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const request = guarded(true, local).request(`https://receiver.test:${port}/`, get);
    await expect(request).rejects.toMatchObject({
      reason: 'tls',
      message: 'The TLS handshake failed (DEPTH_ZERO_SELF_SIGNED_CERT)',
    });
    expect(names).toEqual(['receiver.test']);
  });

  it('are a TLS error when the server does not speak TLS', async () => {
    const server = await rawServer((socket) => void socket.end('HTTP/1.1 200 OK\r\n\r\n'));
    const request = guarded(true).request(server.url.replace('http:', 'https:'), get);
    expect(await reasonOf(request)).toBe('tls');
  });
});

describe('a request ends when the response is', () => {
  const short = { ...get, timeoutMs: 200 };

  const ok = 'HTTP/1.1 200 OK\r\n';
  it.each<[string, (socket: Socket) => void]>([
    ['missing', () => {}],
    ['slow in its headers', (socket) => drip(socket, ok, 'X-Slow: 1\r\n')],
    ['slow in its body', (socket) => drip(socket, `${ok}Content-Length: 1000\r\n\r\n`, '.')],
    ['1xx without end', (socket) => drip(socket, '', 'HTTP/1.1 102 Processing\r\n\r\n')],
  ])('%s', async (_name, respond) => {
    const request = guarded(true).request((await rawServer(respond)).url, short);
    const message = expect.stringMatching(/^No (?:complete )?response within 200 ms$/);
    await expect(request).rejects.toMatchObject({ reason: 'timeout', message });
  });

  it('preceded by a look-up that never ends', async () => {
    const fetch = guarded(true, () => new Promise(() => {}));
    expect(await reasonOf(fetch.request('http://slow.test/', short))).toBe('timeout');
  });

  const invalid = 'The response is not valid HTTP';
  const cut = 'The connection was closed before the response was complete';
  it.each<[string, string, string, string]>([
    ['garbage', 'what is HTTP?\r\n\r\n', 'protocol', invalid],
    [
      'a length and chunks',
      'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      'protocol',
      invalid,
    ],
    [
      'headers of 20 KB',
      `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
      'protocol',
      'The headers of the response are too large',
    ],
    ['a body cut short', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab', 'reset', cut],
  ])('%s', async (_name, text, reason, message) => {
    const server = await rawServer((socket) => void socket.end(text));
    const request = guarded(true).request(server.url, get);
    await expect(request).rejects.toMatchObject({ reason, message });
  });

  it('a reset connection', async () => {
    const server = await rawServer((socket) => void socket.resetAndDestroy());
    expect(await reasonOf(guarded(true).request(server.url, get))).toBe('reset');
  });

  it('a refused connection', async () => {
    const server = await httpServer(() => {});
    const gone = server.url.replace(/:\d+$/, ':1024');
    expect(await reasonOf(guarded(true).request(gone, get))).toBe('refused');
  });

  it.each(['Content-Length: 1000000000', 'X-No-Length: true'])(
    'a gigabyte with %s, which is cut',
    async (header) => {
      const server = await rawServer((socket) =>
        flood(socket, `HTTP/1.1 200 OK\r\n${header}\r\n\r\n`, Buffer.alloc(65_536, 'x')),
      );
      const answer = await guarded(true).request(server.url, get);
      expect([answer.status, answer.body.length, answer.isCut]).toEqual([200, 100, true]);
    },
  );

  it('interrupted, because the fetch is closed', async () => {
    const fetch = guarded(true);
    const server = await rawServer(() => fetch.close());
    await expect(fetch.request(server.url, get)).rejects.toThrow(FetchClosedError);
    await expect(fetch.request(server.url, get)).rejects.toThrow(FetchClosedError);
  });

  it('late because of the look-up, and sends nothing', async () => {
    let received = 0;
    const server = await httpServer((_request, response) => {
      received += 1;
      response.end();
    });
    const gate: { open?: (addresses: string[]) => void } = {};
    const fetch = guarded(
      true,
      () =>
        new Promise((resolve) => {
          gate.open = resolve;
        }),
    );
    const url = `http://late.test:${server.port}/`;
    expect(await reasonOf(fetch.request(url, { ...get, timeoutMs: 50 }))).toBe('timeout');
    gate.open?.(['127.0.0.1']);
    expect((await guarded(true).request(server.url, get)).status).toBe(200);
    expect(received).toBe(1);
  });
});

describe('a POST', () => {
  it('returns a response that arrives before its body is read', async () => {
    const server = await rawServer((socket) => {
      socket.pause();
      const text = 'HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\n\r\nbig';
      socket.write(text, () => socket.destroy());
    });
    const body = 'x'.repeat(20_000_000);
    const post = { ...get, method: 'POST', body } as const;
    const answer = await guarded(true).request(server.url, post);
    expect([answer.status, Buffer.from(answer.body).toString()]).toEqual([413, 'big']);
  });

  it.each([{ 'X-Own': 'a\r\nX-More: b' }, { 'X-Own': 'a\0' }, { 'X Own': 'a' }, { '': 'a' }])(
    'with the header %j is not sent',
    async (headers) => {
      const server = await rawServer(() => {});
      const request = guarded(true).request(server.url, { ...get, method: 'POST', headers });
      await expect(request).rejects.toThrow('A header of the request is not valid');
      expect(server.connections()).toBe(0);
    },
  );

  it('carries headers and exact bytes over a reused connection', async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, at) => at);
    const server = await httpServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const isSame = Buffer.concat(chunks).equals(bytes);
      response.end(`${request.method} ${request.headers['x-own']} ${isSame}`);
    });
    const fetch = guarded(true);
    for (let turn = 0; turn < 3; turn += 1) {
      const answer = await fetch.request(server.url, {
        ...get,
        method: 'POST',
        headers: { 'X-Own': 'yes' },
        body: bytes,
      });
      expect(Buffer.from(answer.body).toString()).toBe('POST yes true');
    }
    expect(server.connections()).toBeLessThan(3);
  });
});
