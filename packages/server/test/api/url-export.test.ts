import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { urlRecord } from '../../src/urls/url-schemas.js';
import { type Caller, startForFile } from './start-server.js';

const api = await startForFile();

const targetUrl = 'https://example.com/';

async function createMany(caller: Caller, links: readonly object[]): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < links.length; at += 100) {
    const urls = links.slice(at, at + 100).map((link) => ({ targetUrl, ...link }));
    const { data } = await caller.call('bulkCreateUrls', { body: { urls } });
    ids.push(...data.created.map(({ id }: { id: string }) => id));
  }
  return ids;
}

interface Exported {
  readonly text: string;
  readonly counts: readonly number[];
}

/** Reads all pages. */
async function exportAll(
  caller: Caller,
  query: Readonly<Record<string, string | number | boolean>> = {},
): Promise<Exported> {
  let text = '';
  const counts: number[] = [];
  let after: string | undefined;
  do {
    const { data } = await caller.call('exportUrls', {
      query: after ? { ...query, after } : query,
    });
    text += data.text;
    counts.push(data.count);
    after = data.nextAfter ?? undefined;
  } while (after);
  return { text, counts };
}

/** Parses CSV with quotes, in which each record has its own line. */
function parse(csv: string): Record<string, string>[] {
  const [names = [], ...records] = csv
    .trimEnd()
    .split('\n')
    .map((line) =>
      Array.from(line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g), ([, quoted, plain = '']) =>
        quoted === undefined ? plain : quoted.replaceAll('""', '"'),
      ),
    );
  return records.map((cells) =>
    Object.fromEntries(names.map((name, at) => [name, cells[at] ?? 'missing'])),
  );
}

const idsOf = ({ text }: Exported) => parse(text).map(({ id }) => id);

describe('GET /api/v1/urls/export', () => {
  it('has each field of a link, as a text, after the names of the columns', async () => {
    const caller = await api.newcomer('enterprise');
    const [id] = await createMany(caller, [
      {
        customSlug: 'exported',
        title: '=SUM(A1), "x"',
        category: ' spaced ',
        tags: ['mail', 'spring'],
        activatesAt: '2020-01-01T00:00:00Z',
        expiresAt: '2099-01-01T00:00:00Z',
        expiredUrl: 'https://example.com/over',
        maxClicks: 100,
        preview: { title: 'A, "b"', description: 'c' },
        utmSource: "'quoted",
        customUtmParams: { utm_id: '7' },
        clickThresholds: [5, 50],
        forwardQuery: true,
        forwardPath: false,
        isActive: false,
        importedClicks: 12,
      },
    ]);
    const { data } = await caller.call('exportUrls');
    expect(data).toEqual({
      total: 1,
      limit: 2_000,
      offset: 0,
      count: 1,
      text: expect.any(String),
      nextAfter: null,
    });
    const [row] = parse(data.text);
    const record = await caller.getLink(id ?? '');
    expect(Object.keys(row ?? {}).sort()).toEqual(Object.keys(urlRecord.shape).sort());
    const texts = Object.entries(record).map(([name, value]) => [name, String(value ?? '')]);
    expect(row).toEqual({
      ...Object.fromEntries(texts),
      title: `'${record.title}`,
      tags: 'mail|spring',
      customUtmParams: '{"utm_id":"7"}',
      preview: JSON.stringify({ title: 'A, "b"', description: 'c', imageUrl: null }),
      clickThresholds: '5|50',
      forwardQuery: 'true',
      forwardPath: 'false',
    });
  });

  it('has the record of each link on its own line, as NDJSON', async () => {
    const caller = await api.newcomer('enterprise');
    await createMany(caller, [
      {
        title: '=SUM(A1)',
        description: '"a" \\ ü 😀',
        customUtmParams: { 'a\nb': '7' },
        tags: ['a|b'],
      },
      { isActive: false, clickThresholds: [5] },
      {},
    ]);
    const exported = await exportAll(caller, { format: 'ndjson', limit: 2 });
    expect(exported.counts).toEqual([2, 1]);
    const lines = exported.text.split('\n');
    expect(lines.pop()).toBe('');
    const { items } = (await caller.call('listUrls', { query: { view: 'full' } })).data;
    expect(lines.map((line) => JSON.parse(line))).toEqual(items);
    const none = await exportAll(await api.newcomer('enterprise'), { format: 'ndjson' });
    expect(none).toEqual({ text: '', counts: [0] });
    const refused = await caller.call('exportUrls', { query: { format: 'json' } });
    expect([refused.outcome, refused.invalidFields]).toEqual(['400 VALIDATION_FAILED', ['format']]);
  });

  it('has the same links in the same order as the list, whatever the filter, order and limit', async () => {
    const caller = await api.newcomer('enterprise');
    await createMany(
      caller,
      Array.from({ length: 30 }, (_, at) => ({
        title: `Title ${(at * 7) % 30}`,
        tags: at % 3 === 0 ? ['launch'] : [],
        category: at % 2 === 0 ? 'even' : null,
        isActive: at % 5 !== 0,
      })),
    );
    const query = fc.record(
      {
        limit: fc.integer({ min: 1, max: 40 }),
        sort: fc.constantFrom('createdAt', 'title', 'clickCount'),
        order: fc.constantFrom('asc', 'desc'),
        isActive: fc.boolean(),
        tag: fc.constantFrom('launch', 'none'),
        category: fc.constantFrom('even'),
        search: fc.constantFrom('title 1', 'TITLE'),
      },
      { requiredKeys: ['limit'] },
    );
    await fc.assert(
      fc.asyncProperty(query, async ({ limit, ...filter }) => {
        const exported = await exportAll(caller, { limit, ...filter });
        const { items } = (await caller.call('listUrls', { query: { limit: 100, ...filter } }))
          .data;
        expect(idsOf(exported)).toEqual(items.map(({ id }: { id: string }) => id));
        const full = exported.counts.slice(0, -1);
        expect(full).toEqual(Array(full.length).fill(limit));
        expect(exported.text.match(/^targetUrl,/gm)).toHaveLength(1);
      }),
      { numRuns: 30 },
    );
  });

  it('ends a page of long links early, and continues it', async () => {
    const caller = await api.newcomer('enterprise');
    const description = 'd'.repeat(5_000);
    const created = await createMany(caller, Array(450).fill({ description }));
    const exported = await exportAll(caller);
    expect(exported.counts).toEqual([100, 100, 100, 100, 50]);
    expect(idsOf(exported)).toEqual(created.sort((a, b) => Number(b) - Number(a)));
  });
});
