import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import SqliteHandle from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { scopes as allScopes } from '../../src/contract/define-route.js';
import { migrationNames } from '../storage/migration-names.js';
import {
  call,
  command,
  newDatabase,
  newSettings,
  pathOf,
  type Settings,
  serve,
  tokenOf,
} from './server-process.js';

interface Created {
  readonly organizationId: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

const created = (text: string) => JSON.parse(text) as Created;
const target = { targetUrl: 'https://example.com/' };

async function createOrganization(settings: Settings, name = 'Acme'): Promise<Created> {
  const args = ['--name', name, '--plan', 'free', '--json'];
  return created((await command(settings, 'orgs', 'create', ...args)).stdout);
}

it('orgs create and list print organizations, and secrets once', async () => {
  const settings = await newDatabase();
  const made = await command(settings, 'orgs', 'create', '--name', 'Acme Ltd', '--plan', 'scale');
  expect(made).toMatchObject({ code: 0, stderr: '' });
  expect(made.stdout).toMatch(/^Organization {3}[0-9a-f-]{36}\nClient id {6}shorty_ci_/);
  expect(made.stdout).toMatch(/\nClient secret {2}shorty_cs_[\w-]{43} {3}\(shown only now\)\n$/);
  const listed = await command(settings, 'orgs', 'list');
  expect(listed).toMatchObject({ code: 0, stderr: '' });
  expect(listed.stdout).toMatch(
    /^ID {36}PLAN +ACTIVE LINKS +SUSPENDED +NAME\n[0-9a-f-]{36} {2}scale +0 +- +Acme Ltd\n$/,
  );
  const second = await createOrganization(settings, 'A "quoted" name');
  expect(Object.keys(second)).toEqual(['organizationId', 'clientId', 'clientSecret']);
  const list = JSON.parse((await command(settings, 'orgs', 'list', '--json')).stdout);
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
  const org = ['--org', organizationId];
  const named = ['--org', 'Acme', '--name', 'CI'];
  const { stdout } = await command(settings, 'clients', 'create', ...named, '--json');
  const client = JSON.parse(stdout);
  await command(settings, 'clients', 'revoke', 'CI');
  const refused = await command(settings, 'clients', 'revoke', client.clientId);
  expect(refused.code).toBe(1);
  const listed = await command(settings, 'clients', 'list', ...org);
  expect(listed.stdout).toMatch(
    new RegExp(`^ID +EXPIRES +REVOKED +NAME +SCOPES\n(.*\n)*${clientId} +never +- +- +urls:read `),
  );
  const { stdout: first } = await command(settings, 'clients', 'list', ...org, '--json');
  const { scopes: ofFirst } = JSON.parse(first).find(({ id }: { id: string }) => id === clientId);
  expect(ofFirst).toEqual(allScopes.filter((scope) => scope !== 'urls:erase'));
  const handle = new SqliteHandle(pathOf(settings));
  onTestFinished(() => {
    handle.close();
  });
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

describe('beside a running server', () => {
  it('orgs delete ends the API at once, and links within a second', async () => {
    const settings = newSettings();
    const { origin } = await serve(settings);
    const organization = await createOrganization(settings);
    const token = await tokenOf(origin, organization);
    const { data } = await call(origin, token, '/urls', target);
    const visit = async () =>
      (await fetch(`${origin}/${data.shortCode}`, { redirect: 'manual' })).status;
    expect(await visit()).toBe(307);
    const args = ['--org', organization.organizationId, '--confirm', 'Acme'];
    expect((await command(settings, 'orgs', 'delete', ...args)).code).toBe(0);
    expect((await call(origin, token, '/urls')).status).toBe(401);
    await expect.poll(visit, { timeout: 1_500 }).toBe(404);
  });
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
      ['clients', 'list', '--org', 'Twin'],
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
    const { code, stdout, stderr } = await command(settings, ...args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain('    at ');
  });
});
