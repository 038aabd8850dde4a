import { readdirSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { beforeAll, expect, it, vi } from 'vitest';
import { childrenOf, isAlive } from './child-processes.js';
import {
  build,
  call,
  command,
  newSettings,
  type Serving,
  serve,
  tokenOf,
} from './server-process.js';

beforeAll(build, 120_000);

const credentials = { clientId: 'operator-test', clientSecret: 'operator-test-secret' };
const waiting = { timeout: 60_000, interval: 50 };
const connections = 64;
const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';

interface Load {
  /** Answers that came whole. */
  answered(): number;
  /** Requests that were cut off, by why. */
  readonly faults: Map<string, number>;
  end(): Promise<void>;
}

/** Follows a link on many connections, again and again, whatever becomes of single ones. */
function follow(address: string): Load {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const faults = new Map<string, number>();
  let answered = 0;
  let isOver = false;
  const once = () =>
    new Promise<string | undefined>((resolve) => {
      const request = get(address, { agent, headers: { 'user-agent': browser } }, (answer) => {
        answer.resume();
        answer.once('error', (error) => resolve(error.message));
        answer.once('end', () => {
          if (answer.statusCode === 307) answered += 1;
          resolve(answer.statusCode === 307 ? undefined : `status ${answer.statusCode}`);
        });
      });
      // A connection that nobody serves would wait for ever.
      request.setTimeout(10_000, () => request.destroy(new Error('no answer in ten seconds')));
      request.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    });
  const visitors = Array.from({ length: connections }, async () => {
    while (!isOver) {
      const fault = await once();
      if (fault !== undefined) faults.set(fault, (faults.get(fault) ?? 0) + 1);
    }
  });
  return {
    answered: () => answered,
    faults,
    async end() {
      isOver = true;
      await Promise.all(visitors);
      agent.destroy();
    },
  };
}

async function start(settings: Record<string, string>) {
  const server = await serve({
    ...settings,
    SHORTY_WORKERS: '2',
    SHORTY_CLIENT_ID: credentials.clientId,
    SHORTY_CLIENT_SECRET: credentials.clientSecret,
  });
  return { server, token: await tokenOf(server.origin, credentials) };
}

const pidNamed = (server: Serving, wanted: string) =>
  childrenOf(server.child.pid as number).find(({ name }) => name === wanted)?.pid as number;

async function answers(load: Load, more: number): Promise<void> {
  const until = load.answered() + more;
  await vi.waitFor(() => expect(load.answered()).toBeGreaterThanOrEqual(until), waiting);
}

async function clicksOf(server: Serving, token: string | number, id: unknown): Promise<number> {
  return (await call(server.origin, token, `/urls/${id}`)).data.clickCount as number;
}

it('a worker that is killed under load loses no visit that it answered, and the others go on', async () => {
  const settings = newSettings();
  const { server, token } = await start(settings);
  const { data: url } = await call(server.origin, token, '/urls', {
    targetUrl: 'https://example.com/',
  });
  const load = follow(`${server.origin}/${url.shortCode}`);
  const kills = 4;
  for (let kill = 0; kill < kills; kill += 1) {
    await answers(load, 1_500);
    const name = `worker ${(kill % 2) + 1}`;
    const pid = pidNamed(server, name);
    process.kill(pid, 'SIGKILL');
    // By the other one; the new one has not started yet.
    await answers(load, 500);
    await server.until(new RegExp(`(started anew[^]*){${kill + 1}}`));
    expect(pidNamed(server, name)).not.toBe(pid);
  }
  await answers(load, 1_500);
  await load.end();
  const cutOff = [...load.faults.values()].reduce((sum, count) => sum + count, 0);
  expect([...load.faults.keys()].filter((fault) => fault !== 'ECONNRESET')).toEqual([]);
  expect(cutOff).toBeLessThanOrEqual(kills * connections);
  await vi.waitFor(async () => {
    expect(await clicksOf(server, token, url.id)).toBeGreaterThanOrEqual(load.answered());
  }, waiting);
  // Those that were cut off may have been kept before.
  const clicks = await clicksOf(server, token, url.id);
  expect(clicks).toBeLessThanOrEqual(load.answered() + cutOff);
  server.child.kill('SIGTERM');
  expect((await server.ended).code).toBe(0);
  // Nothing was left to be counted later, and what the series show is what the counter says.
  const path = settings.SHORTY_DATABASE_URL?.slice('file:'.length) as string;
  expect(readdirSync(`${path}.visits`)).toEqual([]);
  const { code, stdout } = await command(settings, 'doctor', '--check');
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringContaining('Visits, counters and series agree.'),
  });
}, 300_000);

it('a primary that is killed takes its workers along and loses no visit', async () => {
  const settings = newSettings();
  const { server, token } = await start(settings);
  const { data: url } = await call(server.origin, token, '/urls', {
    targetUrl: 'https://example.com/',
  });
  const children = childrenOf(server.child.pid as number);
  const load = follow(`${server.origin}/${url.shortCode}`);
  await answers(load, 3_000);
  server.child.kill('SIGKILL');
  await vi.waitFor(() => expect(children.filter(({ pid }) => isAlive(pid))).toEqual([]), waiting);
  await load.end();
  const refused = [...load.faults.keys()].filter((fault) => !/^ECONN(RESET|REFUSED)$/.test(fault));
  expect(refused).toEqual([]);

  const next = await start(settings);
  await vi.waitFor(async () => {
    const clicks = await clicksOf(next.server, next.token, url.id);
    expect(clicks).toBeGreaterThanOrEqual(load.answered());
    expect(clicks).toBeLessThanOrEqual(load.answered() + connections);
  }, waiting);
  next.server.child.kill('SIGTERM');
  expect((await next.server.ended).code).toBe(0);
  const path = settings.SHORTY_DATABASE_URL?.slice('file:'.length) as string;
  expect(readdirSync(`${path}.visits`)).toEqual([]);
}, 300_000);
