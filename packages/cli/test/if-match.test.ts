import { expect, test } from 'vitest';
import { startSignedInShorty } from './signed-in-shorty.js';

const { server, shorty } = await startSignedInShorty({ allowPrivateNetwork: true });

const json = (...args: string[]): Promise<{ etag: string }> => shorty.json(args);

const targetUrl = 'https://a.example';
const hook = { url: 'http://localhost:4444/a', events: ['url.created' as const] };
const { urls, qr, webhooks } = server.client;

test.each([
  { noun: 'urls', create: () => urls.create({ targetUrl }), change: '--title' },
  { noun: 'qr', create: () => qr.create({ data: 'text' }), change: '--size' },
  { noun: 'webhooks', create: () => webhooks.create(hook), change: '--description' },
])(
  'shorty $noun update and delete --if-match change only the version that get has printed',
  async ({ noun, create, change }) => {
    const { id } = await create();
    const { etag } = await json(noun, 'get', id);
    const table = await shorty.run([noun, 'get', id]);
    expect(table.stdout).toMatch(new RegExp(`^etag +${etag}$`, 'm'));
    const changed = await json(noun, 'update', id, change, '300', '--if-match', etag);
    for (const late of [
      ['update', id, change, '400'],
      ['delete', id],
    ]) {
      const reason = 'shorty: If-Match does not match: the record was changed at ';
      const stale = await shorty.exits(1, reason, [noun, ...late, '--if-match', etag]);
      expect(stale.stdout).toBe('');
    }
    // A shell removes the quotes of a copied ETag.
    const copied = changed.etag.replaceAll('"', '');
    const current = await json(noun, 'update', id, change, '400', '--if-match', copied);
    const done = await json(noun, 'delete', id, '--if-match', current.etag);
    expect(done).toEqual({ items: [{ id, status: 'deleted' }] });
    const two = [noun, 'delete', id, '999999', '--if-match', etag];
    await shorty.exits(2, '--if-match is the version of one record, not of 2', two);
  },
);

test('update --if-match accepts any version with *', async () => {
  const { id } = await urls.create({ targetUrl });
  await json('urls', 'update', id, '--title', 'any', '--if-match', '*');
});
