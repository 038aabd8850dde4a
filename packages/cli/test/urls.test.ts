import { expect, test } from 'vitest';
import { startSignedInShorty } from './signed-in-shorty.js';

const { server, shorty } = await startSignedInShorty();

const create = (...args: string[]): Promise<{ id: string; shortUrl: string }> =>
  shorty.json(['urls', 'create', ...args]);

test('create sends every field of a link', async () => {
  const { id } = await create(
    ...['https://example.com/all', '--slug', 'all-fields', '--title', 'A title'],
    ...['--description', 'Words', '--category', 'News', '--tag', 'a', '--tag', 'b|c'],
    ...['--redirect-type', '302', '--expires-at', '2099-01-01T00:00:00Z'],
    ...['--utm-source', 's', '--utm-medium', 'm', '--utm-campaign', 'c', '--utm-term', 't'],
    ...['--utm-content', 'x', '--utm-param', 'utm_id=7', '--utm-param', 'ref=a=b'],
    ...['--source-domain', 'blog.example.com', '--activates-at', '2020-01-01'],
    ...['--expired-url', 'https://example.com/over', '--max-clicks', '5'],
  );
  expect(await server.client.urls.get(id)).toMatchObject({
    targetUrl: 'https://example.com/all',
    customSlug: 'all-fields',
    title: 'A title',
    description: 'Words',
    category: 'News',
    tags: ['a', 'b|c'],
    redirectType: 302,
    expiresAt: '2099-01-01T00:00:00.000Z',
    utmSource: 's',
    utmMedium: 'm',
    utmCampaign: 'c',
    utmTerm: 't',
    utmContent: 'x',
    customUtmParams: { utm_id: '7', ref: 'a=b' },
    sourceDomain: 'blog.example.com',
    activatesAt: '2020-01-01T00:00:00.000Z',
    expiredUrl: 'https://example.com/over',
    maxClicks: 5,
    isPasswordProtected: false,
  });
});

test.each([
  ['2099-01-01', [], '2099-01-01T23:59:59.000Z'],
  ['31.12.2098', ['--time-zone', 'Europe/Berlin'], '2098-12-31T22:59:59.000Z'],
  ['2099-01-01 10:00', ['--time-zone', 'America/New_York'], '2099-01-01T15:00:00.000Z'],
])('a link that expires at %s %j ends at %s, and the result says so', async (text, more, end) => {
  const args = ['urls', 'create', 'https://example.com', '--expires-at', text, ...more];
  const { stdout, stderr } = await shorty.run(args);
  expect(stderr).toBe(`expires at ${end.slice(0, 16).replace('T', ' ')} UTC\n`);
  const link = await server.client.urls.lookup(stdout.trim());
  expect(link.expiresAt).toBe(end);
});

test('--expires-at 30d ends in thirty days', async () => {
  const { id } = await create('https://example.com/month', '--expires-at', '30d');
  const { expiresAt } = await server.client.urls.get(id);
  const days = (Date.parse(expiresAt ?? '') - Date.now()) / 86_400_000;
  expect(days).toBeCloseTo(30, 2);
});

test('create reads a password from stdin and never prints it', async () => {
  const args = ['urls', 'create', 'https://example.com/locked', '--password-stdin', '--json'];
  const { code, stdout, stderr } = await shorty.run(args, { input: 'open sesame\n' });
  expect(code).toBe(0);
  expect(stdout + stderr).not.toContain('open sesame');
  const { id } = JSON.parse(stdout);
  expect((await server.client.urls.get(id)).isPasswordProtected).toBe(true);
  await shorty.exits(2, '--password-stdin: stdin is empty', args);
});

test('--if-exists return takes a link that exists', async () => {
  const { id } = await create('https://example.com/known');
  const again = await create('https://example.com/known', '--if-exists', 'return');
  expect(again.id).toBe(id);
});

test('create prints only the short URL when another program reads it', async () => {
  const args = ['urls', 'create', 'https://example.com', '--slug', 'piped'];
  const { code, stdout } = await shorty.run(args);
  expect([code, stdout]).toEqual([0, `${server.url}/piped\n`]);
  const table = await shorty.run('urls create https://example.com --output table');
  expect(table.stdout).toMatch(/^shortUrl +http/);
  expect(table.stdout).not.toMatch(/^\w+ *$/m);
});

test('list sorts and filters by time and target', async () => {
  for (const title of ['Sorted b', 'Sorted a']) {
    await create('https://example.com/sorted', '--title', title);
  }
  const filters = ['--target-url', 'https://example.com/sorted', '--created-since', '2020-01-01'];
  const list = async (...args: string[]) => {
    const { items } = await shorty.json(['urls', 'list', ...filters, ...args]);
    return Promise.all(
      items.map(async ({ id }: { id: string }) => (await server.client.urls.get(id)).title),
    );
  };
  expect(await list()).toEqual(['Sorted a', 'Sorted b']);
  expect(await list('--order', 'asc')).toEqual(['Sorted b', 'Sorted a']);
  expect(await list('--sort', 'clickCount', '--order', 'asc')).toEqual(['Sorted b', 'Sorted a']);
  expect(await list('--created-until', '2020-01-02')).toEqual([]);
});

test('each format of list has its columns', async () => {
  await create('https://example.com/formats');
  const list = async (format: string) => (await shorty.run(['urls', 'list', '-o', format])).stdout;
  expect(JSON.parse(await list('json'))).toMatchObject({ limit: 25, offset: 0 });
  expect(await list('csv')).toMatch(/^id,shortUrl,shortCode,customSlug,isActive,targetUrl\n/);
  expect(await list('table')).toMatch(/^shortUrl +targetUrl +clickCount +title\n/);
});

test('a page of list names the option for the next page; --all prints every page', async () => {
  const links = Array.from({ length: 5 }, (_, i) => `https://example.com/page-${i}`);
  for (const link of links) await server.client.urls.create({ targetUrl: link, category: 'p' });
  const filter = ['urls', 'list', '--category', 'p'];
  const page = await shorty.run([...filter, '--limit', '2', '--offset', '2']);
  expect(page.stdout.trimEnd().split('\n')).toHaveLength(3);
  expect(page.stderr).toBe('3 to 4 of 5; --offset 4 shows more\n');
  expect((await shorty.run([...filter, '--created-since', '1h', '--json'])).stdout).toContain(
    '"total":5',
  );
  expect((await shorty.run([...filter, '--created-until', '1h'])).stderr).toBe('nothing found\n');
  const all = await shorty.run([...filter, '--all', '-o', 'ndjson']);
  expect(all.stdout.trimEnd().split('\n')).toHaveLength(5);
});

test('changes print one line with what changed, and a slug of a deleted link suggests restore', async () => {
  const args = ['https://example.com/word', '--slug', 'one-word', '--title', 'Old'];
  const { shortUrl } = await create(...args);
  const unlocked = await shorty.run(['urls', 'update', 'one-word', '--clear', 'password']);
  expect(unlocked.stdout).toBe(`${shortUrl} updated: password cleared\n`);
  const lines: Record<string, string> = {};
  for (const command of ['update --title New --clear tags', 'pause', 'resume', 'delete --yes']) {
    const [verb = '', ...more] = command.split(' ');
    lines[verb] = (await shorty.run(['urls', verb, 'one-word', ...more])).stdout;
  }
  expect(lines).toEqual({
    update: `${shortUrl} updated: title New, tags cleared\n`,
    pause: '1 link paused (one-word)\n',
    resume: '1 link resumed (one-word)\n',
    delete: '1 link deleted (one-word)\n',
  });
  const list = async (...more: string[]) =>
    (await shorty.run(['urls', 'list', '--search', 'one-word', ...more])).stdout;
  expect(await list()).toBe('');
  expect(await list('--deleted')).toContain('(deleted) New\n');
  const exported = async (...more: string[]) =>
    (await shorty.run(['urls', 'export', '--search', 'one-word', ...more])).stdout;
  expect(await exported()).not.toContain('one-word');
  expect(await exported('--deleted')).toContain('one-word');
  await shorty.exits(1, 'shorty urls restore', ['urls', 'create', ...args]);
  const restored = await shorty.run('urls restore one-word');
  expect(restored.stdout).toBe('1 link restored (one-word)\n');
});

test('changes say what a link already is, and only restore makes a deleted one active', async () => {
  const { id } = await create('https://example.com/state', '--slug', 'as-wanted');
  const say = async (verb: string, ...more: string[]) => {
    const { code, stdout, stderr } = await shorty.run(['urls', verb, 'as-wanted', ...more]);
    return [code, stdout + stderr];
  };
  const same = (verb: string, state: string) => [
    0,
    `0 links ${verb}d\nshorty: 1 link unchanged: already ${state} (as-wanted)\n`,
  ];
  expect(await say('resume')).toEqual(same('resume', 'active'));
  expect(await say('restore')).toEqual(same('restore', 'active'));
  await say('pause');
  expect(await say('pause')).toEqual(same('pause', 'inactive'));
  await say('delete');
  expect(await say('delete')).toEqual(same('delete', 'deleted'));
  const isDeleted = 'shorty: 1 link skipped: deleted; shorty urls restore makes deleted links';
  for (const verb of ['resume', 'pause']) {
    expect(await say(verb)).toEqual([
      1,
      `0 links ${verb}d\n${isDeleted} active again (as-wanted)\n`,
    ]);
  }
  const rows = (id: string, status: string) => [1, `{"id":"${id}","status":"${status}"}\n`];
  const [code, text] = await say('resume', '-o', 'ndjson', '--quiet');
  expect([code, String(text).split('shorty')[0]]).toEqual(rows('as-wanted', 'skipped'));
  expect((await server.client.urls.get(id)).deletedAt).not.toBeNull();
});

test('update sets and clears', async () => {
  const { id } = await create('https://example.com/old', '--title', 'Old', '--tag', 'a');
  const update = (...args: string[]) => shorty.json(['urls', 'update', id, ...args]);
  const moved = await update('--target-url', 'https://example.com/new', '--clear', 'title');
  expect(moved).toMatchObject({ targetUrl: 'https://example.com/new', title: null });
  expect(await update('--clear', 'tags')).toMatchObject({ tags: [] });
  const forwarding = await update('--forward-query', '--no-forward-path');
  expect(forwarding).toMatchObject({ forwardQuery: true, forwardPath: false });
  const shown = await update('--info-page', '--no-public-stats');
  expect(shown).toMatchObject({ infoPage: true, publicStats: false });
  expect(await update('--add-tag', 'b', '--add-tag', 'c')).toMatchObject({ tags: ['b', 'c'] });
  const tagged = await update('--remove-tag', 'b', '--add-tag', 'd');
  expect(tagged).toMatchObject({ tags: ['c', 'd'] });
  const byDomain = await update('--clear', 'forward-query', '--clear', 'forward-path');
  expect(byDomain).toMatchObject({ forwardQuery: null, forwardPath: null });
});

test('delete exits with 0 when all ids exist, 3 when some exist, 1 when none exists', async () => {
  const { id } = await create('https://example.com/delete');
  const some = await shorty.run(['urls', 'delete', `${id},999998`, '-o', 'ndjson']);
  expect([some.code, some.stdout]).toEqual([
    3,
    `{"id":"${id}","status":"deleted"}\n{"id":"999998","status":"skipped"}\n`,
  ]);
  expect((await server.client.urls.get(id)).isActive).toBe(false);
  expect((await shorty.run('urls delete 999998')).code).toBe(1);
  const { id: other } = await create('https://example.com/delete');
  expect((await shorty.run(['urls', 'delete', other])).code).toBe(0);
  await shorty.exits(3, '(x 1)', ['urls', 'delete', other, 'x 1']);
});

test('restore makes deleted links active again, by id or by short URL', async () => {
  const one = await create('https://example.com/one');
  const two = await create('https://example.com/two');
  await shorty.run(['urls', 'delete', one.id, two.id, '--yes']);
  const listed = await shorty.run('urls list --deleted -o ndjson');
  expect(listed.stdout).toContain(`"id":"${one.id}"`);
  const names = `${one.id},999998`;
  const preview = await shorty.run(['urls', 'restore', names, '--dry-run', '-o', 'ndjson']);
  expect(preview.stdout).toContain(`{"id":"${one.id}","status":"would be restored"}`);
  const restored = await shorty.run(['urls', 'restore', names, two.shortUrl, '-o', 'ndjson']);
  expect([restored.code, restored.stdout]).toEqual([
    3,
    `{"id":"${one.id}","status":"restored"}\n{"id":"${two.id}","status":"restored"}\n{"id":"999998","status":"skipped"}\n`,
  ]);
  const link = await server.client.urls.get(one.id);
  expect(link).toMatchObject({ isActive: true, deletedAt: null });
});

test('create and update set a preview, and rules from a file or from stdin', async () => {
  const image = 'https://example.com/sale.png';
  const link = await create(
    ...['https://example.com/preview', '--preview-title', 'Sale', '--preview-image', image],
  );
  const rules = [
    { name: 'phones', when: { device: ['mobile'] }, targetUrl: 'https://m.example.com/' },
  ];
  const set = ['urls', 'update', link.id, '--rules', '-', '--preview-title', 'Other', '--json'];
  expect(await server.client.urls.get(link.id)).toMatchObject({
    preview: { title: 'Sale', description: null, imageUrl: image },
    rules: [],
  });
  expect((await shorty.run(set, { input: JSON.stringify(rules) })).code).toBe(0);
  expect(await server.client.urls.get(link.id)).toMatchObject({
    preview: { title: 'Other', description: null, imageUrl: null },
    rules,
  });
  await shorty.run(`urls update ${link.id} --clear preview --clear rules`);
  expect(await server.client.urls.get(link.id)).toMatchObject({ preview: null, rules: [] });
  const both = `urls update ${link.id} --rules - --password-stdin`;
  await shorty.exits(2, 'stdin is empty, or another option has read it', both, { input: '[]' });
});

test.each([
  [['urls', 'get', 'no-such-link'], 'shorty urls list --search TEXT finds links'],
  [['qr', 'get', '0192f0c1-2b7d-7c3e-9a51-3f1d2b6c8e47'], 'shorty qr list prints the ids'],
  [['webhooks', 'test', 'x'], 'shorty webhooks list prints them'],
  [['domains', 'get', 'x'], 'shorty domains list prints the hostnames'],
])('%j names the command that lists what exists', async (args, hint) => {
  await shorty.exits(1, `\n  ${hint}\n`, args);
});
