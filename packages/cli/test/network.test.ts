import { createServer as createHttpServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, createServer as createTcpServer, type Server } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { selfSigned } from '../../server/test/network/self-signed.js';
import { type ApiServer, startApiServer } from './api-server.js';
import { BuiltShorty } from './built-shorty.js';

let server: ApiServer;
let shorty: BuiltShorty;

beforeAll(async () => {
  server = await startApiServer();
  shorty = await BuiltShorty.build({ SHORTY_ACCESS_TOKEN: await server.token('urls:read') });
});

afterAll(async () => {
  await shorty.remove();
  await server.stop();
});

async function listen(target: Server): Promise<number> {
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void target.close());
  return (target.address() as AddressInfo).port;
}

function list(baseUrl: string, args: string[] = [], env: Record<string, string> = {}) {
  return shorty.run(['urls', 'list', '--base-url', baseUrl, ...args], { env });
}

test('an unknown name, a closed port, TLS and a hung server each have their own next step', async () => {
  const hung = await listen(createTcpServer(() => {}));
  const closed = createTcpServer();
  const closedPort = await listen(closed);
  await new Promise((resolve) => closed.close(resolve));
  const tls = await listen(createTlsServer(selfSigned));
  const plain = await listen(createHttpServer((_, response) => response.end('{}')));
  const hintOf = async (baseUrl: string, ...args: string[]) => {
    const { code, stderr } = await list(baseUrl, args);
    expect(code).toBe(1);
    return stderr.trimEnd().split('\n').at(-1);
  };
  expect(await hintOf('http://no-such-name.invalid')).toContain('no server has this name');
  expect(await hintOf(`http://127.0.0.1:${closedPort}`)).toContain('no server listens there');
  expect(await hintOf(`https://127.0.0.1:${tls}`)).toContain('NODE_EXTRA_CA_CERTS=file.pem');
  expect(await hintOf(`https://127.0.0.1:${plain}`)).toContain('does not use TLS on this port');
  expect(await hintOf(`http://127.0.0.1:${hung}`, '--timeout', '0.2')).toContain(
    '--timeout SECONDS changes the limit',
  );
}, 120_000);

test('--timeout rejects what is not a number of seconds', async () => {
  const { code, stderr } = await list(server.url, ['--timeout', 'soon']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('--timeout soon: must be a number')]);
});

test('HTTP_PROXY and NO_PROXY are honoured, and the own machine is never behind a proxy', async () => {
  const asked: string[] = [];
  const { port } = new URL(server.url);
  const proxy = createHttpServer().on('connect', (request, socket) => {
    asked.push(request.url ?? '');
    const upstream = connect(Number(port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    socket.on('error', () => upstream.destroy());
    upstream.on('error', () => socket.destroy());
  });
  const env = { http_proxy: `http://127.0.0.1:${await listen(proxy)}` };
  const proxied = await list('http://links.invalid', ['--json'], env);
  expect(proxied.code).toBe(0);
  expect(JSON.parse(proxied.stdout)).toMatchObject({ total: 0 });
  expect(asked).toEqual(['links.invalid:80']);
  const exempt = await list('http://links.invalid', ['--timeout', '5'], {
    ...env,
    no_proxy: 'links.invalid',
  });
  expect([exempt.code, exempt.stderr]).toEqual([1, expect.stringContaining('ENOTFOUND')]);
  expect((await list(server.url, [], env)).code).toBe(0);
  expect(asked).toHaveLength(1);
}, 60_000);
