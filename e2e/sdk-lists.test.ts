import { Shorty } from '@shorty/sdk';
import { createServer, type ShortyServer } from '@shorty/server';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let server: ShortyServer;
let shorty: Shorty;

beforeAll(async () => {
  server = createServer();
  await server.start();
  const { clientId = '', clientSecret = '' } = server.credentials ?? {};
  shorty = new Shorty({ baseUrl: server.url, clientId, clientSecret });
});
afterAll(() => server?.stop());

const newLinks = (count: number, tag: string) =>
  Array.from({ length: count }, (_, at) => ({
    targetUrl: `https://example.com/${at}`,
    title: `title ${at % 7}`,
    tags: [tag],
  }));

// What happens to the list while the next page is read: links to create, and links to deactivate.
const step = fc.record({ created: fc.nat(8), deleted: fc.array(fc.nat(60), { maxLength: 6 }) });
const orders = fc.constantFrom(
  {},
  { sort: 'createdAt', order: 'asc' },
  { sort: 'title' },
  { sort: 'title', order: 'desc' },
) as fc.Arbitrary<{ sort?: 'createdAt' | 'title'; order?: 'asc' | 'desc' }>;

describe('an iteration over a list that changes', () => {
  let run = 0;

  it('yields each remaining link exactly once', { timeout: 120_000 }, async () => {
    const sizes = fc.integer({ min: 1, max: 40 });
    const limits = fc.integer({ min: 1, max: 9 });
    const steps = fc.array(step, { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(sizes, limits, steps, orders, async (size, limit, changes, order) => {
        const tag = `run-${run++}`;
        const { created } = await shorty.urls.bulkCreate(newLinks(size, tag));
        const staying = new Set(created.map(({ id }) => id));
        const seen: string[] = [];
        const query = { tag, isActive: true, limit, ...order };
        for await (const { items } of shorty.urls.list(query).pages()) {
          seen.push(...items.map(({ id }) => id));
          const { created: more, deleted } = changes.shift() ?? { created: 0, deleted: [] };
          if (more > 0) await shorty.urls.bulkCreate(newLinks(more, tag));
          const ids = new Set(deleted.flatMap((at) => created[at]?.id ?? []));
          if (ids.size > 0) await shorty.urls.bulkDelete(ids);
          for (const id of ids) staying.delete(id);
        }
        expect(new Set(seen).size).toBe(seen.length);
        expect(seen).toEqual(expect.arrayContaining([...staying]));
      }),
      { numRuns: 40 },
    );
  });

  it('ends when the loop creates matching links', async () => {
    const tag = 'copies';
    await shorty.urls.bulkCreate(newLinks(250, tag));
    let copies = 0;
    for await (const { targetUrl } of shorty.urls.list({ tag, limit: 100 })) {
      if (copies++ % 10 === 0) await shorty.urls.create({ targetUrl, tags: [tag] });
    }
    expect(copies).toBe(250);
  });
});

it('lists full records, and finds a link by its short URL', async () => {
  const { id, shortUrl } = await shorty.urls.create({ targetUrl: 'https://example.com/full' });
  const [newest] = await shorty.urls.list({ view: 'full' }).toArray({ limit: 1 });
  expect(newest).toEqual(await shorty.urls.get(id));
  expect((await shorty.urls.lookup(shortUrl)).id).toBe(id);
});

describe('what the types refuse, the server refuses with a clear message', () => {
  const messageOf = (call: PromiseLike<unknown>) =>
    Promise.resolve(call).then(
      () => 'accepted',
      ({ details }) =>
        details.map(({ path, message }: Record<string, string>) => `${path} ${message}`).join(),
    );

  it.each<[string, string, object, string]>([
    [
      '/api/v1/qr',
      'a link and a text',
      { urlId: '1', data: 'x' },
      'data is "x": it must not be combined with urlId',
    ],
    [
      '/api/v1/urls',
      'protection without a password',
      { targetUrl: 'https://example.com', isPasswordProtected: true },
      'password is needed when isPasswordProtected is true',
    ],
  ])('%s: %s', async (path, _name, body, message) => {
    const call = shorty.request('POST', path as '/api/v1/any', { body });
    expect(await messageOf(call)).toBe(message);
  });

  it('a webhook without events', async () => {
    const body = { url: 'https://example.com', events: [] };
    const call = shorty.request('POST', '/api/v1/webhooks' as '/api/v1/any', { body });
    expect(await messageOf(call)).toMatch(/^events /);
  });
});
