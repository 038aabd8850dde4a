import { createServer as createHttpServer, type IncomingMessage, request } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, createServer as createTcpServer, type Server } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../server/test/free-port.js';
import { selfSigned } from '../../server/test/network/self-signed.js';
import { createProxyFetch } from '../src/proxy-fetch.js';
import { startSignedInShorty } from './signed-in-shorty.js';

const { server, shorty: built } = await startSignedInShorty();
const shorty = await built.withHome({ SHORTY_ACCESS_TOKEN: await server.token('urls:read') });

async function listen(target: Server): Promise<number> {
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void target.close());
  return (target.address() as AddressInfo).port;
}

function list(baseUrl: string, args: string[] = [], env: Record<string, string> = {}) {
  const words = ['urls', 'list', '--base-url', baseUrl, ...args];
  return shorty.run(words, { env, fetch: createProxyFetch(env) });
}

test('an unknown name, a closed port, TLS and a hung server each have their own next step', async () => {
  const hung = await listen(createTcpServer(() => {}));
  const closedPort = await freePort();
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

/** A proxy that answers for `links.invalid` from the server, and records what it is asked. */
async function startProxy({ authorization }: { authorization?: string } = {}) {
  const asked: string[] = [];
  const { port } = new URL(server.url);
  const isAllowed = ({ headers }: IncomingMessage) =>
    authorization === undefined || headers['proxy-authorization'] === authorization;
  const proxy = createHttpServer((message, response) => {
    asked.push(`${message.method} ${message.url}`);
    if (!isAllowed(message)) {
      response.writeHead(407).end();
      return;
    }
    const { pathname, search } = new URL(message.url ?? '');
    const { method, headers } = message;
    const upstream = request({ port, method, headers, path: pathname + search }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    message.pipe(upstream);
  });
  proxy.on('connect', (message, socket) => {
    asked.push(`CONNECT ${message.url}`);
    if (!isAllowed(message)) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return;
    }
    const upstream = connect(Number(port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    socket.on('error', () => upstream.destroy());
    upstream.on('error', () => socket.destroy());
  });
  return { asked, address: `127.0.0.1:${await listen(proxy)}` };
}

test('the process uses the proxy of its environment', async () => {
  const { asked, address } = await startProxy();
  const args = ['urls', 'list', '--base-url', 'http://links.invalid', '--json'];
  const { code, stdout, stderr } = await shorty.start(args, { env: { http_proxy: address } })
    .result;
  expect([code, stderr, JSON.parse(stdout)]).toMatchObject([0, '', { total: 0 }]);
  expect(asked).toEqual([expect.stringMatching('^GET http://links.invalid/api/v1/urls')]);
});

test('a proxy gets the credentials of its variable, and a failure says so', async () => {
  const authorization = `Basic ${Buffer.from('ann:s@cret').toString('base64')}`;
  const { asked, address } = await startProxy({ authorization });
  const proxied = await list('http://links.invalid', ['--json'], {
    http_proxy: `ann:s%40cret@${address}`,
  });
  expect(proxied).toMatchObject({ code: 0, stderr: '' });
  asked.length = 0;
  const closedPort = await freePort();
  for (const [env, scheme] of [
    [{ http_proxy: `ann:wrong@${address}` }, 'http'],
    [{ https_proxy: `ann:wrong@${address}` }, 'https'],
    [{ ALL_PROXY: `ann:wrong@127.0.0.1:${closedPort}` }, 'http'],
    [{ HTTP_PROXY: 'http://ann:wrong@:0' }, 'http'],
  ] as const) {
    const { code, stderr } = await list(`${scheme}://links.invalid`, ['--timeout', '5'], env);
    expect([code, stderr]).toEqual([1, expect.stringContaining('the proxies of the environment')]);
    expect(stderr).toContain('or exempt the server with NO_PROXY');
    expect(stderr).not.toMatch(/wrong|\n {4}at /);
  }
  // The own machine and the servers of NO_PROXY are not behind it.
  const direct = { http_proxy: address, NO_PROXY: 'a.example, links.invalid' };
  expect((await list(server.url, ['--json'], direct)).code).toBe(0);
  const unknown = await list('http://links.invalid', [], direct);
  expect(unknown.stderr).toContain('no server has this name');
  expect(asked.filter((each) => !each.includes('links.invalid'))).toEqual([]);
}, 120_000);

const rule = 'must be an http or https URL';
test.each([
  ['127.0.0.1:3000', '127.0.0.1:3000', rule],
  ['http://ann:secret@links.invalid:99999', 'links.invalid:99999', rule],
  ['http://ann:secret@links.invalid', 'links.invalid', `${rule} without credentials`],
  ['http://links.invalid/?a', 'http://links.invalid/?a', `${rule} without credentials`],
])('the base URL %s is refused by its source, without its password', async (value, shown, why) => {
  const profiles = { default: { baseUrl: value } };
  await shorty.write('config.json', JSON.stringify({ profiles }));
  for (const [source, args, env] of [
    ['SHORTY_BASE_URL', 'whoami', { SHORTY_BASE_URL: value }],
    ['profile default', 'whoami', { SHORTY_CONFIG_DIR: shorty.folder }],
    ['flag --base-url', `whoami --base-url ${value}`, {}],
    ['argument', `config set baseUrl ${value}`, {}],
  ] as const) {
    const message = `shorty: the base URL "${shown}" (${source}) ${why}`;
    expect((await shorty.exits(2, message, args, { env })).stdout).toBe('');
  }
});
