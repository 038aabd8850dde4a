import { execFileSync } from 'node:child_process';
import { open, readFile, symlink } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { startApiServer } from './api-server.js';
import { expectEnd } from './built-shorty.js';
import { startSignedInShorty } from './signed-in-shorty.js';

const { server, shorty } = await startSignedInShorty();

async function createLinks(count: number): Promise<string[]> {
  const urls = Array.from({ length: count }, (_, index) => ({
    targetUrl: `https://change.example/${index}`,
    title: `Title ${index}`,
    tags: ['old'],
  }));
  const { created } = await server.client.urls.bulkCreate(urls);
  return created.map(({ id }) => id);
}

test('bulk-update sets the fields of non-empty cells, clears them for \\N, and ignores empty cells', async () => {
  const [first, second] = await createLinks(2);
  const input = `id,title,tags,active\n${first},New,\\N,no\n${second},,a|b,\n`;
  const dry = await shorty.run('urls bulk-update - --dry-run', { input });
  expect([dry.code, dry.stdout]).toEqual([0, '2 rows: 2 would be sent, 0 failed\n']);
  expect((await server.client.urls.get(first ?? '')).title).toBe('Title 0');
  const { code, stdout, stderr } = await shorty.run('urls bulk-update -', { input });
  expect([code, stdout, stderr]).toEqual([0, '2 rows: 2 updated, 0 failed\n', '']);
  expect(await server.client.urls.get(first ?? '')).toMatchObject({
    title: 'New',
    tags: [],
    isActive: false,
  });
  expect(await server.client.urls.get(second ?? '')).toMatchObject({
    title: 'Title 1',
    tags: ['a', 'b'],
    isActive: true,
  });
});

test('bulk-update reports each failed row: 3, or 1 when all fail', async () => {
  const [id] = await createLinks(1);
  const input = `id,title,redirectType\n${id},Fine,\n888888,x,\n,x,\n${id},x,soon\n`;
  const some = await shorty.run('urls bulk-update - -o csv', { input });
  expect(some.code).toBe(3);
  expect(some.stdout.split('\n')).toEqual([
    'line,id,status,error,code',
    `2,${id},updated,,`,
    expect.stringMatching(/^3,888888,failed,.*,NOT_FOUND$/),
    '4,,failed,id is missing,INVALID_ROW',
    expect.stringMatching(/^5,,failed,"?redirectType must be a whole number.*,INVALID_ROW$/),
    '',
  ]);
  expect(some.stderr.trimEnd().split('\n')).toHaveLength(3);
  const faults = `id,targetUrl,redirectType\n${id},none,999\n`;
  const both = await shorty.run('urls bulk-update -', { input: faults });
  expect(both.stderr).toMatch(/^line 2: targetUrl .*; redirectType .* \(\w+\)\n/);
  const none = await shorty.run('urls bulk-update -', { input: 'id,title\n888888,x\n' });
  expect(none.code).toBe(1);
  const dry = await shorty.run('urls bulk-update - --dry-run', { input: 'id,title\n,x\n' });
  expect(dry.code).toBe(1);
});

test('bulk-delete accepts ids, a file with one id per line, and a CSV with an id column', async () => {
  const ids = await createLinks(130);
  const [first, second, ...rest] = ids;
  const isActive = async (id: string | undefined) =>
    (await server.client.urls.get(id ?? '')).isActive;
  const typed = await shorty.run(['urls', 'bulk-delete', `${first}`, `${second}`]);
  expect([typed.code, await isActive(first), await isActive(second)]).toEqual([0, false, false]);
  await shorty.write('ids.txt', `${rest.slice(0, 110).join('\n')}\n`);
  const lines = await shorty.run('urls bulk-delete ids.txt -o ndjson');
  expect([lines.code, lines.stdout.trimEnd().split('\n')]).toEqual([
    0,
    rest.slice(0, 110).map((id) => `{"id":"${id}","status":"deleted"}`),
  ]);
  const csv = `title;ID\n${rest
    .slice(110)
    .map((id) => `"a;b";${id}`)
    .join('\n')}\n`;
  const piped = await shorty.run('urls bulk-delete -', { input: csv });
  expect([piped.code, piped.stdout]).toEqual([0, expect.stringMatching(/^18 links deleted \(/)]);
  expect(await isActive(ids.at(-1))).toBe(false);
});

test('--dry-run of a delete prints each id in the requested format and changes nothing', async () => {
  const ids = await createLinks(2);
  const items = [
    ...ids.map((id) => ({ id, status: 'would be deleted' })),
    { id: '888888', status: 'would be skipped' },
  ];
  const args = ['urls', 'bulk-delete', ...ids, '888888', '--dry-run'];
  const json = await shorty.run([...args, '--json']);
  expect([json.code, JSON.parse(json.stdout)]).toEqual([3, { items }]);
  const table = await shorty.run(args);
  const result = `dry run: 2 links would be deleted (${ids.join(', ')}), nothing was changed\n`;
  expect(table.stdout).toBe(result);
  const code = await server.client.qr.create({ data: 'dry run' });
  const qr = await shorty.run(['qr', 'delete', code.id, '--dry-run', '-o', 'ndjson']);
  expect(JSON.parse(qr.stdout)).toEqual({ id: code.id, status: 'would be deleted' });
  expect(await server.client.qr.get(code.id)).toMatchObject({ id: code.id });
  for (const id of ids) expect((await server.client.urls.get(id)).isActive).toBe(true);
});

test('bulk-delete takes slugs and short URLs, and reads the whole file before the first deletion', async () => {
  const targetUrl = 'https://example.com/';
  const slug = await server.client.urls.create({ targetUrl, customSlug: 'from-a-file' });
  const { shortUrl, id } = await server.client.urls.create({ targetUrl });
  const remove = (input: string) => shorty.run('urls bulk-delete -', { input });
  const broken = await remove(`link;note\nfrom-a-file;x\n;y\n`);
  expectEnd(broken, 2, 'line 3: "" is not');
  const unnamed = await remove('title,url\nfrom-a-file,https://example.com/\n');
  expectEnd(unnamed, 2, 'has no column id, shortUrl, slug or code');
  const activity = async () =>
    (await Promise.all([slug.id, id].map((each) => server.client.urls.get(each)))).map(
      ({ isActive }) => isActive,
    );
  expect(await activity()).toEqual([true, true]);
  const some = await remove(`from-a-file\n${shortUrl}\nno-such-slug\n`);
  expectEnd(some, 3, '(no-such-slug)');
  expect(await activity()).toEqual([false, false]);
});

test('bulk-update finds links by their slugs or short URLs, if the file has no ids', async () => {
  const targetUrl = 'https://example.com/';
  const slug = await server.client.urls.create({ targetUrl, customSlug: 'by-its-slug' });
  const update = (input: string) => shorty.run('urls bulk-update -', { input });
  const unchanged = await update('id,customSlug\n1,renamed\n');
  expectEnd(unchanged, 2, 'standard input has no column to change');
  const bySlug = await update('Slug;Title\nby-its-slug;Erster\nno-such-slug;Zweiter\n');
  expectEnd(bySlug, 3, 'line 3: there is no link "no-such-slug" (INVALID_ROW)');
  expect(await server.client.urls.get(slug.id)).toMatchObject({ title: 'Erster' });
  expect((await update(`short_url,title\n${slug.shortUrl},Third\n`)).code).toBe(0);
  expect(await server.client.urls.get(slug.id)).toMatchObject({ title: 'Third' });
});

test('an export goes through symbolic links, to stdout for -, and into pipes', async () => {
  await shorty.write('export-target.csv', '');
  await symlink('export-target.csv', shorty.path('export-link.csv'));
  await shorty.run('urls export --out export-link.csv');
  const csv = await shorty.read('export-target.csv');
  expect(csv).toMatch(/^targetUrl,/);
  expect((await shorty.run('urls export --out -')).stdout).toBe(csv);
  const fifo = shorty.path('export-fifo');
  execFileSync('mkfifo', [fifo]);
  const [read] = await Promise.all([
    readFile(fifo, 'utf8'),
    shorty.run(['urls', 'export', '--out', fifo]),
  ]);
  expect(read).toBe(csv);
  expect(await shorty.run('urls export --out /dev/full')).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^shorty: \/dev\/full cannot be written: ENOSPC.*\n$/),
  });
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s ends a command with %i', async (signal, code) => {
  const fifo = shorty.path(`${signal}.fifo`);
  execFileSync('mkfifo', [fifo]);
  // The command waits for its input.
  const { process, result } = shorty.start(['urls', 'bulk-create', fifo, '--dry-run']);
  const writer = await open(fifo, 'w');
  await writer.write('url\n');
  process.kill(signal);
  expect(await result).toMatchObject({ code, stderr: 'shorty: interrupted\n' });
  await writer.close();
});

test('an export imports unchanged into another server', async () => {
  const other = await startApiServer();
  onTestFinished(() => other.stop());
  const fields = {
    targetUrl: 'https://export.example/?q="a,b"',
    customSlug: 'exported-link',
    title: '=cmd|calc',
    description: "Line one, line two, and 'quotes'",
    tags: ['a|b', 'c'],
    category: '-1',
    redirectType: 301 as const,
    expiresAt: '2099-05-01T00:00:00.000Z',
    utmSource: '+plus',
    utmTerm: "'=quoted",
    customUtmParams: { utm_id: '7', utm_x: 'ü' },
    sourceDomain: 'blog.example.com',
  };
  await server.client.urls.create(fields);
  const paused = {
    targetUrl: 'https://export.example/paused',
    customSlug: 'exported-pause',
    tags: ['one, with a comma'],
  };
  await server.client.urls.create({ ...paused, isActive: false });
  await server.client.urls.create({
    targetUrl: 'https://export.example/code',
    importedCode: '-team/a_b',
    importedCreatedAt: '2015-06-07T08:09:10.000Z',
  });
  const csv = await shorty.exits(
    0,
    ' links written to export.csv\n',
    'urls export --out export.csv',
  );
  expect(csv.stdout).toBe('');
  expect(await shorty.read('export.csv')).toContain("'=cmd|calc");
  const skipped = 'skipping columns that only the server sets';
  await shorty.exits(0, skipped, 'urls bulk-create export.csv', { env: other.env });
  const copies = await other.links();
  const originals = (await server.links()).filter(({ deletedAt }) => deletedAt === null);
  expect(copies).toHaveLength(originals.length);
  const copy = copies.find(({ customSlug }) => customSlug === 'exported-link');
  expect(copy).toMatchObject({ ...fields, isActive: true });
  const pausedCopy = copies.find(({ customSlug }) => customSlug === paused.customSlug);
  expect(pausedCopy).toMatchObject({ ...paused, isActive: false });
  // The import sends several requests at once, so the order may differ.
  const states = (links: typeof copies) =>
    links.map(({ targetUrl, isActive }) => `${targetUrl} ${isActive}`).sort();
  expect(states(copies)).toEqual(states(originals));
  const codes = (links: typeof copies) =>
    links.map(({ shortCode, createdAt }) => `${shortCode} ${createdAt}`).sort();
  expect(codes(copies)).toEqual(codes(originals));
});
