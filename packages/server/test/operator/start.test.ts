import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  call,
  newSettings,
  pathOf,
  refusalOf,
  run,
  serve,
  serveWithToken,
  stop,
  succeed,
  tokenOf,
} from './server-process.js';

describe('the first start', () => {
  it('prints the credentials of the default organization and commands once, and logs its version', async () => {
    const settings = newSettings();
    const first = await serve(settings);
    // It is in the folder of the sources.
    await first.until(/\n {2}npx shorty urls bulk-create examples\/links\.csv\n/);
    const [, clientId = ''] = await first.until(/client id {6}(\S+)/);
    const [, clientSecret = ''] = await first.until(/client secret {2}(\S+)/);
    const [, apiKey = ''] = await first.until(/API key {8}(\S+)/);
    expect(await tokenOf(first.origin, { clientId, clientSecret })).toMatch(/^shorty_at_/);
    const link = { targetUrl: 'https://example.com' };
    expect((await call(first.origin, apiKey, '/urls', link)).status).toBe(201);
    const { code, stderr } = await stop(first);
    expect(code).toBe(0);
    // The credentials are not in the log.
    expect(stderr).not.toContain(clientSecret);
    expect(stderr).not.toContain(apiKey);
    const path = pathOf(settings);
    const created = stderr.match(
      /^\{"level":30,"time":"20[^"]+Z",.*"msg":"created a new database"\}$/gm,
    );
    expect(created).toHaveLength(1);
    expect(created?.[0]).toContain(path);
    const [line = ''] = /^\{.*"msg":"listening"\}$/m.exec(stderr) ?? [];
    expect(await succeed({}, '--version')).toBe(`${JSON.parse(line).version}\n`);

    const second = run(settings, [], tmpdir());
    // In a folder without the command, npx would run the package of a stranger.
    await second.until(/\n {2}shorty analytics overview\n/);
    expect(second.output()).toMatch(/The dashboard is at http:\S+\/dashboard\/\n/);
    expect(second.output()).not.toMatch(/shorty_(cs|ak)_|created a new database/);
  });

  it('fails without credentials if it cannot listen, and the next start prints them', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => {
      taken.close();
    });
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    const settings = { ...newSettings(), PORT: String(port) };
    const refusal = await refusalOf(settings, 'start', '--create');
    // A slow machine may log before it that a thread was still starting.
    expect(refusal.split('\n').slice(-2)).toEqual([
      `shorty-server: HOST is 127.0.0.1, PORT is ${port}: the address is in use; set a free port from 1024 on, and an address of this machine, such as 127.0.0.1, or 0.0.0.0 for all of them`,
      '',
    ]);
    const next = await serve({ ...settings, PORT: '0' });
    await next.until(/client id {6}\S+\n {2}client secret {2}\S+/);
  });
});

it('a database whose folder does not exist stops the start, and is not created', async () => {
  const settings = newSettings();
  const folder = dirname(pathOf(settings));
  for (const args of [[], ['start'], ['migrate']]) {
    expect(await refusalOf(settings, ...args)).toContain(
      `there is no folder ${folder}: correct the path, or create the folder`,
    );
    expect(existsSync(folder)).toBe(false);
  }
  const impossible = { ...settings, SHORTY_DATABASE_URL: 'file:/dev/null/data/shorty.db' };
  expect(await refusalOf(impossible, 'start', '--create')).toMatch(
    /^shorty-server: SHORTY_DATABASE_URL is file:\/dev\/null\/data\/shorty\.db: E.*\n$/,
  );
});

describe('an invalid setting stops the start', () => {
  it.each([
    ['PORT', 'http', /PORT is "http": it must be a port/],
    ['HOST', 'no.such.host.invalid', /HOST is no\.such\.host\.invalid.*ENOTFOUND|EAI_AGAIN/],
    [
      'SHORTY_ADMIN_LISTEN',
      '/no/such/admin.sock',
      /SHORTY_ADMIN_LISTEN is "\/no\/such\/admin\.sock": cannot listen/,
    ],
    [
      'SHORTY_DATABASE_URL',
      'postgres://a@127.0.0.1:1/a',
      /no PostgreSQL listens on 127\.0\.0\.1:1: start it/,
    ],
  ])('%s=%s', async (name, value, message) => {
    const settings = { ...newSettings(), [name]: value };
    const refusal = await refusalOf(settings, 'start', '--create');
    expect(refusal).toMatch(message);
    // A slow machine may log that a thread was still starting.
    expect(refusal.match(/^[^{].*$/gm)).toHaveLength(1);
  });
});

it('logs a JSON line of each request on stderr', async () => {
  const server = await serveWithToken({ ...newSettings(), SHORTY_LOG_LEVEL: 'trace' });
  await fetch(`${server.origin}/health/live`);
  const { stderr } = await stop(server);
  const lines = stderr.trim().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toContainEqual(
    expect.objectContaining({ method: 'GET', path: '/health/live', status: 200 }),
  );
});
