import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { readListPage } from '../../src/storage/list-page.js';
import { foldText } from '../../src/storage/search-text.js';
import { urlListQuery } from '../../src/urls/url-query.js';
import { type DraftFields, now, openRepository } from './temporary-database.js';

const stored = await openRepository();
afterAll(() => stored.close());

type SearchedDraft = Required<Pick<DraftFields, 'title' | 'targetUrl' | 'tags' | 'category'>> &
  Pick<DraftFields, 'description'>;

const characters = [
  ...'aAbB ßẞſsSİıiIΣσςéE\u0301\u0307👩‍👧%_\\\'"*^:-().#?/',
  '\u{1F337}',
  '\uFFFF',
];
// Few letters, so that many terms match. PostgreSQL stores no NUL.
const similar = fc.string({ unit: fc.constantFrom(...characters), maxLength: 14 });
const any = fc.string({ unit: 'binary', maxLength: 14 }).map((text) => text.replaceAll('\0', ''));
const text = fc.oneof({ weight: 3, arbitrary: similar }, any);
const draft: fc.Arbitrary<SearchedDraft> = fc.record({
  title: fc.option(text),
  description: fc.option(text),
  targetUrl: text.map((path) => `https://example.com/${path}`),
  tags: fc.constantFrom([], ['sale'], ['sale', 'spring']),
  category: fc.constantFrom(null, 'campaigns'),
});

/** Generates a part of a draft in another case, or any text. */
function termOf(drafts: readonly SearchedDraft[]): fc.Arbitrary<string> {
  const part = fc
    .tuple(fc.constantFrom(...drafts), fc.nat(3), fc.nat(40), fc.nat(12), fc.nat(2))
    .map(([{ title, targetUrl, description, tags }, field, from, length, change]) => {
      const all = [...([title, description, tags?.at(-1)][field] || targetUrl)];
      const start = from % Math.max(1, all.length);
      const found = all.slice(start, start + length + 1).join('');
      return [found, found.toUpperCase(), found.toLowerCase()][change] as string;
    });
  const few = fc.string({ unit: fc.constantFrom(...characters), minLength: 1, maxLength: 4 });
  return fc
    .oneof({ weight: 4, arbitrary: part }, few, fc.constantFrom('\0', 'a\0', '\n', '://'))
    .filter((term) => term !== '');
}

interface Link extends SearchedDraft {
  readonly id: number;
  readonly shortCode: string;
}

function isFound(link: Link, term: string): boolean {
  const { title, targetUrl, shortCode, description, tags } = link;
  const folded = foldText(term);
  const fields = [title ?? '', targetUrl, shortCode, description ?? '', ...(tags ?? [])];
  return fields.some((field) => foldText(field).includes(folded));
}

async function createLinks(
  organizationId: string,
  drafts: readonly SearchedDraft[],
): Promise<Link[]> {
  const created = await stored.create(organizationId, drafts);
  return created.map(({ id, shortCode }, index) => {
    return { ...(drafts[index] as SearchedDraft), id, shortCode };
  });
}

function search(organizationId: string, term: string, tag?: string) {
  const query = urlListQuery(organizationId, { limit: 100, offset: 0, search: term, tag }, now);
  return readListPage<number>(stored.database, query);
}

// list-orders.test.ts reads the pages of searches.
it('a search finds the links that contain the term in any case', async () => {
  const neighbour = await stored.addOrganization('enterprise');
  await fc.assert(
    fc.asyncProperty(
      fc
        .array(draft, { minLength: 1, maxLength: 12 })
        .chain((drafts) =>
          fc.tuple(
            fc.constant(drafts),
            fc.array(termOf(drafts), { minLength: 1, maxLength: 8 }),
            fc.constantFrom(undefined, 'spring'),
          ),
        ),
      async ([drafts, terms, tag]) => {
        const organizationId = await stored.addOrganization('enterprise');
        const links = await createLinks(organizationId, drafts);
        await createLinks(neighbour, drafts);
        for (const term of terms) {
          const expected = links
            .filter((link) => isFound(link, term) && (!tag || link.tags?.includes(tag)))
            .map(({ id }) => id)
            .sort((a, b) => b - a);
          const { total, ids } = await search(organizationId, term, tag);
          expect({ term, total, ids }).toEqual({ term, total: expected.length, ids: expected });
        }
      },
    ),
    { numRuns: 30 },
  );
}, 60_000);
