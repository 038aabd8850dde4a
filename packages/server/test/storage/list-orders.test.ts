import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { readListPage } from '../../src/storage/list-page.js';
import type { UrlFilter, UrlSort } from '../../src/urls/url-contract.js';
import { urlListQuery } from '../../src/urls/url-query.js';
import { now, openRepository } from './temporary-database.js';

const stored = await openRepository();
afterAll(() => stored.close());

interface Link {
  readonly clicks: number;
  readonly lastClickAt: number;
  readonly createdAt: number;
}

const link: fc.Arbitrary<Link> = fc.record({
  clicks: fc.nat(2),
  lastClickAt: fc.nat(2),
  createdAt: fc.nat(3).map((ms) => now + ms),
});

const keyOf: Readonly<Record<UrlSort, (link: Link) => number>> = {
  createdAt: ({ createdAt }) => createdAt,
  clickCount: ({ clicks }) => clicks,
  lastClickAt: ({ clicks, lastClickAt }) => (clicks === 0 ? 0 : lastClickAt),
};
const sorts = Object.keys(keyOf) as UrlSort[];

/** Creates links with clicks, and returns them with their ids. */
async function create(organizationId: string, links: readonly Link[]) {
  const urls = await stored.create(
    organizationId,
    links.map(() => ({})),
  );
  const created = urls.map(({ id }, index) => ({ id, ...(links[index] as Link) }));
  await stored.database.writeDirectly(async (transaction) => {
    for (const { id, clicks, lastClickAt, createdAt } of created) {
      const row = { url_id: id, clicks, last_clicked_at: lastClickAt };
      if (clicks > 0) await transaction.insertInto('url_clicks').values(row).execute();
      const changed = transaction.updateTable('urls').set({ created_at: createdAt });
      await changed.where('id', '=', id).execute();
    }
  });
  return created;
}

describe.each(sorts)('links by %s', (sort) => {
  it.each(['asc', 'desc'] as const)(
    'are in order on all pages, %s',
    async (order) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(link, { minLength: 1, maxLength: 12 }),
          fc.integer({ min: 1, max: 5 }),
          fc.boolean(),
          async (links, limit, isSearch) => {
            const organizationId = await stored.addOrganization('enterprise');
            const created = await create(organizationId, links);
            const sign = order === 'asc' ? 1 : -1;
            const expected = created
              .sort((a, b) => sign * (keyOf[sort](a) - keyOf[sort](b) || a.id - b.id))
              .map(({ id }) => id);
            const filter = {
              limit,
              offset: 0,
              sort,
              order,
              ...(isSearch && { search: 'EXAMPLE' }),
            };
            const read = (range: Partial<UrlFilter>) => {
              const query = { ...filter, ...range };
              const list = urlListQuery(organizationId, query, now);
              return readListPage<number>(stored.database, list);
            };
            const found: number[] = [];
            for (let after: UrlFilter['after']; ; ) {
              const page = await read({ after });
              expect(page.total).toBe(after ? undefined : expected.length);
              expect(page).toMatchObject({
                ids: expected.slice(found.length, found.length + limit),
              });
              found.push(...page.ids);
              after = page.next;
              if (!after) break;
            }
            expect(found).toEqual(expected);
            const { ids, total } = await read({ offset: 2 });
            expect({ ids, total }).toEqual({
              ids: expected.slice(2, 2 + limit),
              total: expected.length,
            });
          },
        ),
        { numRuns: 10 },
      );
    },
    60_000,
  );
});
