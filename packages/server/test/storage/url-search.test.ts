import fc from 'fast-check';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { ListTimeoutError } from '../../src/storage/database.js';
import { foldText } from '../../src/storage/search-text.js';
import { SearchIndexer } from '../../src/storage/sqlite/search-index.js';
import { readSearchPage } from '../../src/storage/sqlite/search-page.js';
import type { UrlFilter } from '../../src/urls/url-list-contract.js';
import { type UrlPageOptions, urlListQuery } from '../../src/urls/url-query.js';
import { engine } from '../engine.js';
import {
  type DraftFields,
  now,
  openRepository,
  type Stored,
  updateUrls,
} from './temporary-database.js';

let stored: Stored;
let indexer: SearchIndexer;
beforeEach(async () => {
  stored = await openRepository();
  indexer = new SearchIndexer(stored.database);
  onTestFinished(() => stored.close());
});

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
  const outcomes = await stored.create(organizationId, drafts);
  return outcomes.map((outcome, index) => {
    if (outcome.status !== 'created') throw new Error(outcome.status);
    return { ...(drafts[index] as SearchedDraft), id: outcome.id, shortCode: outcome.shortCode };
  });
}

const search = (organizationId: string, term: string, options?: UrlPageOptions, tag?: string) =>
  readPage(organizationId, { limit: 100, offset: 0, search: term, tag }, options);

const readPage = (organizationId: string, filter: UrlFilter, options?: UrlPageOptions) =>
  stored.database.readListPage<number>(
    urlListQuery(stored.database, organizationId, filter, now, options),
  );

/** Reads all pages of a list by their positions. */
async function readAll(organizationId: string, filter: UrlFilter, options: UrlPageOptions) {
  const ids: number[] = [];
  let page = await readPage(organizationId, filter, options);
  for (;;) {
    ids.push(...page.ids);
    if (!page.next) return ids;
    page = await readPage(organizationId, { ...filter, after: page.next }, options);
  }
}

/** The plans by which the engine can find the same links. */
const ways: readonly (readonly [string, UrlPageOptions, indexed: boolean])[] =
  engine() === 'postgres'
    ? [['by one statement', {}, false]]
    : [
        ['by a scan', { readWithoutIndex: 1_000_000 }, false],
        [
          'by the index, with all links pending',
          { readWithoutIndex: 0, maxCandidates: 1e6 },
          false,
        ],
        ['by the index', { readWithoutIndex: 0, maxCandidates: 1e6 }, true],
        [
          'by the index, with too many candidates for some',
          { readWithoutIndex: 0, maxCandidates: 3 },
          true,
        ],
      ];

describe('a search', () => {
  it.each(ways)(
    'finds the links that contain the term in any case, %s',
    async (_name, options, isIndexed) => {
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
            if (isIndexed) while ((await indexer.indexPending()) > 0);
            for (const term of terms) {
              const expected = links
                .filter((link) => isFound(link, term) && (!tag || link.tags?.includes(tag)))
                .map(({ id }) => id)
                .sort((a, b) => b - a);
              const { total, ids } = await search(organizationId, term, options, tag);
              expect({ term, total, ids }).toEqual({ term, total: expected.length, ids: expected });
              const filter = { limit: 3, offset: 0, search: term, tag };
              expect({ term, ids: await readAll(organizationId, filter, options) }).toEqual({
                term,
                ids: expected,
              });
            }
          },
        ),
        { numRuns: 60 },
      );
    },
    60_000,
  );

  it('finds a changed link by its new text and not by its old one, indexed or not', async () => {
    const organizationId = await stored.addOrganization('enterprise');
    const [link] = await createLinks(organizationId, [
      { title: 'Before', targetUrl: 'https://example.com/', tags: [], category: null },
    ]);
    const id = link?.id as number;
    const index = async () => {
      if (engine() === 'sqlite') await indexer.indexPending();
    };
    const options = { readWithoutIndex: 0 };
    await index();
    const titles = ['Before', 'After', 'before'];
    for (const [at, title] of titles.entries()) {
      await updateUrls(stored.urls, organizationId, [id], now, (url) => ({
        ok: true,
        url: { ...url, title },
      }));
      for (const round of ['pending', 'indexed']) {
        for (const term of ['BEFORE', 'AFTER']) {
          const isExpected = titles[at]?.toUpperCase() === term;
          const { total } = await search(organizationId, term, options);
          expect({ round, title, term, total }).toEqual({
            round,
            title,
            term,
            total: isExpected ? 1 : 0,
          });
        }
        await index();
      }
    }
  });

  it('indexes long texts a few links at a time, so that other writes wait for milliseconds', async () => {
    if (engine() !== 'sqlite') return expect(engine()).toBe('postgres');
    const organizationId = await stored.addOrganization('enterprise');
    while ((await indexer.indexPending()) > 0);
    const draft = { title: 'Long', tags: [], category: null };
    const targetUrl = `https://example.com/${'x'.repeat(8_000)}`;
    await createLinks(
      organizationId,
      Array.from({ length: 10 }, () => ({ ...draft, targetUrl })),
    );
    const batches: number[] = [];
    for (let count = -1; count !== 0; batches.push(count)) {
      count = await indexer.indexPending();
    }
    expect(batches).toEqual([4, 4, 2, 0]);
  });

  it('indexes the link of one organization before most links of another', async () => {
    if (engine() !== 'sqlite') return expect(engine()).toBe('postgres');
    const busy = await stored.addOrganization('enterprise');
    const quiet = await stored.addOrganization('enterprise');
    const draft = { title: null, tags: [], category: null };
    const targetUrl = `https://example.com/${'x'.repeat(1_000)}`;
    await createLinks(
      busy,
      Array.from({ length: 100 }, () => ({ ...draft, targetUrl })),
    );
    await createLinks(quiet, [{ ...draft, targetUrl: 'https://example.com/' }]);
    expect(await indexer.indexPending()).toBeGreaterThan(1);
    const { rows } = await sql<{ organization_id: string }>`
      select distinct organization_id from url_search_pending`.execute(stored.database.read);
    expect(rows).toEqual([{ organization_id: busy }]);
  });

  it('indexes all pending links of many organizations', async () => {
    if (engine() !== 'sqlite') return expect(engine()).toBe('postgres');
    for (let count = 1; count <= 6; count += 1) {
      const organizationId = await stored.addOrganization('enterprise');
      const targetUrl = `https://example.com/${'x'.repeat(3_000)}`;
      await createLinks(
        organizationId,
        Array.from({ length: count * 2 }, () => ({
          title: null,
          tags: [],
          category: null,
          targetUrl,
        })),
      );
    }
    let indexed = 0;
    for (let count = -1; count !== 0; indexed += count) count = await indexer.indexPending();
    expect(indexed).toBe(42);
    expect(await stored.database.searchIndex.diagnose()).toEqual({ unindexed: 0, index: 'sound' });
  });

  it('uses the index, whatever other organizations have pending or indexed', async () => {
    if (engine() !== 'sqlite') return expect(engine()).toBe('postgres');
    const organizationId = await stored.addOrganization('enterprise');
    const other = await stored.addOrganization('enterprise');
    const draft = { title: 'Same', targetUrl: 'https://example.com/', tags: [], category: null };
    const own = await createLinks(organizationId, [draft]);
    const readByIndex = (id: string) =>
      readSearchPage(stored.database.read, {
        table: 'urls',
        owner: { column: 'organization_id', value: id },
        condition: sql`urls.search_text like '%same%'`,
        search: { text: 'same', readWithoutIndex: 0, maxCandidates: 3 },
        limit: 100,
        offset: 0,
      });
    const expected = { total: 1, ids: own.map(({ id }) => id), next: undefined };
    for (const state of ['pending', 'indexed']) {
      await createLinks(other, Array(10).fill(draft));
      expect(await readByIndex(organizationId), state).toMatchObject(expected);
      while ((await indexer.indexPending()) > 0);
    }
    expect(await readByIndex(organizationId)).toMatchObject(expected);
    // The links of the searching organization itself do count.
    expect(await readByIndex(other)).toBeUndefined();
    expect((await search(other, 'same', { readWithoutIndex: 0, maxCandidates: 3 })).total).toBe(20);
  });

  it('finds the links in each block of ids', async () => {
    const organizationId = await stored.addOrganization('enterprise');
    const ids: number[] = [];
    for (const lastId of [16_382, 40_000, 100_000]) {
      await sql`update url_id_counter set last_id = ${lastId}`.execute(stored.database.read);
      const draft = { title: 'Same', targetUrl: 'https://example.com/', tags: [], category: null };
      const links = await createLinks(organizationId, [draft, draft, draft]);
      ids.push(...links.map(({ id }) => id));
    }
    if (engine() === 'sqlite') while ((await indexer.indexPending()) > 0);
    const { ids: found } = await search(organizationId, 'same', { readWithoutIndex: 0 });
    expect(found).toEqual(ids.sort((a, b) => b - a));
  });

  it('fails with a ListTimeoutError when the look-up in the index takes too long', async () => {
    if (engine() !== 'sqlite') return expect(engine()).toBe('postgres');
    const organizationId = await stored.addOrganization('enterprise');
    await stored.create(organizationId, [{}]);
    while ((await indexer.indexPending()) > 0);
    await expect(
      search(organizationId, 'absent', { readWithoutIndex: 0, timeoutMs: 0 }),
    ).rejects.toThrow(ListTimeoutError);
  });

  it('finds a link by its second code when the first one was taken', async () => {
    const organizationId = await stored.addOrganization('enterprise');
    await stored.create(organizationId, [{}], ['TakenAA']);
    await stored.create(organizationId, [{}], ['TakenAA', 'SecondA']);
    expect((await search(organizationId, 'seconda')).total).toBe(1);
    expect((await search(organizationId, 'takenaa')).total).toBe(1);
  });
});

describe('a page', () => {
  it('has the same rows as a page of all rows in memory, for any offset', async () => {
    const organizationId = await stored.addOrganization('enterprise');
    const count = 9_000;
    const links = Array.from({ length: count }, (_, index) => ({
      createdAt: now + ((index * 7_919) % 40),
      isSale: index % 3 === 0,
    }));
    const created: { id: number; createdAt: number; isSale: boolean }[] = [];
    for (let at = 0; at < count; at += 1_000) {
      const part = links.slice(at, at + 1_000);
      const outcomes = await stored.create(
        organizationId,
        part.map(({ isSale }) => ({ tags: isSale ? ['sale'] : [] })),
      );
      for (const [index, outcome] of outcomes.entries()) {
        if (outcome.status !== 'created') throw new Error(outcome.status);
        created.push({ id: outcome.id, ...(part[index] as (typeof links)[number]) });
      }
    }
    await stored.database.writeDirectly(async (transaction) => {
      await stored.database.updateEach(
        transaction,
        'urls',
        created.map(({ id, createdAt }) => ({ set: { created_at: createdAt }, where: { id } })),
      );
    });
    created.sort((a, b) => b.createdAt - a.createdAt || b.id - a.id);
    for (const tag of [undefined, 'sale']) {
      const expected = created.filter(({ isSale }) => tag === undefined || isSale);
      for (const offset of [0, 1, 2_999, 4_090, 4_095, 4_096, 8_191, 8_192, 8_990, 9_000, 1e9]) {
        const page = await readPage(organizationId, { limit: 25, offset, tag });
        const items = expected.slice(offset, offset + 25);
        const last = offset + 25 < expected.length ? items.at(-1) : undefined;
        expect({ offset, tag, ...page }).toEqual({
          offset,
          tag,
          total: expected.length,
          ids: items.map(({ id }) => id),
          keys: items.map(({ createdAt }) => createdAt),
          next: last && [last.createdAt, last.id],
        });
      }
    }
  }, 60_000);

  it('fails with a ListTimeoutError at its time limit', async () => {
    const organizationId = await stored.addOrganization('enterprise');
    await stored.create(organizationId, [{}]);
    const slow =
      engine() === 'postgres'
        ? sql<boolean>`pg_sleep(30) is null`
        : sql<boolean>`(with recursive steps (n) as (select 1 union all select n + 1 from steps where n < 100000)
            select count(*) from steps) > 0`;
    await expect(
      stored.database.readListPage({
        table: 'urls',
        owner: { column: 'organization_id', value: organizationId },
        condition: slow,
        limit: 25,
        offset: 0,
        timeoutMs: 1,
      }),
    ).rejects.toThrow(ListTimeoutError);
    // The handle still works.
    expect((await search(organizationId, 'example')).total).toBe(1);
  });
});
