import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import SqliteHandle from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { scopes as allScopes } from '../../src/contract/define-route.js';
import { migrationNames } from '../storage/migration-names.js';
import {
  command,
  newDatabase,
  newSettings,
  pathOf,
  refusalOf,
  type Settings,
  serve,
  stop,
  succeed,
} from './server-process.js';

async function createOrganization(settings: Settings, name = 'Acme') {
  const args = ['--name', name, '--plan', 'free', '--json'];
  return JSON.parse(await succeed(settings, 'orgs', 'create', ...args));
}

it('orgs create and list print organizations, and secrets once', async () => {
  const settings = await newDatabase();
  const made = await succeed(settings, 'orgs', 'create', '--name', 'Acme Ltd', '--plan', 'scale');
  expect(made).toMatch(/^Organization {3}[0-9a-f-]{36}\nClient id {6}shorty_ci_/);
  expect(made).toMatch(/\nClient secret {2}shorty_cs_[\w-]{43} {3}\(shown only now\)\n$/);
  expect(await succeed(settings, 'orgs', 'list')).toMatch(
    /^ID {36}PLAN +ACTIVE LINKS +SUSPENDED +NAME\n[0-9a-f-]{36} {2}scale +0 +- +Acme Ltd\n$/,
  );
  const second = await createOrganization(settings, 'A "quoted" name');
  expect(Object.keys(second)).toEqual(['organizationId', 'clientId', 'clientSecret']);
  const list = JSON.parse(await succeed(settings, 'orgs', 'list', '--json'));
  expect(list).toContainEqual({
    id: second.organizationId,
    name: 'A "quoted" name',
    plan: 'free',
    activeUrls: 0,
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    suspendedAt: null,
    deletedAt: null,
  });
});

it('commands that change organizations and clients are in the audit log, without secrets', async () => {
  const settings = await newDatabase();
  const { organizationId, clientId, clientSecret } = await createOrganization(settings);
  const named = ['--org', 'Acme', '--name', 'CI'];
  const client = JSON.parse(await succeed(settings, 'clients', 'create', ...named, '--json'));
  await succeed(settings, 'clients', 'revoke', 'CI');
  await refusalOf(settings, 'clients', 'revoke', client.clientId);
  const handle = new SqliteHandle(pathOf(settings));
  onTestFinished(() => {
    handle.close();
  });
  const first = handle.prepare('select scopes from clients where id = ?').pluck().get(clientId);
  const others = allScopes.filter((scope) => scope !== 'urls:erase');
  expect(String(first).split(' ')).toEqual(others);
  const rows = handle.prepare('select * from audit_log order by created_at, id').all();
  const common = { actor_type: 'shell', actor_id: null, address: null, item_count: 1 };
  const of = (operation: string, type: string, id: string) =>
    expect.objectContaining({
      ...common,
      organization_id: organizationId,
      operation,
      resource_type: type,
      resource_id: id,
      fields: null,
    });
  expect(rows).toEqual([
    of('createOrganization', 'organization', organizationId),
    of('createClient', 'client', client.clientId),
    of('revokeClient', 'client', client.clientId),
  ]);
  expect(JSON.stringify(rows)).not.toContain(clientSecret);
  expect(JSON.stringify(rows)).not.toContain(client.clientSecret);
});

it('migrate prints what it applied once, when three start at once on a fresh database', async () => {
  const settings = newSettings();
  mkdirSync(dirname(pathOf(settings)));
  const ends = await Promise.all([1, 2, 3].map(() => command(settings, 'migrate')));
  expect(ends.map(({ code, stderr }) => `${code}${stderr}`)).toEqual(Array(3).fill('0'));
  expect(ends.map(({ stdout }) => stdout).sort()).toEqual([
    migrationNames.map((name) => `Applied ${name}.\n`).join(''),
    ...Array(2).fill('The database is up to date.\n'),
  ]);
});

describe('an error is one line, with exit code 1', () => {
  it.each([
    ['an unknown organization', ['clients', 'create', '--org', 'nobody'], /no organization nobody/],
    [
      'a name of two organizations',
      ['clients', 'create', '--org', 'Twin'],
      /2 organizations have the name Twin: give the id, of [0-9a-f-]{36}, [0-9a-f-]{36}$/m,
    ],
    ['a misspelt command', ['strat'], /unknown command 'strat'\n\(Did you mean start\?\)/],
    [
      'a move of a path',
      ['migrate', '--from', 'no.db'],
      /--from is no\.db: it must be a file, such as file:/,
    ],
  ])('%s', async (_, args, message) => {
    const settings = await newDatabase();
    if (args.includes('Twin'))
      for (const name of ['Twin', 'Twin']) await createOrganization(settings, name);
    const refusal = await refusalOf(settings, ...args);
    expect(refusal).toMatch(message);
    expect(refusal).not.toContain('    at ');
  });
});

it.each([
  ['the public port', false],
  ['a port of its own', true],
])('shorty-server health sends its request to the configured address: %s', async (_, isOwn) => {
  const admin = (address: string) => (isOwn ? { SHORTY_ADMIN_LISTEN: address } : {});
  const settings = newSettings();
  const server = await serve({ ...settings, ...admin('127.0.0.1:0') });
  await server.until(/"msg":"listening"/);
  const [, adminUrl = ''] = /"adminUrl":"([^"]+)"/.exec(server.output()) ?? [];
  const atPublic = { ...settings, PORT: new URL(server.origin).port };
  const configured = { ...atPublic, ...admin(adminUrl.replace('http://', '')) };
  expect(await succeed(configured, 'health')).toBe('ready\n');
  // With an operator listener, the public port does not serve health.
  expect((await command(atPublic, 'health')).code).toBe(isOwn ? 1 : 0);
  await stop(server);
  expect(await refusalOf(configured, 'health')).toMatch(
    /^shorty-server: no server responds \(connect ECONNREFUSED .*\): start it, .*\n$/,
  );
});

it('users invite, reset and list: a link each, and a line for each person', async () => {
  const settings = { ...(await newDatabase()), SHORTY_BASE_URL: 'https://sho.example' };
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await command(settings, ...args);
    return { code, text: stdout + stderr };
  };
  const { organizationId: org } = await createOrganization(settings);
  const invite = (...args: string[]) => run('users', 'invite', '--org', org, ...args);

  const invited = await invite('--email', 'Ada@Example.com', '--role', 'editor');
  expect(invited.text).toMatch(/^https:\/\/sho\.example\/dashboard\/welcome#shorty_in_[\w-]{43}$/m);
  expect((await invite('--email', 'ada@example.com')).text).toContain(
    'Somebody on this server has the address ada@example.com already',
  );
  expect((await invite('--email', 'ada')).text).toContain('ada: must be an e-mail address');
  // Without an address, the page asks for one.
  expect(JSON.parse((await invite('--json')).text).invitationUrl).toContain('?ask=email#');

  const reset = await run('users', 'reset', 'ada@example.com');
  expect(reset.text).toContain('/dashboard/welcome#');
  expect(reset.text).not.toBe(invited.text);
  expect(await run('users', 'reset', 'eve@example.com')).toMatchObject({
    code: 1,
    text: expect.stringContaining('nobody has the address eve@example.com'),
  });

  const listed = await run('users', 'list');
  expect(listed.text).toMatch(/^ada@example\.com +editor +[0-9a-f-]{36} +never$/m);
  expect(listed.text).toMatch(/^\(invited\) +owner/m);
  expect(JSON.parse((await run('users', 'list', '--org', org, '--json')).text)).toHaveLength(2);
});
