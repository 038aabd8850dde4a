import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { UrlRecord } from '@shorty/sdk';
import { standardPlans } from '@shorty/server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startApiServer } from './api-server.js';
import { expectEnd } from './built-shorty.js';
import { startSignedInShorty } from './signed-in-shorty.js';

let txtRecord = '';

const { server, shorty } = await startSignedInShorty({ resolveTxt: async () => [txtRecord] });

interface Example {
  readonly source: string;
  readonly file: string;
  readonly created: number;
  /** Some of the links. */
  readonly links: readonly Partial<UrlRecord>[];
  /** Lines on stderr. */
  readonly reported?: readonly string[];
}

const paused = { isActive: false };
const noPassword = 'has a password, which the file does not contain; created paused (PAUSED)';

const examples: Example[] = [
  {
    ...{ source: 'bitly', file: 'bitly.csv', created: 4 },
    links: [
      {
        shortCode: '3xYzAbC',
        title: 'Spring sale',
        tags: ['mail', 'spring'],
        importedClicks: 1210,
      },
      { shortCode: '2oLdOnE', ...paused, tags: ['archive'] },
      { shortCode: 'a_b', createdAt: '2019-01-01T09:00:00.000Z', importedClicks: 3 },
    ],
  },
  {
    ...{ source: 'bitly', file: 'bitly.json', created: 1 },
    links: [{ shortCode: 'bitly-api', title: 'API', tags: ['api', 'docs, guides'] }],
  },
  {
    ...{ source: 'dub', file: 'dub.csv', created: 2 },
    links: [
      { shortCode: 'dub-one', tags: ['launch', 'mail'], importedClicks: 1204 },
      { shortCode: 'dub-two', ...paused },
    ],
  },
  {
    ...{ source: 'dub', file: 'dub.json', created: 1 },
    links: [
      {
        shortCode: 'dub-api',
        title: '=Dub',
        utmSource: 'news',
        ...paused,
        expiresAt: null,
        importedClicks: 12,
        isPasswordProtected: true,
        preview: null,
      },
    ],
    reported: ['line 2: expired on 2020-01-01T00:00:00.000Z; created paused (PAUSED)'],
  },
  {
    ...{ source: 'kutt', file: 'kutt.json', created: 4 },
    links: [
      { shortCode: 'kutt-one', description: 'The first one', importedClicks: 1204 },
      { shortCode: 'kutt-banned', ...paused, expiresAt: '2099-02-01T00:00:00.000Z' },
    ],
    reported: [
      'reading kutt.json as JSON; "line 2" in messages is its first link\n',
      `line 3: ${noPassword}`,
      'line 4: expired on 2023-02-01T00:00:00.000Z; created paused (PAUSED)',
    ],
  },
  {
    ...{ source: 'yourls', file: 'yourls.tsv', created: 3 },
    links: [
      { shortCode: 'ozh', title: '"ozh" in the air 5" C:\\tmp', importedClicks: 1204 },
      { shortCode: 'yourls-1', title: null, targetUrl: 'https://yourls.example/1?a=b&c=d' },
      { shortCode: '1', createdAt: '2010-01-01T00:00:00.000Z' },
    ],
    reported: ['line 5: importedCode'],
  },
  {
    ...{ source: 'yourls', file: 'yourls.json', created: 2 },
    links: [{ shortCode: 'yourls-api', title: 'The API', importedClicks: 41 }],
  },
  {
    ...{ source: 'shlink', file: 'shlink.csv', created: 3 },
    links: [
      {
        shortCode: 'shlink-one',
        title: 'The first one',
        tags: ['docs', 'news'],
        importedClicks: 1204,
      },
      { shortCode: 'docs-2/q1', importedClicks: 2 },
    ],
  },
  {
    ...{ source: 'shlink', file: 'shlink.json', created: 1 },
    links: [
      {
        shortCode: 'shlink-api',
        activatesAt: '2097-12-31T22:00:00.000Z',
        maxClicks: 672,
        importedClicks: 328,
      },
    ],
  },
  {
    ...{ source: 'shortio', file: 'shortio.csv', created: 2 },
    links: [
      { shortCode: 'shortio-one', tags: ['mail', 'spring'], importedClicks: 1204 },
      { shortCode: 'shortio-two', ...paused, expiresAt: '2099-01-01T00:00:00.000Z' },
    ],
  },
  {
    ...{ source: 'shortio', file: 'shortio.json', created: 1 },
    links: [{ shortCode: 'shortio-api', tags: ['api'], redirectType: 302, ...paused }],
    reported: [`line 2: ${noPassword}`],
  },
  {
    ...{ source: 'tinyurl', file: 'tinyurl.json', created: 2 },
    links: [
      { shortCode: 'tiny-one', tags: ['mail', 'spring'], importedClicks: 1204 },
      { shortCode: 'tiny-two', ...paused, expiresAt: '2099-05-01T10:00:00.000Z' },
    ],
  },
];

const readExport = (file: string) =>
  readFile(fileURLToPath(new URL(`exports/${file}`, import.meta.url)), 'utf8');

async function linksTo(start: string): Promise<UrlRecord[]> {
  const found = (await server.links()).filter(({ targetUrl }) => targetUrl.startsWith(start));
  return found.sort((a, b) => Number(a.id) - Number(b.id));
}

test.each(examples)('imports $file', async ({ source, file, created, links, reported = [] }) => {
  await shorty.write(file, await readExport(file));
  const { stdout, stderr } = await shorty.run(['import', source, file, '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ created });
  for (const line of reported) expect(stderr).toContain(line);
  const found = await server.links();
  for (const link of links) expect(found).toContainEqual(expect.objectContaining(link));
});

// Codes that are no custom slugs.
const oldCodes = [
  { source: 'yourls', header: 'keyword,url,timestamp', codes: ['1', 'b', '2z'] },
  { source: 'kutt', header: 'address,target,created_at', codes: ['a_b', '_'] },
  { source: 'shlink', header: 'shortCode,longUrl,createdAt', codes: ['blog/2023/post', 'v1.2~rc'] },
];

test('the old codes of each service lead to their targets, also on the plan free', async () => {
  const plans = { ...standardPlans, enterprise: standardPlans.free };
  const free = await startApiServer({ plans });
  onTestFinished(() => free.stop());
  const targetOf = (code: string) => `https://old.example/${code}`;
  for (const { source, header, codes } of oldCodes) {
    const rows = codes.map((code) => `${code},${targetOf(code)},2010-01-02 03:04:05`);
    await shorty.write(`old-${source}.csv`, [header, ...rows, ''].join('\n'));
    const args = ['import', source, `old-${source}.csv`];
    const { code, stderr } = await shorty.run(args, { env: free.env });
    expect([code, stderr]).toEqual([0, '']);
    for (const old of codes) {
      const visit = await fetch(`${free.url}/${old}`, { redirect: 'manual' });
      expect(visit.headers.get('location'), old).toBe(targetOf(old));
    }
  }
  const dates = (await free.links()).map(({ createdAt }) => createdAt);
  expect(new Set(dates)).toEqual(new Set(['2010-01-02T03:04:05.000Z']));
});

test('a creation time that cannot be right is left out, and named if it cannot be read', async () => {
  const times = ['0000-00-00 00:00:00', '1969-12-31 00:00:00', '2999-01-01 00:00:00', '01/02/2020'];
  const rows = times.map((time, index) => `time_${index},https://times.example/${index},${time}`);
  await shorty.write('times.csv', ['keyword,url,timestamp', ...rows, ''].join('\n'));
  const since = Date.now() - 60_000;
  const unread =
    'line 5: timestamp: is "01/02/2020": --dates dmy or --dates mdy tells day and month';
  await shorty.exits(0, unread, 'import yourls times.csv');
  const links = await linksTo('https://times.example/');
  expect(links).toHaveLength(times.length);
  for (const { createdAt } of links) expect(Date.parse(createdAt)).toBeGreaterThan(since);
});

test('--domain creates the links of an old domain on a custom domain', async () => {
  const csv = [
    'Short link,Destination URL,Clicks',
    'https://dub.sh/moved-1,https://moved.example/1,1',
    'https://links.old.example/moved-1,https://moved.example/2,2',
    'https://links.old.example/moved-2,https://moved.example/3,3',
    '',
  ].join('\n');
  await shorty.write('moved.csv', csv);
  const args = ['import', 'dub', 'moved.csv', '--domain', 'links.old.example=go.moved.example'];
  await shorty.exits(1, 'there is no domain "go.moved.example"', args);

  const domain = await server.client.domains.create({ hostname: 'go.moved.example' });
  const pending = await shorty.run(args);
  expect(pending.stderr).toContain('the domain go.moved.example is not verified');
  txtRecord = domain.txtRecord.value;
  await server.client.domains.verify(domain.id);

  const dryRun = await shorty.run([...args, '--dry-run']);
  expect(dryRun.stdout).toBe(
    [
      '3 rows checked: 3 valid, 0 invalid; nothing was created',
      '3 codes retained, 0 new short codes, 6 imported clicks',
      '1 link of dub.sh',
      '2 links of links.old.example',
      '',
    ].join('\n'),
  );
  const typo = await shorty.run([...args, '--domain', 'link.old.example=go.moved.example']);
  expect([typo.code, typo.stderr]).toEqual([
    2,
    'shorty: --domain link.old.example: no link of the file is on this domain\n' +
      '  the file has links on dub.sh, links.old.example\n',
  ]);
  expect((await shorty.run(args)).code).toBe(0);
  expect(await linksTo('https://moved.example/')).toEqual([
    expect.objectContaining({ shortCode: 'moved-1', domainId: null }),
    expect.objectContaining({ shortCode: 'moved-1', domainId: domain.id }),
    expect.objectContaining({ shortUrl: expect.stringContaining('go.moved.example/moved-2') }),
  ]);
});

test('codes that are not valid are named, and their rows can be imported without them', async () => {
  const rows = ['a b,https://named.example/1,9', 'named-1,https://named.example/2,1'];
  await shorty.write('named.csv', ['keyword,url,clicks', ...rows, ''].join('\n'));
  const failure =
    'line 2: importedCode is "a b": it must consist of letters, digits and the characters . _ ~ - /';
  const dryRun = await shorty.run('import yourls named.csv --dry-run');
  expect(dryRun.stderr).toContain('line 2: importedCode is "a b"');
  await shorty.exits(3, failure, 'import yourls named.csv --failed-out failed.csv');
  expect(await shorty.read('failed.csv')).toContain('\na b,https://named.example/1,9,');
  expect((await shorty.run('import yourls failed.csv --new-codes')).code).toBe(0);
  expect(await linksTo('https://named.example/')).toMatchObject([
    { shortCode: 'named-1' },
    { customSlug: null, importedClicks: 9 },
  ]);
});

test('an empty file is refused with the next step', async () => {
  await shorty.write('empty.csv', '');
  await shorty.exits(2, 'export the links of Bitly again', 'import bitly empty.csv');
});

describe('settings that Shorty does not have', () => {
  const reason = 'Shorty redirects, and does not show the target at the short URL';
  const folders = 'Shorty has no such setting';
  const links = [
    { folderId: 'fold_1', rewrite: true },
    { folderId: null, rewrite: false },
    { folderId: 'fold_1', rewrite: false, expiresAt: '2020-01-01T00:00:00.000Z' },
  ];
  const writeExport = (name: string) =>
    shorty.write(
      `${name}.json`,
      JSON.stringify(
        links.map((link, index) => ({
          ...{ shortLink: `https://dub.sh/${name}-${index}`, url: `https://lost.example/${index}` },
          ...link,
        })),
      ),
    );
  const expired = 'expired on 2020-01-01T00:00:00.000Z; created paused';
  const lines = [
    `line 2: folderId: ${folders}; rewrite: ${reason} (NOT_KEPT)\n`,
    `line 4: ${expired} (PAUSED)\nline 4: folderId: ${folders} (NOT_KEPT)\n`,
  ].join('');
  const counts = 'not kept: folderId of 2 links, rewrite of 1 link\n';

  test('are named for each link and counted, also in a dry run', async () => {
    await writeExport('lost-table');
    const args = ['import', 'dub', 'lost-table.json'];
    const dryRun = await shorty.exits(0, lines, [...args, '--dry-run']);
    expect(dryRun.stdout).toContain(counts);
    const { stderr } = await shorty.exits(0, lines, [...args, '--out', 'lost.csv']);
    expect(stderr).toContain(counts);
    expect((await shorty.read('lost.csv')).split('\n')).toEqual([
      'line,index,id,shortCode,shortUrl,targetUrl,customSlug,note,notKept',
      expect.stringMatching(/^2,.*,,"folderId: .*; rewrite: .*"$/),
      expect.stringMatching(/^3,.*,,$/),
      expect.stringMatching(/^4,.*,expired on .*; created paused,folderId: .*$/),
      '',
    ]);
  });

  test('are in each format', async () => {
    const outputOf = async (format: string) => {
      await writeExport(`lost-${format}`);
      const args = ['import', 'dub', `lost-${format}.json`, '--output', format];
      return (await shorty.run(args)).stdout;
    };
    expect(JSON.parse(await outputOf('json'))).toMatchObject({
      ...{ created: 3, paused: 1, notKept: { folderId: 2, rewrite: 1 } },
    });
    const rows = (await outputOf('ndjson')).trimEnd().split('\n');
    expect(rows.map((row) => JSON.parse(row))).toMatchObject([
      {
        notKept: [
          { setting: 'folderId', reason: folders },
          { setting: 'rewrite', reason },
        ],
      },
      { status: 'created' },
      { note: expired, notKept: [{ setting: 'folderId', reason: folders }] },
    ]);
    expect(await outputOf('csv')).toMatch(/^[^\n]*,error,code,note,notKept\n/);
  });
});

test('JSON can have one link on each line, or be gzip on stdin', async () => {
  const lines = [1, 2].map((n) =>
    JSON.stringify({ address: `lines-${n}`, target: `https://lines.example/${n}` }),
  );
  await shorty.exits(0, '', 'import kutt -', { input: `${lines.join('\n')}\n` });
  expect(await linksTo('https://lines.example/')).toHaveLength(2);
  const broken = await shorty.run('import kutt -', { input: `${lines[0]}\n{"address"` });
  expectEnd(broken, 2, 'line 2 of standard input is not valid JSON');
});

test('the message about unknown columns names the command that knows them', async () => {
  await shorty.write(
    'hint.csv',
    'Short link,Destination URL,Leads\nhttps://dub.sh/a,https://a.example,0\n',
  );
  const ofDub = 'the file has the columns of Dub: shorty import dub FILE';
  await shorty.exits(2, ofDub, 'urls bulk-create hint.csv');
  await shorty.write('other.json', await readExport('kutt.json'));
  await shorty.write('table.tsv', 'keyword\turl\ttimestamp\nabc\thttps://a.example\t2020-01-02\n');
  const ofYourls = 'the file has the columns of YOURLS: shorty import yourls FILE';
  await shorty.exits(2, ofYourls, 'urls bulk-create table.tsv');
  const ofKutt = 'the file has the columns of Kutt: shorty import kutt FILE';
  await shorty.exits(2, ofKutt, 'import bitly other.json');
});

test('imported clicks are apart in a report', async () => {
  const created = await server.client.urls.create({
    targetUrl: 'https://apart.example/',
    importedClicks: 1204,
  });
  const { stdout } = await shorty.run(['urls', 'clicks', created.id]);
  expect(stdout).toContain('0 clicks   0 unique visitors   0 addresses   1,204 imported clicks');
  const record = await shorty.run(['urls', 'get', created.id, '--json']);
  expect(JSON.parse(record.stdout)).toMatchObject({ clickCount: 0, importedClicks: 1204 });
});
