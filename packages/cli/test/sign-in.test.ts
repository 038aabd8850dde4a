import { expect, test, vi } from 'vitest';
import type { BuiltShorty } from './built-shorty.js';
import { startSignedInShorty } from './signed-in-shorty.js';

const { server, shorty: built } = await startSignedInShorty();

async function signedIn(): Promise<BuiltShorty> {
  const shorty = await built.withHome({});
  const { clientId, clientSecret, url } = server;
  const args = ['login', '--base-url', url, '--client-id', clientId];
  await shorty.exits(0, `signed in to ${url}`, args, { input: ` ${clientSecret} \r\nmore\n` });
  return shorty;
}

// config-file.test.ts has the modes of the file.
test('login reads the secret from the first line of stdin and stores it', async () => {
  const shorty = await signedIn();
  expect(JSON.parse(await shorty.read('.config/shorty/config.json'))).toEqual({
    profiles: {
      default: {
        baseUrl: server.url,
        clientId: server.clientId,
        clientSecret: server.clientSecret,
      },
    },
  });
});

test('a wrong secret exits with 4 and is not stored', async () => {
  const shorty = await built.withHome({});
  const args = ['login', '--base-url', server.url, '--client-id', server.clientId];
  const { code, stdout, stderr } = await shorty.run(args, { input: 'wrong-secret-5471' });
  expect([code, stdout]).toEqual([4, '']);
  expect(stderr).toContain(
    `nothing was stored: copy it again, and check that it is of ${server.url}`,
  );
  const env = { SHORTY_API_KEY: 'shorty_ak_x' };
  await shorty.exits(4, 'correct SHORTY_API_KEY, or unset it', ['login', server.url], { env });
  expect(stderr).not.toContain('wrong-secret-5471');
  expect(JSON.parse((await shorty.run('config list --json')).stdout)).toEqual({ items: [] });
});

test('refused credentials of a profile are replaced by a login', async () => {
  const shorty = await signedIn();
  const path = '.config/shorty/config.json';
  const config = await shorty.read(path);
  await shorty.write(path, config.replace(server.clientSecret, 'shorty_cs_revoked'));
  const hint = 'come from profile default: shorty login --profile default stores others';
  for (const words of [['whoami'], ['urls', 'list']]) await shorty.exits(4, hint, words);
});

test('login has the time limit of --timeout', async () => {
  const shorty = await built.withHome({ SHORTY_API_KEY: 'shorty_ak_x' });
  const fetch = () => new Promise<Response>(() => {});
  const args = ['login', server.url, '--timeout', '0.2'];
  await shorty.exits(1, 'was not answered within', args, { fetch });
}, 20_000);

test.each([
  [['login', '--client-id', 'someone'], 'no secret of someone'],
  [['login'], 'no API key'],
])('%j without a client id or a secret is a usage error', async (args, message) => {
  const shorty = await built.withHome({ SHORTY_BASE_URL: server.url });
  await shorty.exits(2, message, args);
});

test('whoami prints the source of every setting, and never the secret', async () => {
  const shorty = await signedIn();
  const table = await shorty.run('whoami');
  expect(table.code).toBe(0);
  expect(table.stdout).toMatch(new RegExp(`^baseUrl +${server.url}$`, 'm'));
  expect(table.stdout).toMatch(/^sources\.baseUrl +profile default$/m);
  expect(table.stdout).toMatch(/^sources\.clientSecret +profile default$/m);
  expect(table.stdout).toMatch(/^scopes +urls:read\|urls:write\|/m);
  expect(table.stdout).toMatch(/^plan +enterprise\nlinks\.used +0$/m);
  const json = await shorty.run('whoami --json');
  expect(JSON.parse(json.stdout)).toMatchObject({
    profile: 'default',
    clientId: server.clientId,
    links: { used: 0, included: null },
  });
  expect(table.stdout + json.stdout).not.toContain(server.clientSecret);
});

test('a stored secret is sent to its own server only', async () => {
  const shorty = await signedIn();
  const fetch = vi.fn<typeof globalThis.fetch>();
  const foreignUrl = 'https://foreign.example';
  for (const [args, env] of [
    [[], { SHORTY_BASE_URL: foreignUrl }],
    [['--base-url', foreignUrl], {}],
    [['--base-url', `${server.url}/path`], {}],
  ] as const) {
    for (const words of [['urls', 'list'], ['whoami']]) {
      const message = `the secret of profile default belongs to ${server.url}`;
      await shorty.exits(4, message, [...words, ...args], { env, fetch });
    }
  }
  expect(fetch).not.toHaveBeenCalled();
  await shorty.exits(0, '', `whoami --base-url ${server.url}/`);
});

test('login with another profile changes no default, and an unknown profile is named', async () => {
  const shorty = await signedIn();
  const { clientId, clientSecret, url } = server;
  const next = 'use it with --profile staging, or always: shorty config set profile staging\n';
  const login = `login --profile staging --base-url ${url} --client-id ${clientId}`;
  await shorty.exits(0, next, login, { input: clientSecret });
  expect(JSON.parse(await shorty.read('.config/shorty/config.json'))).not.toHaveProperty('profile');
  const message =
    'the profile stagign (flag --profile) does not exist\n  existing profiles: default, staging\n';
  await shorty.exits(2, message, 'urls list --profile stagign');
});

test.each([
  ['a user without credentials', {}, 'you are not signed in'],
  ['a client without its secret', { SHORTY_CLIENT_ID: 'x' }, 'no secret is set for client x'],
  [
    'a token that is none',
    { SHORTY_ACCESS_TOKEN: 'nope-8812' },
    'come from SHORTY_ACCESS_TOKEN: correct it, or unset it and use shorty login',
  ],
])('%s exits with 4', async (_, env, message) => {
  const shorty = await built.withHome({ SHORTY_BASE_URL: server.url });
  const { code, stdout, stderr } = await shorty.run('urls list', { env });
  expect([code, stdout, stderr]).toEqual([4, '', expect.stringContaining(message)]);
  expect(stderr).not.toContain('nope-8812');
});

test('profiles are separate', async () => {
  const shorty = await signedIn();
  await shorty.exits(0, '', 'config set baseUrl https://links.example.com/ --profile work');
  const list = await shorty.run('config list -o csv');
  expect(list.stdout).toBe(
    [
      'profile,key,value',
      `default,baseUrl,${server.url}`,
      `default,clientId,${server.clientId}`,
      'default,clientSecret,(kept secret)',
      'work,baseUrl,https://links.example.com',
      '',
    ].join('\n'),
  );
  await shorty.run('config set profile work');
  const get = await shorty.run('config get baseUrl');
  expect(get.stdout).toBe('https://links.example.com\n');
  const other = await shorty.run('config get baseUrl --profile default');
  expect(other.stdout).toBe(`${server.url}\n`);
  await shorty.run('config unset profile');
  expect((await shorty.run('whoami')).code).toBe(0);
});

test('another base URL of a profile does not get its secret', async () => {
  const shorty = await signedIn();
  const message = `the secret of profile default belongs to ${server.url}`;
  for (const change of ['set baseUrl https://links.example.com', 'unset baseUrl']) {
    await shorty.exits(2, message, `config ${change}`);
  }
  expect((await shorty.run(`config set baseUrl ${server.url}/`)).code).toBe(0);
  await shorty.run('logout');
  expect((await shorty.run('config unset baseUrl')).code).toBe(0);
});

test('logout removes the credentials and names variables that are still set', async () => {
  const shorty = await signedIn();
  const env = { SHORTY_ACCESS_TOKEN: 'secret-token-77' };
  const stillSet = 'SHORTY_ACCESS_TOKEN is still set in the environment';
  const { stderr } = await shorty.exits(0, stillSet, 'logout', { env });
  expect(stderr).not.toContain('secret-token-77');
  expect(await shorty.read('.config/shorty/config.json')).not.toContain(server.clientSecret);
  expect((await shorty.run('urls list')).code).toBe(4);
});
