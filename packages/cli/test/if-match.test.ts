import { beforeAll, describe, expect, test } from 'vitest';
import type { ApiServer } from './api-server.js';
import type { BuiltShorty } from './built-shorty.js';
import { startSignedInShorty } from './signed-in-shorty.js';

let server: ApiServer;
let shorty: BuiltShorty;

beforeAll(async () => {
  const started = await startSignedInShorty({ allowPrivateNetwork: true });
  ({ server, shorty } = started);
  return started.stop;
});

async function json(...args: string[]): Promise<{ etag: string }> {
  const { code, stdout, stderr } = await shorty.run([...args, '--json']);
  expect({ args, code, stderr: code === 0 ? '' : stderr }).toEqual({ args, code: 0, stderr: '' });
  return JSON.parse(stdout);
}

const kinds = [
  {
    noun: 'urls',
    create: () => server.client.urls.create({ targetUrl: 'https://a.example' }),
    first: ['--title', 'first'],
    second: ['--title', 'second'],
  },
  {
    noun: 'qr',
    create: () => server.client.qr.create({ data: 'text' }),
    first: ['--size', '300'],
    second: ['--size', '400'],
  },
  {
    noun: 'webhooks',
    create: () =>
      server.client.webhooks.create({ url: 'http://localhost:4444/a', events: ['url.created'] }),
    first: ['--url', 'http://localhost:4444/b'],
    second: ['--url', 'http://localhost:4444/c'],
  },
];

describe.each(kinds)('shorty $noun', ({ noun, create, first, second }) => {
  test('update --if-match changes only the version that get has printed', async () => {
    const { id } = await create();
    const { etag } = await json(noun, 'get', id);
    expect(etag).toMatch(/^"\w+"$/);
    const table = await shorty.run([noun, 'get', id]);
    expect(table.stdout).toMatch(new RegExp(`^etag +${etag}$`, 'm'));

    const changed = await json(noun, 'update', id, ...first, '--if-match', etag);
    expect(changed.etag).not.toBe(etag);
    const stale = await shorty.run([noun, 'update', id, ...second, '--if-match', etag]);
    expect([stale.code, stale.stdout]).toEqual([1, '']);
    expect(stale.stderr).toMatch(
      /^shorty: If-Match does not match: the record was changed at .*\n {2}read the record and its current etag with get, and repeat the change\n/,
    );
    // A shell removes the quotes of a copied ETag.
    await json(noun, 'update', id, ...second, '--if-match', changed.etag.replaceAll('"', ''));
  });
});

describe.each(kinds)('shorty $noun', ({ noun, create, first }) => {
  test('delete --if-match deletes only the version that get has printed', async () => {
    const { id } = await create();
    const { etag } = await json(noun, 'get', id);
    await json(noun, 'update', id, ...first);
    const stale = await shorty.run([noun, 'delete', id, '--if-match', etag]);
    expect(stale.code).toBe(1);
    expect(stale.stderr).toContain('shorty: If-Match does not match: the record was changed at ');
    const current = await json(noun, 'get', id);
    const done = await shorty.run([noun, 'delete', id, '--if-match', current.etag, '--json']);
    expect(JSON.parse(done.stdout)).toEqual({ items: [{ id, status: 'deleted' }] });
    const several = await shorty.run([noun, 'delete', id, '999999', '--if-match', etag]);
    expect([several.code, several.stderr]).toEqual([
      2,
      expect.stringContaining('--if-match is the version of one record, not of 2'),
    ]);
  });
});

test('update --if-match accepts any version with *, and refuses what is no ETag', async () => {
  const { id } = await server.client.urls.create({ targetUrl: 'https://a.example' });
  await json('urls', 'update', id, '--title', 'any', '--if-match', '*');
  for (const etag of ['', 'a b', 'a"b']) {
    const args = ['urls', 'update', id, '--title', 'none', '--if-match', etag];
    const { code, stderr } = await shorty.run(args);
    expect([etag, code, stderr]).toEqual([etag, 2, expect.stringContaining('--if-match')]);
  }
});
