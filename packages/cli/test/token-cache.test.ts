import { readFileSync, writeFileSync } from 'node:fs';
import { chmod, mkdir, symlink } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { httpFetch } from '../src/http-fetch.js';
import { type ApiServer, startApiServer } from './api-server.js';
import { BuiltShorty } from './built-shorty.js';

const folder = '.local/state/shorty/tokens';

let server: ApiServer;
let built: BuiltShorty;
let proxyUrl: string;
let stopProxy: () => void;
/** The requests of the commands: `POST /api/v1/auth/token 200`. */
let requests: string[];

beforeAll(async () => {
  [server, built] = await Promise.all([startApiServer(), BuiltShorty.build()]);
  const proxy = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { authorization } = request.headers;
    const answer = await httpFetch(server.url + request.url, {
      method: request.method ?? 'GET',
      headers: { 'content-type': 'application/json', ...(authorization ? { authorization } : {}) },
      ...(chunks.length > 0 ? { body: Buffer.concat(chunks).toString() } : {}),
    });
    requests.push(`${request.method} ${request.url} ${answer.status}`);
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  stopProxy = () => void proxy.close();
});

beforeEach(() => {
  requests = [];
});

afterAll(async () => {
  stopProxy();
  await built.remove();
  await server.stop();
});

const signIn = () => ({ ...server.env, SHORTY_BASE_URL: proxyUrl });
const token = 'POST /api/v1/auth/token 200';
const list = 'GET /api/v1/urls 200';

/** Runs `urls list` and returns the requests that it sent. */
async function listWith(shorty: BuiltShorty, env: Readonly<Record<string, string>> = {}) {
  requests = [];
  const { code, stderr } = await shorty.run(['urls', 'list', '--json'], { env });
  return { code, stderr, requests };
}

function storedToken(shorty: BuiltShorty, name: string): { accessToken: string } {
  return JSON.parse(readFileSync(shorty.path(`${folder}/${name}`), 'utf8'));
}

test('a second command uses the token of the first, which only its owner can read', async () => {
  const shorty = await built.withHome(signIn());
  expect((await listWith(shorty)).requests).toEqual([token, list]);
  expect((await listWith(shorty)).requests).toEqual([list]);
  const [name = '', ...others] = await shorty.files(folder);
  expect(others).toEqual([]);
  expect([await shorty.mode(folder), await shorty.mode(`${folder}/${name}`)]).toEqual([
    '700',
    '600',
  ]);
  expect(readFileSync(shorty.path(`${folder}/${name}`), 'utf8')).not.toContain(server.clientSecret);
});

test('the token is used for its server, client and secret only', async () => {
  const shorty = await built.withHome(signIn());
  await listWith(shorty);
  expect((await listWith(shorty, { SHORTY_CLIENT_SECRET: 'wrong' })).code).toBe(4);
  expect((await listWith(shorty, { SHORTY_CLIENT_ID: 'someone' })).code).toBe(4);
  const direct = await listWith(shorty, { SHORTY_BASE_URL: server.url });
  expect(direct).toEqual({ code: 0, stderr: '', requests: [] });
  expect(await shorty.files(folder)).toHaveLength(2);
  expect((await listWith(shorty)).requests).toEqual([list]);
});

test.each([
  ['refused', (stored: object) => JSON.stringify({ ...stored, accessToken: 'shorty_at_revoked' })],
  ['expired', (stored: object) => JSON.stringify({ ...stored, expiresAt: Date.now() + 50_000 })],
  ['damaged', () => '{"accessToken":"x'],
])('a token that is %s is renewed', async (problem, change) => {
  const shorty = await built.withHome(signIn());
  await listWith(shorty);
  const [name = ''] = await shorty.files(folder);
  const before = storedToken(shorty, name);
  writeFileSync(shorty.path(`${folder}/${name}`), change(before));
  const renewed = await listWith(shorty);
  expect(renewed).toEqual({
    code: 0,
    stderr: '',
    requests: [...(problem === 'refused' ? ['GET /api/v1/urls 401'] : []), token, list],
  });
  expect(storedToken(shorty, name).accessToken).not.toBe(before.accessToken);
  expect((await listWith(shorty)).requests).toEqual([list]);
});

test('scopes that the client was granted meanwhile apply at once', async () => {
  const shorty = await built.withHome(signIn());
  await listWith(shorty);
  const [name = ''] = await shorty.files(folder);
  const narrow = { ...storedToken(shorty, name), accessToken: await server.token('qr:read') };
  writeFileSync(shorty.path(`${folder}/${name}`), JSON.stringify(narrow));
  expect(await listWith(shorty)).toEqual({
    code: 0,
    stderr: '',
    requests: ['GET /api/v1/urls 403', token, list],
  });
});

test('SHORTY_ACCESS_TOKEN is never stored, and a refused one is not replaced', async () => {
  const shorty = await built.withHome(signIn());
  const accessToken = await server.token('urls:read');
  const used = await listWith(shorty, { SHORTY_ACCESS_TOKEN: accessToken });
  expect([used.code, used.requests]).toEqual([0, [list]]);
  expect((await listWith(shorty, { SHORTY_ACCESS_TOKEN: 'revoked' })).code).toBe(4);
  await expect(shorty.files('.local')).rejects.toThrow('ENOENT');
});

test('without a folder for it, each command requests a token', async () => {
  const shorty = await built.withHome({ ...signIn(), SHORTY_STATE_DIR: '/dev/null/state' });
  for (const _ of [1, 2]) {
    expect(await listWith(shorty)).toEqual({ code: 0, stderr: '', requests: [token, list] });
  }
});

test('SHORTY_DEBUG shows why a token is not stored, or why old files remain', async () => {
  const shorty = await built.withHome({ ...signIn(), SHORTY_DEBUG: '1' });
  const unwritable = await listWith(shorty, { SHORTY_STATE_DIR: '/dev/null/state' });
  expect([unwritable.code, unwritable.stderr]).toEqual([0, expect.stringContaining('ENOTDIR')]);
  await mkdir(shorty.path(folder), { recursive: true, mode: 0o700 });
  // Its age cannot be read, also not by root.
  await symlink('loop.json', shorty.path(`${folder}/loop.json`));
  const { code, stderr } = await listWith(shorty);
  expect([code, stderr]).toEqual([
    0,
    expect.stringMatching(/^shorty: stored access tokens: ELOOP.*\n$/),
  ]);
  // The token was stored before.
  expect((await listWith(shorty)).requests).toEqual([list]);
});

test('logout deletes the token', async () => {
  const shorty = await built.withHome({ SHORTY_BASE_URL: proxyUrl });
  const login = ['login', '--client-id', server.clientId];
  await shorty.run(login, { input: server.clientSecret });
  await listWith(shorty);
  expect(await shorty.files(folder)).toHaveLength(1);
  await shorty.run(['logout']);
  expect(await shorty.files(folder)).toEqual([]);
});

test('files of clients that are not used anymore are deleted', async () => {
  const shorty = await built.withHome(signIn());
  await mkdir(shorty.path(folder), { recursive: true });
  await chmod(shorty.path(folder), 0o700);
  await shorty.write(`${folder}/old.json`, '{}');
  await shorty.setAge(`${folder}/old.json`, 25 * 60 * 60);
  await listWith(shorty);
  expect(await shorty.files(folder)).not.toContain('old.json');
});
