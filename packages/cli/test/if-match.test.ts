import { expect, test } from 'vitest';
import { startSignedInShorty } from './signed-in-shorty.js';

const { server, shorty } = await startSignedInShorty({ allowPrivateNetwork: true });

const json = (...args: string[]): Promise<{ etag: string }> => shorty.json(args);

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

test.each(kinds)(
  'shorty $noun update and delete --if-match change only the version that get has printed',
  async ({ noun, create, first, second }) => {
    const { id } = await create();
    const { etag } = await json(noun, 'get', id);
    const table = await shorty.run([noun, 'get', id]);
    expect(table.stdout).toMatch(new RegExp(`^etag +${etag}$`, 'm'));
    const changed = await json(noun, 'update', id, ...first, '--if-match', etag);
    for (const change of [
      ['update', id, ...second],
      ['delete', id],
    ]) {
      const reason = 'shorty: If-Match does not match: the record was changed at ';
      const stale = await shorty.exits(1, reason, [noun, ...change, '--if-match', etag]);
      expect(stale.stdout).toBe('');
    }
    // A shell removes the quotes of a copied ETag.
    const copied = changed.etag.replaceAll('"', '');
    const current = await json(noun, 'update', id, ...second, '--if-match', copied);
    const done = await json(noun, 'delete', id, '--if-match', current.etag);
    expect(done).toEqual({ items: [{ id, status: 'deleted' }] });
    const two = [noun, 'delete', id, '999999', '--if-match', etag];
    await shorty.exits(2, '--if-match is the version of one record, not of 2', two);
  },
);

test('update --if-match accepts any version with *, and refuses what is no ETag', async () => {
  const { id } = await server.client.urls.create({ targetUrl: 'https://a.example' });
  await json('urls', 'update', id, '--title', 'any', '--if-match', '*');
  for (const etag of ['', 'a b', 'a"b']) {
    const args = ['urls', 'update', id, '--title', 'none', '--if-match', etag];
    await shorty.exits(2, '--if-match', args);
  }
});
