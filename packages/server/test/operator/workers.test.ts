import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { childrenOf, isAlive } from './child-processes.js';
import {
  build,
  call,
  command,
  newSettings,
  run,
  type Serving,
  serve,
  tokenOf,
} from './server-process.js';

// Four processes start for each of them.
vi.setConfig({ testTimeout: 90_000 });
beforeAll(build, 120_000);

const credentials = { clientId: 'operator-test', clientSecret: 'operator-test-secret' };
const waiting = { timeout: 60_000, interval: 20 };

interface Started extends Serving {
  readonly token: string | number;
  readonly settings: Record<string, string>;
}

async function start(workers: number, settings = newSettings()): Promise<Started> {
  const all = {
    ...settings,
    SHORTY_WORKERS: String(workers),
    SHORTY_CLIENT_ID: credentials.clientId,
    SHORTY_CLIENT_SECRET: credentials.clientSecret,
  };
  const server = await serve(all);
  return { ...server, settings: all, token: await tokenOf(server.origin, credentials) };
}

const pidOf = (server: Serving) => server.child.pid as number;
const names = (server: Serving) => childrenOf(pidOf(server)).map(({ name }) => name);
const pidNamed = (server: Serving, wanted: string) =>
  childrenOf(pidOf(server)).find(({ name }) => name === wanted)?.pid as number;

async function create(server: Started, body: object = {}) {
  const link = { targetUrl: 'https://example.com/0', ...body };
  const { status, data } = await call(server.origin, server.token, '/urls', link);
  expect(status).toBe(201);
  return data as { id: string; shortCode: string };
}

async function patch(server: Started, id: string, body: object): Promise<number> {
  const response = await fetch(`${server.origin}/api/v1/urls/${id}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  await response.arrayBuffer();
  return response.status;
}

/** What each process counts under a name. */
async function figures(server: Serving, metric: string): Promise<Record<string, number>> {
  const text = await (await fetch(`${server.origin}/metrics`)).text();
  const samples = text.matchAll(new RegExp(`^${metric}{process="(\\w+)"} (\\d+)$`, 'gm'));
  return Object.fromEntries([...samples].map(([, name, count]) => [name, Number(count)]));
}

describe('SHORTY_WORKERS', () => {
  it.each([
    ['0', {}],
    ['abc', {}],
    ['1000', {}],
    ['2', { SHORTY_DATABASE_URL: ':memory:' }],
  ])('%s is refused in one line %j', async (workers, settings) => {
    const all = { ...newSettings(), ...settings, SHORTY_WORKERS: workers };
    const { code, stdout, stderr } = await command(all);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^shorty-server: SHORTY_WORKERS is ".*": .*must be .*\n$/);
  });

  it('1 starts no other process', async () => {
    expect(names(await start(1))).toEqual([]);
  });

  it('3 starts three that answer and one that keeps, and prints the credentials once', async () => {
    const settings = newSettings();
    const server = await serve({ ...settings, SHORTY_WORKERS: '3' });
    expect(names(server)).toEqual(['keeper keeper', 'worker 1', 'worker 2', 'worker 3']);
    const [, clientId = ''] = await server.until(/client id {6}(\S+)/);
    const [, clientSecret = ''] = await server.until(/client secret {2}(\S+)/);
    await server.until(/Try next[\s\S]*\n\n/);
    expect(server.output().split(clientSecret)).toHaveLength(3);
    expect(await tokenOf(server.origin, { clientId, clientSecret })).toMatch(/^shorty_at_/);
    const list = await command(settings, 'orgs', 'list', '--json');
    expect(JSON.parse(list.stdout)).toHaveLength(1);
    const told = Object.keys(await figures(server, 'shorty_visits_total'));
    expect(told.sort()).toEqual(['1', '2', '3', 'keeper']);
    for (const metric of ['shorty_deliveries_pending', 'shorty_storage_bytes']) {
      expect(Object.keys(await figures(server, metric))).toEqual(['keeper']);
    }
  });

  it('does not start where another process listens, says so once, and leaves nobody behind', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => {
      taken.close();
    });
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    const server = run({ ...newSettings(), SHORTY_WORKERS: '2', PORT: String(port) });
    const { code, stderr, stdout } = await server.ended;
    expect(code).toBe(1);
    expect(stderr).toBe(
      `shorty-server: PORT is ${port}: another process listens there; stop it, or set PORT to a free one\n`,
    );
    // No later start would show them.
    expect(stdout).toMatch(/client secret {2}shorty_cs_/);
    expect(childrenOf(server.child.pid as number)).toEqual([]);
  });
});

describe('whichever worker answers', () => {
  it('the next redirect obeys an edit or a pause that has answered, however hot the link is', async () => {
    const server = await start(2);
    const { id, shortCode } = await create(server);
    const visits: { beganAt: number; status: number; turn: number }[] = [];
    const changes: { at: number; turn: number }[] = [{ at: 0, turn: 0 }];
    let isDone = false;
    const connections = Array.from({ length: 32 }, async () => {
      for (let rest = 3; rest > 0; rest -= isDone ? 1 : 0) {
        const beganAt = performance.now();
        const visit = await fetch(`${server.origin}/${shortCode}`, { redirect: 'manual' });
        await visit.arrayBuffer();
        const turn = Number(visit.headers.get('location')?.split('/').at(-1));
        visits.push({ beganAt, status: visit.status, turn });
      }
    });
    for (let turn = 1; turn <= 30; turn += 1) {
      const targetUrl = `https://example.com/${turn}`;
      expect(await patch(server, id, { targetUrl })).toBe(200);
      changes.push({ at: performance.now(), turn });
    }
    expect(await patch(server, id, { isActive: false })).toBe(200);
    const pausedAt = performance.now();
    isDone = true;
    await Promise.all(connections);
    const stale = visits.filter(({ beganAt, status, turn }) => {
      if (beganAt >= pausedAt) return status !== 410;
      const least = changes.filter(({ at }) => at <= beganAt).length - 1;
      return status === 307 && turn < least;
    });
    expect(stale).toEqual([]);
    expect(visits.filter(({ beganAt }) => beganAt >= pausedAt).length).toBeGreaterThan(30);
    const { 1: first = 0, 2: second = 0 } = await figures(server, 'shorty_visits_total');
    expect(first).toBeGreaterThan(50);
    expect(second).toBeGreaterThan(50);
  });

  it('writers wait for each other, and none is told that storage is busy', async () => {
    const server = await start(2);
    const urls = Array.from({ length: 100 }, () => ({ targetUrl: 'https://example.com/' }));
    const statuses = new Set<number>();
    const writers = Array.from({ length: 16 }, async (_, writer) => {
      for (let turn = 0; turn < 12; turn += 1) {
        const [path, body] =
          writer % 2 === 0 ? (['/urls/bulk', { urls }] as const) : (['/urls', urls[0]] as const);
        statuses.add((await call(server.origin, server.token, path, body)).status);
      }
    });
    await Promise.all(writers);
    expect([...statuses]).toEqual([201]);
    const { data } = await call(server.origin, server.token, '/urls?limit=1');
    expect(data.total).toBe(8 * 12 * 101);
  });

  it('guesses of a password count together', async () => {
    const server = await start(2);
    const { shortCode } = await create(server, { isPasswordProtected: true, password: 'right' });
    const guess = async () => {
      const answer = await fetch(`${server.origin}/${shortCode}`, {
        method: 'POST',
        body: new URLSearchParams({ password: 'wrong' }),
        headers: { accept: 'application/json' },
      });
      await answer.arrayBuffer();
      return answer.status;
    };
    const statuses = await Promise.all(Array.from({ length: 24 }, guess));
    expect(statuses.filter((status) => status === 401)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(14);
  });

  it('guesses of a client secret count together, and those who know it use none up', async () => {
    const server = await start(2);
    const ask = async (clientSecret: string) => {
      const answer = await fetch(`${server.origin}/api/v1/auth/token`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...credentials, clientSecret }),
      });
      await answer.arrayBuffer();
      return answer.status;
    };
    const all = (secret: string) => Promise.all(Array.from({ length: 64 }, () => ask(secret)));
    expect(new Set(await all(credentials.clientSecret))).toEqual(new Set([200]));
    const guesses = await all('wrong');
    expect(guesses.filter((status) => status === 401)).toHaveLength(30);
    expect(guesses.filter((status) => status === 429)).toHaveLength(34);
    expect(await ask(credentials.clientSecret)).toBe(429);
  });

  it('each has its share of the requests that an organization may make', async () => {
    const server = await start(2, { ...newSettings(), SHORTY_RATE_LIMIT: '101' });
    const answer = await fetch(`${server.origin}/api/v1/urls`, {
      headers: { authorization: `Bearer ${server.token}` },
    });
    await answer.arrayBuffer();
    expect(answer.headers.get('ratelimit-limit')).toBe('51');
  });
});

describe('what is done once', () => {
  it('goes on with a new keeper when the keeper is killed: a link expires, its event is told once', async () => {
    const bodies: { type: string; data: { shortUrl?: string } }[] = [];
    const receiver = createServer((socket) => {
      socket.setEncoding('utf8').on('data', (text: string) => {
        const body = /\r\n\r\n(\{.*\})$/.exec(text)?.[1];
        if (body) bodies.push(JSON.parse(body));
        socket.end('HTTP/1.1 204 No Content\r\n\r\n');
      });
    }).listen(0, '127.0.0.1');
    onTestFinished(() => {
      receiver.close();
    });
    await once(receiver, 'listening');
    const { port } = receiver.address() as { port: number };
    const server = await start(2, { ...newSettings(), SHORTY_ALLOW_PRIVATE_NETWORK: '1' });
    const hook = { url: `http://127.0.0.1:${port}/`, events: ['url.expired'], isActive: true };
    expect((await call(server.origin, server.token, '/webhooks', hook)).status).toBe(201);
    process.kill(pidNamed(server, 'keeper keeper'), 'SIGKILL');
    const expiresAt = new Date(Date.now() + 500).toISOString();
    const { shortCode } = await create(server, { expiresAt });
    await vi.waitFor(() => expect(bodies).toHaveLength(1), waiting);
    const port0 = new URL(server.origin).port;
    expect(bodies[0]).toMatchObject({
      type: 'url.expired',
      data: { shortUrl: `http://localhost:${port0}/${shortCode}` },
    });
    expect(names(server)).toEqual(['keeper keeper', 'worker 1', 'worker 2']);
  });
});

describe('a stop', () => {
  it('SIGTERM finishes the requests of every worker, exits 0 and leaves nothing behind', async () => {
    const server = await start(2);
    const children = childrenOf(pidOf(server));
    const body = JSON.stringify({ targetUrl: 'https://example.com/' });
    // Several connections, so that each worker has some.
    const open = Array.from({ length: 8 }, async () => {
      const socket = connect(Number(new URL(server.origin).port), '127.0.0.1');
      onTestFinished(() => {
        socket.destroy();
      });
      let text = '';
      socket.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      socket.write(
        `POST /api/v1/urls HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${server.token}\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
      );
      await once(socket, 'data');
      return { socket, answer: once(socket, 'close').then(() => text) };
    });
    const requests = await Promise.all(open);
    server.child.kill('SIGTERM');
    await server.until(/"stopping"/);
    for (const { socket } of requests) socket.write(body);
    for (const { answer } of requests) expect(await answer).toMatch(/HTTP\/1\.1 201 Created/);
    expect((await server.ended).code).toBe(0);
    expect(children.filter(({ pid }) => isAlive(pid))).toEqual([]);
    const path = server.settings.SHORTY_DATABASE_URL?.slice('file:'.length) as string;
    expect(readdirSync(`${path}.visits`)).toEqual([]);
  });

  it('a SIGINT that a terminal sends to all of them ends them with 0', async () => {
    const server = await start(2);
    const children = childrenOf(pidOf(server));
    for (const { pid } of children) process.kill(pid, 'SIGINT');
    server.child.kill('SIGINT');
    const { code, stderr } = await server.ended;
    expect(code).toBe(0);
    expect(stderr).not.toMatch(/is replaced/);
    expect(children.filter(({ pid }) => isAlive(pid))).toEqual([]);
  });

  it('SIGTERM to one worker has it replaced', async () => {
    const server = await start(2);
    const before = pidNamed(server, 'worker 2');
    process.kill(before, 'SIGTERM');
    await vi.waitFor(() => {
      expect(isAlive(before)).toBe(false);
      expect(names(server)).toContain('worker 2');
    }, waiting);
    await create(server);
    server.child.kill('SIGTERM');
    expect((await server.ended).code).toBe(0);
  });
});
