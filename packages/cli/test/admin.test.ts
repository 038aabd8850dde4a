import { describe, expect, onTestFinished, test } from 'vitest';
import { startApiServer } from './api-server.js';
import { expectEnd } from './built-shorty.js';
import { startSignedInShorty } from './signed-in-shorty.js';

const operatorKey = 'operator-key-of-the-tests-0123456789';

const { server, shorty } = await startSignedInShorty({ operatorKey });

const env = { SHORTY_OPERATOR_KEY: operatorKey };

/** Runs `shorty admin` with the operator key, and returns the record that it prints. */
const admin = (...args: string[]) => shorty.json(['admin', ...args], { env });

async function createOrganization(name: string) {
  return admin('orgs', 'create', name, '--plan', 'scale');
}

/** Runs a command with other credentials. */
function as({ clientId, clientSecret }: Record<string, string>, ...args: string[]) {
  const credentials = {
    SHORTY_CLIENT_ID: clientId as string,
    SHORTY_CLIENT_SECRET: clientSecret as string,
  };
  return shorty.run(args, { env: credentials });
}

describe('shorty admin orgs', () => {
  test('create shows the secret of a client, which signs in', async () => {
    const made = await createOrganization('Acme');
    expect(made).toMatchObject({ name: 'Acme', plan: 'scale', activeUrls: 0, suspendedAt: null });
    expect((await as(made, 'urls', 'create', 'https://example.com')).code).toBe(0);
    const table = await shorty.run('admin orgs create B --plan free', { env });
    expect(table.stderr).toBe('store the client secret now, it is shown only once\n');
  });

  test('list, get and update', async () => {
    const { id } = await createOrganization('Before');
    const list = await admin('orgs', 'list', '--all');
    expect(list.items.map((each: { id: string }) => each.id)).toContain(id);
    const page = await shorty.run('admin orgs list --limit 1', { env });
    expect(page.stderr).toMatch(/^1 to 1 of \d+; --offset 1 shows more\n$/);
    const changed = await admin('orgs', 'update', id, '--name', 'After', '--plan', 'free');
    expect(changed).toMatchObject({ id, name: 'After', plan: 'free' });
    expect(await admin('orgs', 'get', id)).toEqual(changed);
    await shorty.exits(2, 'nothing to change', `admin orgs update ${id}`, { env });
  });

  test('a suspended organization is told so until it is resumed', async () => {
    const made = await createOrganization('Suspended');
    await admin('orgs', 'suspend', made.id);
    const refused = await as(made, 'urls', 'list');
    expectEnd(refused, 4, 'The operator of this server suspended the organization');
    await admin('orgs', 'resume', made.id);
    expect((await as(made, 'urls', 'list')).code).toBe(0);
  });
});

test('shorty admin orgs delete needs the id or the name again', async () => {
  const made = await createOrganization('Deleted');
  const wrong = ['admin', 'orgs', 'delete', made.id, '--confirm', 'deleted'];
  await shorty.exits(1, 'confirm is "deleted", but must be the id or the name', wrong, { env });
  expect((await as(made, 'urls', 'list')).code).toBe(0);
  const deletion = await admin('orgs', 'delete', made.id, '--confirm', 'Deleted');
  expect(deletion).toEqual({ id: made.id, deletedAt: expect.any(String) });
  expect((await as(made, 'urls', 'list')).code).toBe(4);
});

test('shorty admin clients and keys create and revoke', async () => {
  const { id } = await createOrganization('Clients');
  const scopes = ['--scopes', 'keys:write urls:read'];
  const client = await admin('clients', 'create', id, '--name', 'CI', ...scopes);
  expect(client).toMatchObject({ name: 'CI', scopes: ['keys:write', 'urls:read'] });
  const credentials = { clientId: client.id, clientSecret: client.clientSecret };
  const key = JSON.parse((await as(credentials, 'keys', 'create', 'x', '--json')).stdout);
  const listed = await admin('keys', 'list', id);
  expect(listed.items).toMatchObject([{ id: key.id, name: 'x' }]);
  await admin('keys', 'revoke', id, key.id);
  expect((await admin('keys', 'list', id)).items).toEqual([]);
  const revoked = await admin('clients', 'revoke', id, client.id);
  expect(revoked.revokedAt).not.toBeNull();
  expect((await as(credentials, 'urls', 'list')).code).toBe(4);
  const csv = await shorty.run(`admin clients list ${id} -o csv`, { env });
  expect(csv.stdout).toContain(`${client.id},CI,`);
  expect(csv.stdout).not.toContain(client.clientSecret);
});

test('shorty admin takes a link down, and blocks the host that it leads to', async () => {
  const url = await server.client.urls.create({ targetUrl: 'https://www.evil.example/' });
  const taken = await admin('takedowns', 'create', url.shortUrl, '--reason', 'phishing');
  expect(taken).toMatchObject({ id: url.id, reason: 'phishing' });
  expect((await admin('takedowns', 'list')).items).toEqual([taken]);
  expect((await shorty.run('urls list')).stdout).toContain('(taken down)');
  const shown = await shorty.run(['urls', 'get', url.id]);
  expect(shown.stdout).toMatch(/^takenDown\.reason +phishing/m);
  expect(await admin('takedowns', 'undo', url.id)).toEqual(taken);
  expect((await admin('takedowns', 'list')).items).toEqual([]);

  const blocked = await admin('hosts', 'block', 'evil.example', '--reason', 'phishing');
  await shorty.exits(1, 'must not lead to evil.example', 'urls create https://evil.example');
  expect((await admin('hosts', 'list')).items).toEqual([blocked]);
  await admin('hosts', 'unblock', 'evil.example');
  expect((await admin('hosts', 'list')).items).toEqual([]);
});

test('shorty admin audit lists who changed what, by organization, time, actor and operation', async () => {
  const made = await createOrganization('Audited');
  const other = await createOrganization('Other');
  const url = JSON.parse((await as(made, 'urls', 'create', 'https://a.example', '--json')).stdout);
  const { items, nextAfter } = await admin('audit', '--organization', made.id);
  expect(nextAfter).toBeNull();
  expect(items).toMatchObject([
    {
      actor: { type: 'client', id: made.clientId },
      operation: 'createUrl',
      resource: { type: 'url', id: url.id },
      count: 1,
      address: expect.stringMatching(/^127\.0\.0\.1$|^::1$/),
    },
    { actor: { type: 'operator', id: null }, operation: 'createOrganization' },
  ]);
  const operations = async (...filter: string[]) => {
    const list = await admin('audit', '--all', ...filter);
    return list.items.map((entry: { operation: string }) => entry.operation);
  };
  const own = ['--organization', made.id];
  expect(await operations(...own, '--actor', made.clientId)).toEqual(['createUrl']);
  expect(await operations(...own, '--actor', 'operator')).toEqual(['createOrganization']);
  expect(await operations(...own, '--operation', 'createUrl')).toEqual(['createUrl']);
  expect(await operations('--resource', url.id)).toContain('createUrl');
  expect(await operations(...own, '--since', '2999-01-01')).toEqual([]);
  expect(await operations(...own, '--until', '2000-01-01')).toEqual([]);
  expect(await operations('--organization', other.id)).toEqual(['createOrganization']);
  const table = await shorty.run(['admin', 'audit', '--organization', other.id], { env });
  expect(table.stdout).toMatch(/operator +(127\.0\.0\.1|::1) +createOrganization +organization /);
});

describe('the operator key', () => {
  test('is shown by whoami, also where it is the only sign-in', async () => {
    const both = await shorty.run('whoami', { env });
    expect(both).toMatchObject({ code: 0 });
    expect(both.stdout).toMatch(/^sources\.operatorKey +SHORTY_OPERATOR_KEY$/m);
    expect(both.stdout).not.toContain(operatorKey);
    const signedOut = { SHORTY_CLIENT_ID: '', SHORTY_CLIENT_SECRET: '', SHORTY_API_KEY: '' };
    const alone = { ...env, ...signedOut, SHORTY_BASE_URL: 'http://127.0.0.1:9' };
    const only = await shorty.run('whoami --json', { env: alone });
    expect(only).toMatchObject({ code: 0 });
    expect(JSON.parse(only.stdout)).toMatchObject({ organization: null, hasOperatorKey: true });
  });

  test('that is missing or wrong exits with 4', async () => {
    await shorty.exits(4, 'set SHORTY_OPERATOR_KEY', 'admin orgs list');
    const wrong = { env: { SHORTY_OPERATOR_KEY: `${operatorKey}x` } };
    const message = 'The operator key is wrong\n  check SHORTY_OPERATOR_KEY\n';
    await shorty.exits(4, message, 'admin orgs list', wrong);
  });

  test('is not sent anywhere for a profile that does not exist', async () => {
    const message = 'the profile stagign (flag --profile) does not exist';
    await shorty.exits(2, message, 'admin orgs list --profile stagign', { env });
  });

  test('that the server does not have is an error that names the guide', async () => {
    const other = await startApiServer();
    onTestFinished(() => other.stop());
    const args = ['admin', 'orgs', 'list', '--base-url', other.url];
    await shorty.exits(1, '\n  the server has no operator key, ', args, { env });
  });
});
