import { describe, expect, test } from 'vitest';
import { expectEnd } from './built-shorty.js';
import { startSignedInShorty } from './signed-in-shorty.js';

const { shorty } = await startSignedInShorty();

const create = (...args: string[]): Promise<{ id: string; key: string }> =>
  shorty.json(['keys', 'create', ...args]);

const withKey = (key: string, ...args: string[]) => {
  const env = { SHORTY_ACCESS_TOKEN: key, SHORTY_CLIENT_ID: '', SHORTY_CLIENT_SECRET: '' };
  return shorty.run(args, { env });
};

describe('shorty keys', () => {
  test('create shows the key once, and the key works until it is revoked', async () => {
    const args = ['--scopes', 'urls:read usage:read', '--expires-at', '2099-01-01'];
    const created = await create('deploy script', ...args);
    expect(created).toMatchObject({
      key: expect.stringMatching(/^shorty_ak_/),
      name: 'deploy script',
      scopes: ['urls:read', 'usage:read'],
      expiresAt: '2099-01-01T23:59:59.000Z',
    });
    const list = await shorty.run('keys list -o csv');
    expect(list.stdout).toContain(`deploy script,${created.key.slice(0, 14)},`);
    expect(list.stdout).not.toContain(created.key);
    expect((await withKey(created.key, 'urls', 'list')).code).toBe(0);
    const refused = await withKey(created.key, 'urls', 'create', 'https://example.com');
    expectEnd(refused, 4, 'shorty whoami shows your scopes');
    const revoked = await shorty.run(['keys', 'revoke', created.id, '-o', 'csv']);
    expect(revoked).toEqual({
      code: 0,
      stdout: `id,status\n${created.id},revoked\n`,
      stderr: expect.stringMatching(/^1 key revoked \(/),
    });
    expect((await withKey(created.key, 'urls', 'list')).code).toBe(4);
    await shorty.exits(0, 'shown only once', 'keys create once');
    const again = await shorty.run(['keys', 'revoke', created.id]);
    expect(again.code).toBe(1);
  });

  test('create restricts a key to a domain and to its own links', async () => {
    await shorty.run('domains create go.example.com');
    await shorty.exits(1, 'domainId', 'keys create shop --domain go.example.com');
    const created = await create('own', '--own-links');
    expect(created).toMatchObject({ domainId: null, onlyOwnLinks: true });
    expect((await withKey(created.key, 'domains', 'list')).code).toBe(4);
    const { code, stdout } = await withKey(created.key, 'whoami');
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^apiKey\.onlyOwnLinks +true$/m)]);
  });
});

test('shorty whoami names the API key, its organization and its scopes', async () => {
  const { key } = await create('who', '--scopes', 'urls:read');
  const { code, stdout } = await withKey(key, 'whoami');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^organization\.name +default$/m);
  expect(stdout).toMatch(/^apiKey\.name +who$/m);
  expect(stdout).toMatch(/^scopes +urls:read$/m);
  expect(stdout).not.toContain(key);
});
