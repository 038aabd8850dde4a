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
