import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createFields,
  FileError,
  findItemError,
  type ImportRow,
  type LinkSourceName,
  linkSources,
  planChunks,
} from '@shorty/import';
import { afterAll, describe, expect, test } from 'vitest';
import { fakeIo } from '../../test/fake-io.js';
import { Output } from '../output.js';
import { withImport } from './prepare-import.js';

const now = Date.parse('2026-06-01T00:00:00Z');
const future = '2099-01-01T00:00:00.000Z';
const past = '2020-01-01T00:00:00.000Z';

const folder = await mkdtemp(join(tmpdir(), 'shorty-export-'));
afterAll(() => rm(folder, { recursive: true }));

/** Returns the rows of an export: a CSV file if it is a text, JSON otherwise. */
async function readExport(name: LinkSourceName, content: unknown): Promise<ImportRow[]> {
  const path = join(folder, 'export');
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  const io = fakeIo();
  const output = new Output(io, { format: 'table', isQuiet: false, allowsColor: false });
  const fields = { ...createFields, source: linkSources[name] };
  const links = { domains: new Map(), keepsCodes: true, now };
  const rows: ImportRow[] = [];
  await withImport({ io, output }, path, { fields }, async (prepared) => {
    for await (const chunk of planChunks(prepared.rows(), prepared.plan, { links })) {
      rows.push(...chunk.rows);
    }
  });
  return rows;
}

/** Returns the only row. Its item follows the contract. */
async function readLink(name: LinkSourceName, link: object): Promise<ImportRow> {
  const rows = await readExport(name, [{ ...required[name], ...link }]);
  const [row] = rows;
  if (!row || rows.length > 1) throw new Error(`${rows.length} rows`);
  if (row.item) expect(findItemError(row.item)).toBeUndefined();
  return row;
}

const reasons = ({ notKept = [] }: ImportRow) =>
  notKept.map(({ setting, reason }) => `${setting}: ${reason}`);

const required: Readonly<Record<LinkSourceName, object>> = {
  bitly: { link: 'https://bit.ly/abc', long_url: 'https://a.example/' },
  dub: { shortLink: 'https://dub.sh/abc', url: 'https://a.example/' },
  kutt: { link: 'https://kutt.it/abc', target: 'https://a.example/' },
  yourls: { shorturl: 'https://sho.rt/abc', url: 'https://a.example/' },
  shlink: { shortUrl: 'https://s.test/abc', longUrl: 'https://a.example/' },
  shortio: { shortURL: 'https://go.example/abc', originalURL: 'https://a.example/' },
  tinyurl: { tiny_url: 'https://tinyurl.com/abc', url: 'https://a.example/' },
};

describe('Shlink', () => {
  test('an embargo in a CSV file is kept, and one that is no time fails the row', async () => {
    const lines = [
      `https://s.test/a,https://a.example/,${future}`,
      'https://s.test/b,https://a.example/,soon',
    ];
    const rows = await readExport('shlink', `shortUrl,longUrl,validSince\n${lines.join('\n')}`);
    expect(rows[0]?.item).toMatchObject({ activatesAt: future });
    expect(rows[1]?.error).toMatch(/^activatesAt must be a time .* not "soon"$/);
  });

  test('a link whose visits are used up is created paused', async () => {
    const link = { meta: { maxVisits: 10 }, visitsSummary: { total: 1328 } };
    const { item, note } = await readLink('shlink', link);
    expect(item).toMatchObject({ isActive: false, importedClicks: 1328 });
    expect(item).not.toHaveProperty('maxClicks');
    expect(note).toBe('had 1328 clicks of at most 10; created paused');
  });

  test('forwardQuery is kept, also where it is false in every link', async () => {
    const rows = await readExport('shlink', [
      { ...required.shlink, forwardQuery: false, crawlable: false },
      { ...required.shlink, forwardQuery: false, crawlable: false },
    ]);
    expect(rows.map(({ item }) => item?.forwardQuery)).toEqual([false, false]);
    expect(rows.flatMap(reasons)).toEqual([]);
  });

  test('rules are named, if there are some, and not imported', async () => {
    const deviceLongUrls = { android: 'https://a.example/a', ios: null, desktop: null };
    const redirectRules = [{ priority: 1, conditions: [], longUrl: 'https://a.example/1' }];
    const row = await readLink('shlink', { deviceLongUrls, hasRedirectRules: true, redirectRules });
    expect(row.item).not.toHaveProperty('rules');
    const reason = 'not imported: set rules with shorty urls rules set';
    expect(reasons(row)).toEqual([
      ...[`deviceLongUrls: ${reason}`, `hasRedirectRules: ${reason}`, `redirectRules: ${reason}`],
    ]);
    const unset = await readLink('shlink', {
      ...{ deviceLongUrls: { android: null, ios: null }, hasRedirectRules: false },
      redirectRules: [],
    });
    expect(reasons(unset)).toEqual([]);
  });
});

describe('Dub', () => {
  test('targets by device come before those by country', async () => {
    const { item, notKept } = await readLink('dub', {
      geo: { DE: 'https://a.example/de', US: 'https://a.example/en', GB: 'https://a.example/en' },
      android: 'https://play.google.com/store/apps/details?id=a',
      ios: 'https://apps.apple.com/app/a',
    });
    expect(item?.rules).toEqual([
      { when: { os: 'iOS' }, targetUrl: 'https://apps.apple.com/app/a' },
      {
        when: { os: 'Android' },
        targetUrl: 'https://play.google.com/store/apps/details?id=a',
      },
      { when: { country: ['DE'] }, targetUrl: 'https://a.example/de' },
      { when: { country: ['US', 'GB'] }, targetUrl: 'https://a.example/en' },
    ]);
    expect(notKept).toBeUndefined();
  });

  test('expiredUrl and externalId are kept, a test and a link preview are named', async () => {
    const kept = {
      ...{ expiresAt: future, expiredUrl: 'https://a.example/over', externalId: 'order-1' },
      title: 'A',
    };
    const row = await readLink('dub', {
      ...{ ...kept, testVariants: [{ url: 'https://a.example/b', percentage: 100 }] },
      ...{ testCompletedAt: future, proxy: true, description: 'B', image: 'C', video: null },
      comments: 'D',
    });
    expect(row.item).toEqual({
      ...{ ...kept, description: 'D', importedCode: 'abc', targetUrl: 'https://a.example/' },
    });
    expect(reasons(row)).toEqual([
      'testVariants: not imported: set rules with shorty urls rules set',
      'proxy: not imported: set a preview with shorty urls update',
    ]);
  });

  test('an expired link is created paused, and says that its expiredUrl has no effect', async () => {
    const row = await readLink('dub', { expiresAt: past, expiredUrl: 'https://a.example/over' });
    expect(row.item).toMatchObject({ isActive: false });
    expect(row.note).toBe(`expired on ${past}; created paused`);
    expect(reasons(row)).toEqual(['expiredUrl: a paused link does not lead there']);
  });

  test.each(['$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy', '********', true])(
    'a password that the file does not contain pauses the link: %s',
    async (password) => {
      const { item, note } = await readLink('dub', { password });
      expect(item).not.toHaveProperty('password');
      expect([item?.isActive, note]).toEqual([
        false,
        'has a password, which the file does not contain; created paused',
      ]);
    },
  );

  test('settings that Shorty does not have are named, if they are set', async () => {
    const unset = { rewrite: false, doIndex: false, publicStats: false, webhookIds: [], leads: 0 };
    expect((await readLink('dub', unset)).notKept).toBeUndefined();
    const row = await readLink('dub', {
      ...{ rewrite: true, doIndex: true, trackConversion: true, publicStats: true },
      ...{ folderId: 'fold_1', webhookIds: ['wh_1'], tenantId: 't', leads: 3 },
      ios: 'itms-apps://apps.apple.com/app/a',
    });
    expect(row.item).not.toHaveProperty('rules');
    expect(row.item).toHaveProperty('publicStats', true);
    expect(reasons(row).map((reason) => reason.split(':')[0])).toEqual([
      ...['rewrite', 'doIndex', 'trackConversion'],
      ...['folderId', 'webhookIds', 'tenantId', 'leads', 'ios'],
    ]);
    expect(reasons(row).at(-1)).toBe(
      'ios: targets are http or https, not itms-apps://apps.apple.com/app/a',
    );
  });
});

describe('Short.io', () => {
  test('limits and targets by device are kept, and a split is named', async () => {
    const row = await readLink('shortio', {
      ...{ clicksLimit: 100, clicks: 40, expiredURL: 'https://a.example/over', skipQS: true },
      ...{ iphoneURL: 'https://a.example/i', androidURL: 'https://a.example/a' },
      ...{ splitURL: 'https://a.example/b', splitPercent: 30, redirectType: 301 },
    });
    expect(row).toMatchObject({
      item: {
        ...{ maxClicks: 60, importedClicks: 40, expiredUrl: 'https://a.example/over' },
        ...{ forwardQuery: false, redirectType: 301 },
      },
    });
    expect(row.item?.rules).toEqual([
      { when: { os: 'iOS' }, targetUrl: 'https://a.example/i' },
      { when: { os: 'Android' }, targetUrl: 'https://a.example/a' },
    ]);
    expect(reasons(row)).toEqual(['splitURL: not imported: set rules with shorty urls rules set']);
  });

  test('skipQS that is false in every link forwards the query', async () => {
    expect((await readLink('shortio', { skipQS: false })).item?.forwardQuery).toBe(true);
  });

  test.each([
    [{ ttl: '2098-01-01T00:00:00.000Z', expiresAt: future }, '2098-01-01T00:00:00.000Z'],
    [{ ttl: future, expiresAt: '2098-01-01T00:00:00.000Z' }, '2098-01-01T00:00:00.000Z'],
    [{ ttl: Date.parse(future), expiresAt: null }, future],
  ])('the link ends at the earlier time: %j', async (link, expiresAt) => {
    expect((await readLink('shortio', link)).item?.expiresAt).toBe(expiresAt);
  });

  test('a limit without a number of clicks is kept, and named', async () => {
    const row = await readLink('shortio', { clicksLimit: 100 });
    expect(row.item?.maxClicks).toBe(100);
    expect(reasons(row)).toEqual([
      'maxClicks: the file has no clicks, so the link redirects 100 more',
    ]);
  });

  test('settings that Shorty does not have are named, if they are set', async () => {
    const row = await readLink('shortio', {
      ...{ cloaking: true, integrationGA: 'G-1', integrationFB: null, passwordContact: false },
      ...{ redirectType: 303, FolderId: 'f' },
    });
    expect(reasons(row)).toEqual([
      'cloaking: Shorty redirects, and does not show the target at the short URL',
      'integrationGA: Shorty has no such setting',
      'redirectType: Shorty has no redirect with the status 303',
      'FolderId: Shorty has no such setting',
    ]);
  });
});

test('settings of Bitly that Shorty does not have are named, if they are set', async () => {
  const row = await readLink('bitly', {
    deeplinks: [{ app_uri_path: '/a', os: 'ios' }],
    custom_bitlinks: ['https://go.example/old', 'https://go.example/new'],
    ...{ launchpad_ids: [], campaign_ids: ['c'] },
  });
  expect(row.item?.importedCode).toBe('new');
  expect(reasons(row)).toEqual([
    'deeplinks: apps are named for a domain, not for a link',
    'custom_bitlinks: a link has one short URL: not https://go.example/old',
    'campaign_ids: Shorty has no such setting',
  ]);
});

describe('a JSON file', () => {
  test('an entry that is no object is a failed row', async () => {
    const rows = await readExport('kutt', { data: [required.kutt, 'abc', null, [1]] });
    const invalid = 'must be a JSON object with the fields of a link, not';
    expect(rows.map(({ error }) => error)).toEqual([
      ...[undefined, `${invalid} "\\"abc\\""`],
      ...[`${invalid} "null"`, `${invalid} "[1]"`],
    ]);
  });

  test('a field that Shorty does not know refuses the file if a link sets it', async () => {
    const links = (value: unknown) => [{ ...required.dub, startsAt: value }];
    const refused = readExport('dub', links(future));
    await expect(refused).rejects.toThrow(FileError);
    await expect(refused).rejects.toThrow('unknown column "startsAt"');
    expect((await readExport('dub', links(false)))[0]?.error).toBeUndefined();
  });

  test('without a link it is refused', async () => {
    await expect(readExport('dub', [1, 2])).rejects.toThrow('contains no links');
  });
});
