import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import SqliteHandle from 'better-sqlite3';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { build } from '../../../../scripts/bootstrap.mjs';
import { toLine } from '../../src/analytics/journal/journal-lines.js';
import { makeVisit } from '../analytics/visit-store.js';
import { migrationNames } from '../storage/migration-names.js';
import { call, command, newDatabase, newSettings, serve, tokenOf } from './server-process.js';

beforeAll(build, 120_000);

const created = (text: string) =>
  JSON.parse(text) as { organizationId: string; clientId: string; clientSecret: string };

describe('orgs', () => {
  it('create adds an organization and its first client, which list shows', async () => {
    const settings = await newDatabase();
    const made = await command(settings, 'orgs', 'create', '--name', 'Acme Ltd', '--plan', 'scale');
    expect(made).toMatchObject({ code: 0, stderr: '' });
    expect(made.stdout).toMatch(/^Organization {3}[0-9a-f-]{36}\nClient id {6}shorty_ci_/);
    expect(made.stdout).toMatch(/\nClient secret {2}shorty_cs_[\w-]{43} {3}\(shown only now\)\n$/);
    const listed = await command(settings, 'orgs', 'list');
    expect(listed).toMatchObject({ code: 0, stderr: '' });
    expect(listed.stdout).toMatch(/^[0-9a-f-]{36} {2}scale +0 links {2}Acme Ltd\n$/);
    expect(listed.stdout).not.toContain('shorty_c');
  });

  it('print JSON with --json', async () => {
    const settings = await newDatabase();
    const args = ['orgs', 'create', '--name', 'A "quoted" name', '--plan', 'free', '--json'];
    const { stdout } = await command(settings, ...args);
    expect(Object.keys(created(stdout))).toEqual(['organizationId', 'clientId', 'clientSecret']);
    const list = JSON.parse((await command(settings, 'orgs', 'list', '--json')).stdout);
    expect(list).toEqual([
      {
        id: created(stdout).organizationId,
        name: 'A "quoted" name',
        plan: 'free',
        activeUrls: 0,
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        suspendedAt: null,
        deletedAt: null,
      },
    ]);
  });
});

it('commands that change organizations and clients are in the audit log, without secrets', async () => {
  const settings = await newDatabase();
  const args = ['orgs', 'create', '--name', 'Acme', '--plan', 'free', '--json'];
  const { organizationId, clientSecret } = created((await command(settings, ...args)).stdout);
  const org = ['--org', organizationId];
  await command(settings, 'orgs', 'rename', ...org, '--name', 'Other');
  await command(settings, 'orgs', 'plan', ...org, '--plan', 'scale');
  await command(settings, 'orgs', 'suspend', ...org);
  const { stdout } = await command(settings, 'clients', 'create', ...org, '--json');
  const client = JSON.parse(stdout);
  await command(settings, 'clients', 'revoke', client.clientId);
  const refused = await command(settings, 'clients', 'revoke', client.clientId);
  expect(refused.code).toBe(1);
  await command(settings, 'orgs', 'list');
  const handle = new SqliteHandle(String(settings.SHORTY_DATABASE_URL).replace(/^file:/, ''));
  onTestFinished(() => {
    handle.close();
  });
  const rows = handle.prepare('select * from audit_log order by created_at, id').all();
  const common = { actor_type: 'shell', actor_id: null, address: null, item_count: 1 };
  const of = (operation: string, type: string, id: string, fields: string | null = null) =>
    expect.objectContaining({
      ...common,
      organization_id: organizationId,
      operation,
      resource_type: type,
      resource_id: id,
      fields,
    });
  expect(rows).toEqual([
    of('createOrganization', 'organization', organizationId),
    of('updateOrganization', 'organization', organizationId, 'name'),
    of('updateOrganization', 'organization', organizationId, 'plan'),
    of('updateOrganization', 'organization', organizationId, 'isSuspended'),
    of('createClient', 'client', client.clientId),
    of('revokeClient', 'client', client.clientId),
  ]);
  expect(JSON.stringify(rows)).not.toContain(clientSecret);
  expect(JSON.stringify(rows)).not.toContain(client.clientSecret);
});

describe('orgs plan', () => {
  const newOrganization = async (settings: Record<string, string>, plan: string) => {
    const args = ['orgs', 'create', '--name', 'Acme', '--plan', plan, '--json'];
    return created((await command(settings, ...args)).stdout);
  };

  it('changes the plan at once beside a running server', async () => {
    const settings = newSettings();
    const { origin } = await serve(settings);
    const organization = await newOrganization(settings, 'free');
    const token = await tokenOf(origin, organization);
    const link = { targetUrl: 'https://example.com/' };
    const urls = Array.from({ length: 60 }, () => link);
    expect(await call(origin, token, '/urls/bulk', { urls })).toMatchObject({
      data: { createdCount: 50, failedCount: 10 },
    });
    expect((await call(origin, token, '/urls', link)).status).toBe(402);

    const change = (plan: string) =>
      command(settings, 'orgs', 'plan', '--org', organization.organizationId, '--plan', plan);
    expect(await change('developer')).toMatchObject({
      code: 0,
      stdout: 'Acme has the plan developer now; it was free.\n',
      stderr: '',
    });
    expect((await call(origin, token, '/urls', link)).status).toBe(201);

    const back = await change('free');
    expect(back.stdout).toBe(
      'Acme has the plan free now; it was developer.\n' +
        'It has 51 active links, 1 more than the plan includes: they continue to work, but no link can be added.\n',
    );
    expect((await call(origin, token, '/urls', link)).status).toBe(402);
    expect((await call(origin, token, '/usage')).data).toMatchObject({
      plan: 'free',
      links: { used: 51, included: 50 },
    });
  });
});

describe('beside a running server', () => {
  it('a suspended organization is refused at once, and its links within a second', async () => {
    const settings = newSettings();
    const { origin } = await serve(settings);
    const args = ['orgs', 'create', '--name', 'Acme', '--plan', 'free', '--json'];
    const organization = created((await command(settings, ...args)).stdout);
    const token = await tokenOf(origin, organization);
    const made = await call(origin, token, '/urls', { targetUrl: 'https://example.com/' });
    const { shortCode } = made.data as { shortCode: string };
    const visit = async () =>
      (await fetch(`${origin}/${shortCode}`, { redirect: 'manual' })).status;
    expect(await visit()).toBe(307);
    const qr = await call(origin, token, '/qr', { data: 'a text' });
    const { downloadUrl } = qr.data as { downloadUrl: string };
    const download = async () => (await fetch(origin + downloadUrl)).status;
    expect(await download()).toBe(200);
    const org = ['--org', organization.organizationId];
    const suspended = await command(settings, 'orgs', 'suspend', ...org);
    expect(suspended).toMatchObject({ code: 0, stdout: 'Acme is suspended now.\n' });
    expect((await call(origin, token, '/urls')).status).toBe(403);
    await expect.poll(visit, { timeout: 1_500 }).toBe(410);
    await expect.poll(download, { timeout: 1_500 }).toBe(410);
    expect((await command(settings, 'orgs', 'list')).stdout).toMatch(/ Acme {2}\(suspended .*\)\n/);
    const again = await command(settings, 'orgs', 'suspend', ...org);
    expect(again.stdout).toBe('Acme is already suspended.\n');
    await command(settings, 'orgs', 'resume', ...org);
    expect((await call(origin, token, '/urls')).status).toBe(200);
    await expect.poll(visit, { timeout: 1_500 }).toBe(307);
    await expect.poll(download, { timeout: 1_500 }).toBe(200);
  });

  it('orgs rename and clients list', async () => {
    const settings = await newDatabase();
    const args = ['orgs', 'create', '--name', 'Acme', '--plan', 'free', '--json'];
    const { organizationId, clientId } = created((await command(settings, ...args)).stdout);
    const org = ['--org', organizationId];
    const renamed = await command(settings, 'orgs', 'rename', ...org, '--name', 'Other');
    expect(renamed.stdout).toBe('Acme has the name Other now.\n');
    await command(settings, 'clients', 'create', ...org, '--name', 'CI', '--scopes', 'urls:read');
    const listed = await command(settings, 'clients', 'list', ...org);
    expect(listed.stdout).toMatch(/^shorty_ci_\S+ {2}expires never {2}CI {2}urls:read\n/);
    expect(listed.stdout).toContain(`${clientId}  expires never  -  urls:read`);
    const unknown = await command(settings, 'orgs', 'suspend', '--org', 'nobody');
    expect([unknown.code, unknown.stderr]).toEqual([
      1,
      'shorty-server: there is no organization nobody: see shorty-server orgs list\n',
    ]);
  });

  it('new organizations and clients work at once, and revoked clients fail at once', async () => {
    const settings = newSettings();
    const { origin } = await serve(settings);
    const args = ['orgs', 'create', '--name', 'Acme', '--plan', 'free', '--json'];
    const organization = created((await command(settings, ...args)).stdout);
    const token = await tokenOf(origin, organization);
    expect(await call(origin, token, '/usage')).toMatchObject({ data: { plan: 'free' } });

    const org = ['--org', organization.organizationId, '--json'];
    const reader = created(
      (await command(settings, 'clients', 'create', ...org, '--scopes', 'urls:read')).stdout,
    );
    const readerToken = await tokenOf(origin, reader);
    expect((await call(origin, readerToken, '/urls')).status).toBe(200);
    const link = { targetUrl: 'https://example.com/' };
    expect((await call(origin, readerToken, '/urls', link)).status).toBe(403);

    const revoked = await command(settings, 'clients', 'revoke', reader.clientId);
    expect(revoked).toMatchObject({ code: 0, stderr: '' });
    expect((await call(origin, readerToken, '/urls')).status).toBe(401);
    expect(await tokenOf(origin, reader)).toBe(401);
    expect((await call(origin, token, '/urls')).status).toBe(200);
  });

  it('a client that is created without --scopes has all scopes but urls:erase and keys:write', async () => {
    const settings = newSettings();
    const { origin } = await serve(settings);
    const args = ['orgs', 'create', '--name', 'Acme', '--plan', 'free', '--json'];
    const { organizationId } = created((await command(settings, ...args)).stdout);
    const { stdout } = await command(settings, 'clients', 'create', '--org', organizationId);
    const [, clientId = '', clientSecret = ''] =
      /^Client id {6}(\S+)\nClient secret {2}(\S+) {3}\(shown only now\)\n$/.exec(stdout) ?? [];
    const token = await tokenOf(origin, { clientId, clientSecret });
    const link = { targetUrl: 'https://example.com/' };
    expect((await call(origin, token, '/urls', link)).status).toBe(201);
    expect((await call(origin, token, '/api-keys')).status).toBe(403);
    const scopes = ['--scopes', 'keys:write urls:read', '--json'];
    const granted = await command(
      settings,
      'clients',
      'create',
      '--org',
      organizationId,
      ...scopes,
    );
    const keyCreatorToken = await tokenOf(origin, JSON.parse(granted.stdout));
    expect((await call(origin, keyCreatorToken, '/api-keys', { name: 'deploy' })).status).toBe(201);
  });
});

describe('migrate', () => {
  it('prints the migrations that it applied, and none the second time', async () => {
    const settings = newSettings();
    expect(await command(settings, 'migrate')).toMatchObject({
      code: 0,
      stdout: migrationNames.map((name) => `Applied ${name}.\n`).join(''),
    });
    expect(await command(settings, 'migrate')).toMatchObject({
      code: 0,
      stdout: 'The database is up to date.\n',
    });
  });

  it('works when five start at once on a fresh database', async () => {
    const settings = newSettings();
    const ends = await Promise.all(Array.from({ length: 5 }, () => command(settings, 'migrate')));
    expect(ends.map(({ code, stderr }) => `${code}${stderr}`)).toEqual(Array(5).fill('0'));
    expect(ends.filter(({ stdout }) => stdout.startsWith('Applied'))).toHaveLength(1);
  });
});

describe('an error is one line, with exit code 1', () => {
  it.each([
    ['an unknown organization', ['clients', 'create', '--org', 'nobody'], /no organization nobody/],
    [
      'an unknown organization for a plan',
      ['orgs', 'plan', '--org', 'nobody', '--plan', 'free'],
      /no organization nobody/,
    ],
    ['an unknown client', ['clients', 'revoke', 'nobody'], /no active client nobody/],
    [
      'an unknown scope',
      ['clients', 'create', '--org', 'x', '--scopes', 'urls:read urls:eat'],
      /urls:eat.*urls:write/,
    ],
    [
      'an unknown plan',
      ['orgs', 'create', '--name', 'x', '--plan', 'gold'],
      /gold.*free, developer/s,
    ],
    ['an empty name', ['orgs', 'create', '--name', ' ', '--plan', 'free'], /--name/],
    ['an unknown command', ['dance'], /dance|too many arguments/],
  ])('%s', async (_, args, message) => {
    const { code, stdout, stderr } = await command(await newDatabase(), ...args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain('    at ');
  });
});

describe('journal', () => {
  it('a damaged line is set aside and reported, and all others are counted', async () => {
    const settings = await newDatabase();
    const args = ['orgs', 'create', '--name', 'A', '--plan', 'free', '--json'];
    const made = await command(settings, ...args);
    const first = await serve(settings);
    const token = await tokenOf(first.origin, created(made.stdout));
    const link = await call(first.origin, token, '/urls', { targetUrl: 'https://example.com/' });
    first.child.kill('SIGTERM');
    expect((await first.ended).code).toBe(0);

    const journals = `${settings.SHORTY_DATABASE_URL?.slice('file:'.length)}.visits`;
    const folder = join(journals, 'of-a-killed-process');
    mkdirSync(folder, { recursive: true });
    const line = toLine(makeVisit({ urlId: Number(link.data.id), visitedAt: Date.now() }));
    writeFileSync(join(folder, '0000000001.log'), `${line}${line.replace('DE', 'DF')}${line}`);

    const { origin } = await serve(settings);
    const ready = async () => (await fetch(`${origin}/health/ready`)).json();
    await expect
      .poll(ready, { message: 'the journal is stored', timeout: 10_000 })
      .toEqual({ status: 'ok', damagedLines: 1 });
    const metrics = await (await fetch(`${origin}/metrics`)).text();
    expect(metrics).toMatch(/^shorty_journal_damaged_lines 1$/m);
    const file = join(journals, 'damaged-lines.ndjson');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      reason: 'damaged',
      bytes: expect.stringContaining('"country":"DF"'),
    });
    rmSync(file);
    expect(await ready()).toEqual({ status: 'ok', damagedLines: 0 });
    expect((await command(settings, 'doctor', '--check')).stdout).toMatch(/^2 clicks /m);
  });
});
