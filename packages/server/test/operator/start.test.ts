import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { build } from '../../../../scripts/bootstrap.mjs';
import { call, command, newSettings, run, serve, tokenOf } from './server-process.js';

beforeAll(build, 120_000);

const secretForm = /shorty_cs_[\w-]+/g;

describe('the first start', () => {
  it('prints the credentials of the default organization once and never again', async () => {
    const settings = newSettings();
    const first = await serve(settings);
    const [, clientId = ''] = await first.until(/client id {6}(\S+)/);
    const [, clientSecret = ''] = await first.until(/client secret {2}(\S+)/);
    expect(await tokenOf(first.origin, { clientId, clientSecret })).toMatch(/^shorty_at_/);
    first.child.kill('SIGTERM');
    const { code, stderr } = await first.ended;
    expect(code).toBe(0);
    // The credentials are not in the log.
    expect(stderr).not.toContain(clientSecret);

    const second = await serve(settings);
    await second.until(/Try next[\s\S]*\n\n/);
    expect(second.output()).not.toMatch(secretForm);
    expect(await tokenOf(second.origin, { clientId, clientSecret })).toMatch(/^shorty_at_/);
  });

  it('logs the version that --version prints', async () => {
    const { stdout } = await command({}, '--version');
    const server = await serve(newSettings());
    const [line = ''] = await server.until(/^\{.*"msg":"listening"\}$/m);
    expect(stdout).toBe(`${JSON.parse(line).version}\n`);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('names only commands that work in its folder', async () => {
    const clone = run(newSettings());
    await clone.until(/\n {2}npx shorty urls bulk-create examples\/links\.csv\n/);
    const installed = run(newSettings(), [], tmpdir());
    await installed.until(/\n {2}npx shorty analytics overview\n/);
  });

  it('uses the configured credentials and prints no secret', async () => {
    const credentials = { clientId: 'me', clientSecret: 'a-secret-of-my-own-that-is-long-enough' };
    const server = await serve({
      ...newSettings(),
      SHORTY_CLIENT_ID: credentials.clientId,
      SHORTY_CLIENT_SECRET: credentials.clientSecret,
    });
    expect(await tokenOf(server.origin, credentials)).toMatch(/^shorty_at_/);
    await server.until(/Try next[\s\S]*\n\n/);
    expect(server.output()).not.toContain(credentials.clientSecret);
  });

  it('prints the credentials even if it cannot listen, because no later start would', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => {
      taken.close();
    });
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    const settings = newSettings();
    const { code, stdout, stderr } = await command({ ...settings, PORT: String(port) });
    expect(code).toBe(1);
    // A slow machine may log before it that a thread was still starting.
    expect(stderr.split('\n').slice(-2)).toEqual([
      `shorty-server: PORT is ${port}: another process listens there; stop it, or set PORT to a free one`,
      '',
    ]);
    const [, clientId = '', clientSecret = ''] =
      /client id {6}(\S+)\n {2}client secret {2}(\S+)/.exec(stdout) ?? [];
    const { origin } = await serve(settings);
    expect(await tokenOf(origin, { clientId, clientSecret })).toMatch(/^shorty_at_/);
  });
});

// A supervisor does not restart the server after the status 78.
describe('an invalid setting stops the start', () => {
  it.each([
    ['PORT', 'http', 78, /PORT is "http": it must be a port/],
    ['SHORTY_CLIENT_ID', 'me', 78, /SHORTY_CLIENT_SECRET is missing/],
    // The name may be known later.
    ['HOST', 'no.such.host.invalid', 1, /HOST is no\.such\.host\.invalid.*ENOTFOUND|EAI_AGAIN/],
    ['SHORTY_ADMIN_LISTEN', '/no/such/admin.sock', 78, /there is no folder \/no\/such; create it/],
    ['SHORTY_DATABASE_URL', 'file:/dev/null/x.db', 78, /\/dev\/null/],
    ['SHORTY_DATABASE_URL', 'file:/tmp', 78, /SHORTY_DATABASE_URL.*\/tmp/],
  ])('%s=%s, with the status %i', async (name, value, status, message) => {
    const { code, stderr } = await command({ ...newSettings(), [name]: value });
    expect(code).toBe(status);
    expect(stderr).toMatch(message);
    // A slow machine may log that a thread was still starting.
    const lines = stderr.trim().split('\n');
    expect(lines.filter((line) => !line.includes('thread did not stop'))).toHaveLength(1);
  });

  it('SHORTY_DATABASE_URL with a file that is not a database', async () => {
    const settings = newSettings();
    const path = settings.SHORTY_DATABASE_URL?.slice('file:'.length) as string;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, 'These are my notes, and no database at all.\n'.repeat(200));
    const { code, stderr } = await command(settings);
    expect(code).toBe(78);
    expect(stderr).toContain(path);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  // stderr is a pipe here. Node 20 then did not find what the driver needs.
  it('SHORTY_DATABASE_URL of a PostgreSQL that does not run', async () => {
    const { code, stderr } = await command({
      ...newSettings(),
      SHORTY_DATABASE_URL: 'postgres://shorty@127.0.0.1:1/shorty',
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^shorty-server: storage is unavailable .*ECONNREFUSED.*\n$/);
  });
});

describe('logs', () => {
  it('contain no token, no secret and no password of any request', async () => {
    const server = await serve({ ...newSettings(), SHORTY_LOG_LEVEL: 'trace' });
    const [, clientId = ''] = await server.until(/client id {6}(\S+)/);
    const [, clientSecret = ''] = await server.until(/client secret {2}(\S+)/);
    const token = await tokenOf(server.origin, { clientId, clientSecret });
    const password = 'pass-word-of-a-link';
    const link = { targetUrl: 'https://example.com/', isPasswordProtected: true, password };
    const { data } = await call(server.origin, token, '/urls', link);
    const wrong = 'a-wrong-guess';
    for (const guess of [wrong, password]) {
      await fetch(`${server.origin}/${data.shortCode}`, {
        method: 'POST',
        body: new URLSearchParams({ password: guess }),
        redirect: 'manual',
      });
    }
    await call(server.origin, token, '/urls', { ...link, password: [password] });
    await call(server.origin, `${token}x`, '/urls');
    await fetch(`${server.origin}/api/v1/urls?access_token=${token}`);
    await fetch(`${server.origin}/api/v1/auth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}x`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    await fetch(`${server.origin}/api/v1/auth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"clientId":"x","clientSecret":"${clientSecret}" "scope"`,
    });
    server.child.kill('SIGTERM');
    const { stderr } = await server.ended;
    expect(stderr.split('\n').length).toBeGreaterThan(8);
    const secrets = [String(token), clientSecret, password, wrong, btoa(clientSecret)];
    for (const secret of secrets) expect(stderr).not.toContain(secret);
    expect(stderr).not.toMatch(/shorty_(cs|at)_/);
  });

  it('go to stderr as JSON lines; SHORTY_LOG_LEVEL=silent writes none', async () => {
    const loud = await serve({ ...newSettings(), SHORTY_ACCESS_LOG: 'json' });
    await fetch(`${loud.origin}/health/live`);
    loud.child.kill('SIGTERM');
    const { stdout, stderr } = await loud.ended;
    const lines = stderr.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ method: 'GET', path: '/health/live', status: 200 }),
    );
    expect(stdout).toMatch(
      /^\{"time":\d+,"msg":"access",.*"address":"127.0.0.0",.*"path":"\/health\/live","status":200,/m,
    );
    const silent = run({ ...newSettings(), SHORTY_LOG_LEVEL: 'silent' });
    await silent.until(/listening/);
    silent.child.kill('SIGTERM');
    expect((await silent.ended).stderr).toBe('');
  });
});
