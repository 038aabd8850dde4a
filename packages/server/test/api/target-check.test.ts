import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { thinkTime } from '../poll.js';
import { startServer, type TestServer } from './start-server.js';

/** Answers like the sites that links lead to. */
const answers: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {
  '/ok': (_, response) => response.writeHead(200, { 'content-length': 1_000 }).end(),
  '/missing': (_, response) => response.writeHead(404).end('not found'),
  '/gone': (_, response) => response.writeHead(410).end(),
  '/refuses': (_, response) => response.writeHead(403).end(),
  '/busy': (_, response) => response.writeHead(503).end(),
  '/moved': (_, response) => response.writeHead(301, { location: '/moved-again' }).end(),
  '/moved-again': (_, response) => response.writeHead(302, { location: '/ok' }).end(),
  '/moved-to-missing': (_, response) => response.writeHead(302, { location: '/missing' }).end(),
  '/loop': (_, response) => response.writeHead(302, { location: '/loop' }).end(),
  '/nowhere': (_, response) => response.writeHead(302, { location: 'http://[' }).end(),
  '/to-file': (_, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
  '/no-head': ({ method }, response) => response.writeHead(method === 'HEAD' ? 405 : 200).end('a'),
  '/cuts-head': ({ method, socket }, response) => {
    if (method === 'HEAD') socket.destroy();
    else response.writeHead(200).end('a');
  },
  '/endless': ({ method }, response) => {
    response.writeHead(method === 'HEAD' ? 501 : 200);
    if (method === 'HEAD') response.end();
    else response.write('x'.repeat(1_000));
  },
};

let running = 0;
let mostRunning = 0;
const agents = new Set<string | undefined>();
const site = createServer(async (request, response) => {
  running += 1;
  mostRunning = Math.max(mostRunning, running);
  response.on('close', () => {
    running -= 1;
  });
  agents.add(request.headers['user-agent']);
  const [path = ''] = (request.url ?? '').split('?');
  if (path === '/slow') {
    await thinkTime(20);
    response.end();
  } else (answers[path] ?? answers['/ok'])?.(request, response);
});

let api: TestServer;
let origin: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  api = await startServer({ allowPrivateNetwork: true, rateLimit: 0 });
});
afterAll(async () => {
  await api.stop();
  site.closeAllConnections();
  site.close();
});

const create = async (body: object, server = api) =>
  (await server.call('createUrl', { body })).data.id;
const check = (ids: readonly string[], server = api) =>
  server.call('checkUrlTargets', { query: { ids: ids.join() } });

it.each([
  ['/ok', 'alive', 200, null],
  ['/no-head', 'alive', 200, null],
  ['/cuts-head', 'alive', 200, null],
  ['/endless', 'alive', 200, null],
  ['/moved', 'alive', 200, '/ok'],
  ['/moved-to-missing', 'dead', 404, '/missing'],
  ['/missing', 'dead', 404, null],
  ['/gone', 'dead', 410, null],
  ['/refuses', 'uncertain', 403, null],
  ['/busy', 'uncertain', 503, null],
  ['/loop', 'dead', 302, '/loop'],
  ['/nowhere', 'dead', 302, null],
])('%s is %s', async (path, state, status, redirectsTo) => {
  const id = await create({ targetUrl: origin + path });
  const { data } = await check([id]);
  expect(data).toMatchObject({
    items: [
      {
        id,
        path: 'targetUrl',
        targetUrl: origin + path,
        state,
        status,
        redirectsTo: redirectsTo && origin + redirectsTo,
      },
    ],
    skippedIds: [],
  });
});

it('names targets that no request reaches, and does not follow redirects to other schemes', async () => {
  const closed = 'http://127.0.0.1:9981/';
  const targets = [closed, 'http://no-such-host.invalid/', `${origin}/to-file`];
  const ids = await Promise.all(targets.map((targetUrl) => create({ targetUrl })));
  const { data } = await check(ids);
  expect(data.items.map(({ state, status }) => [state, status])).toEqual([
    ['dead', null],
    ['dead', null],
    ['uncertain', null],
  ]);
  expect(data.items[0]?.error).toContain('refused');
  expect(data.items[2]?.error).toContain('must start with http:// or https://');
});

it('checks all targets of a link, each once, and skips links of others', async () => {
  const missing = `${origin}/missing`;
  const rules = [
    { when: { country: ['DE'] }, targetUrl: missing },
    { when: { device: ['mobile'] }, targetUrl: `${origin}/ok` },
  ];
  const id = await create({ targetUrl: `${origin}/ok`, expiredUrl: missing, rules });
  const stranger = await api.signIn(await api.createOrganization('scale'));
  const body = { targetUrl: missing };
  const foreign = (await stranger.call('createUrl', { body })).data.id;
  const { data } = await check([id, foreign, '999999']);
  expect(data.items.map(({ path, state }) => [path, state])).toEqual([
    ['targetUrl', 'alive'],
    ['expiredUrl', 'dead'],
    ['rules[0].targetUrl', 'dead'],
    ['rules[1].targetUrl', 'alive'],
  ]);
  expect(data.skippedIds).toEqual([foreign, '999999']);
  expect([...agents]).toEqual([expect.stringContaining('bot')]);
});

it('sends a host at most two requests at once', async () => {
  const ids = await Promise.all(
    Array.from({ length: 10 }, (_, at) => create({ targetUrl: `${origin}/slow?${at}` })),
  );
  mostRunning = 0;
  const { data } = await check(ids);
  expect(data.items.map(({ state }) => state)).toEqual(ids.map(() => 'alive'));
  expect(mostRunning).toBe(2);
});

it('reaches no private address, also by a redirect', async () => {
  const guarded = await startServer();
  onTestFinished(() => guarded.stop());
  const id = await create({ targetUrl: `${origin}/ok` }, guarded);
  const { data } = await check([id], guarded);
  expect(data.items).toMatchObject([{ state: 'dead', status: null }]);
  expect(data.items[0]?.error).toContain('public address');
});

it('is bounded by request and by minute', async () => {
  const limited = await startServer({ allowPrivateNetwork: true, rateLimit: 0 });
  onTestFinished(() => limited.stop());
  const make = (count: number, name: string) =>
    limited.call('bulkCreateUrls', {
      body: {
        urls: Array.from({ length: count }, (_, at) => ({
          targetUrl: `${origin}/ok?${name}${at}`,
          expiredUrl: `${origin}/ok?${name}-expired${at}`,
        })),
      },
    });
  const ids = (await make(21, 'a')).data.created.map(({ id }) => id);
  const many = await check(ids, limited);
  expect(many.outcome).toBe('400 VALIDATION_FAILED');
  expect(many.error.details?.[0]?.message).toContain('1 to 20 ids');
  for (const wrong of ['', 'a', '1,,2']) {
    expect((await check([wrong], limited)).invalidFields).toEqual(['ids']);
  }
  const rules = ['DE', 'FR'].map((country) => ({
    when: { country: [country] },
    targetUrl: `${origin}/ok?${country}`,
  }));
  const extra = await create({ targetUrl: `${origin}/ok?extra`, rules }, limited);
  const tooMany = await check([extra, ...ids.slice(0, 19)], limited);
  expect(tooMany.error.details?.[0]?.message).toContain('these links have 41 targets');
  expect((await check([extra], limited)).data.items).toHaveLength(3);
  const statuses = new Set<number>();
  for (let call = 0; call < 8; call += 1) {
    statuses.add((await check(ids.slice(0, 20), limited)).status);
  }
  expect([...statuses]).toEqual([200, 429]);
  limited.clock.advance(60_000);
  expect((await check(ids.slice(0, 20), limited)).status).toBe(200);
});
