import { readFile } from 'node:fs/promises';
import type { Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectAccessible, useDashboard } from '../lib/dashboard.js';

const dashboard = useDashboard();

test('a destination and Enter make a link, which stands first in the list', async () => {
  const page = await dashboard.open('/');
  await page.getByLabel('Destination').fill('https://example.com/<b>first</b>');
  await page.keyboard.press('Enter');
  const made = page.locator('.shorten [role=status] a').first();
  const shortUrl = (await made.textContent()) ?? '';
  expect((await dashboard.shorty.urls.lookup(shortUrl)).targetUrl).toBe(
    'https://example.com/<b>first</b>',
  );
  await page.getByRole('cell', { name: 'example.com/<b>first</b>' }).waitFor();
  await expectAccessible(page);
  dashboard.expectNoProblems();
});

test('what the server refuses stands beside the field', async () => {
  const page = await dashboard.open('/new?url=https://example.com/a');
  const destination = page.getByLabel('Destination');
  expect(await destination.inputValue()).toBe('https://example.com/a');
  await destination.fill('ftp://example.com/');
  await page.getByRole('button', { name: 'Shorten' }).click();
  await page.getByText('must start with http:// or https://').waitFor();
  // What was made is gone from the form, so that a second click does not make it again.
  await destination.fill('https://example.com/a');
  await page.getByRole('button', { name: 'Shorten' }).click();
  await expect.poll(() => destination.inputValue()).toBe('');
});

test('links are searched, paused and resumed, by the keyboard alone', async () => {
  const { shortUrl, id } = await dashboard.shorty.urls.create({
    targetUrl: 'https://example.com/needle',
    title: 'A needle',
  });
  await dashboard.shorty.urls.create({ targetUrl: 'https://example.com/hay' });
  // A text of spaces searches for nothing.
  const page = await dashboard.open('/?search=%20');
  await page.getByText('A needle').waitFor();
  await page.getByRole('heading', { name: 'Links' }).click();
  await page.keyboard.press('/');
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.getAttribute('name')))
    .toBe('search');
  await page.keyboard.type('needle');
  await page.keyboard.press('Enter');
  await page.getByText('1 of 1').waitFor();
  await page.getByRole('button', { name: `Pause ${shortUrl}` }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: `Resume ${shortUrl}` }).waitFor();
  expect((await dashboard.shorty.urls.get(id)).isActive).toBe(false);
});

test.each([
  ['Delete', 'Deleted 2 links'],
  ['Pause', 'Paused 2 links'],
])('%s of checked links can be undone, and a paused one stays paused', async (name, done) => {
  const tags = [name];
  const { id } = await dashboard.shorty.urls.create({ targetUrl: 'https://example.com/on', tags });
  const off = await dashboard.shorty.urls.create({ targetUrl: 'https://example.com/off', tags });
  const before = await dashboard.shorty.urls.update(off.id, { isActive: false });
  const page = await dashboard.open(`/?tag=${name}`);
  for (const box of [0, 1]) await page.getByLabel('Select http').nth(box).check();
  await page.getByRole('button', { name, exact: true }).click();
  await page.getByText(done).waitFor();
  expect((await dashboard.shorty.urls.get(id)).isActive).toBe(false);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(async () => (await dashboard.shorty.urls.get(id)).isActive).toBe(true);
  const { deletedAt, isActive } = before;
  await expect.poll(() => dashboard.shorty.urls.get(off.id)).toMatchObject({ deletedAt, isActive });
});

test('a checked link whose change is refused is named, and stays checked', async () => {
  const full = await dashboard.shorty.urls.create({
    targetUrl: 'https://example.com/full',
    tags: ['crowd', ...Array.from({ length: 19 }, (_, index) => `tag-${index}`)],
  });
  const other = await dashboard.shorty.urls.create({
    targetUrl: 'https://example.com/other',
    tags: ['crowd'],
  });
  const page = await dashboard.open('/?tag=crowd');
  for (const { shortUrl } of [full, other]) await page.getByLabel(`Select ${shortUrl}`).check();
  await dashboard.shorty.urls.update(other.id, { tags: ['crowd', 'theirs'] });
  await page.getByLabel('Tag to add').fill('new');
  await page.getByRole('button', { name: 'Add tag' }).click();
  await page.getByText(`1 refused: ${full.shortUrl}: tags must have at most 20 tags`).waitFor();
  expect((await dashboard.shorty.urls.get(other.id)).tags).toEqual(['crowd', 'theirs', 'new']);
  expect(await page.getByLabel(`Select ${full.shortUrl}`).isChecked()).toBe(true);
});

test('checked links are exported as a file, in which their texts are no formulas', async () => {
  const title = '=1+1, "<b>quoted</b>"';
  const targetUrl = 'https://example.com/exported';
  const { shortUrl } = await dashboard.shorty.urls.create({ targetUrl, title, tags: ['a', 'b'] });
  const page = await dashboard.open('/');
  await page.getByLabel(`Select ${shortUrl}`).check();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  const [head, row = '', ...rest] = (await readFile(await (await download).path(), 'utf8'))
    .trim()
    .split(/\r?\n/);
  expect(head).toMatch(/\bshortUrl\b.*\btargetUrl\b|\btargetUrl\b.*\bshortUrl\b/);
  expect(row).toContain(targetUrl);
  expect(row).toContain(`'=1+1, ""<b>quoted</b>""`);
  expect(rest).toEqual([]);
});

test('more of a list is read, and what is there is not read again', async () => {
  const urls = Array.from({ length: 60 }, (_, index) => ({
    targetUrl: `https://example.com/${index}`,
    tags: ['many'],
  }));
  await dashboard.shorty.urls.bulkCreate(urls);
  const page = await dashboard.open('/?tag=many');
  await page.getByText('50 of 60').waitFor();
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.getByRole('button', { name: 'Show more' }).click();
  await page.getByText('60 of 60').waitFor();
  expect(requests).toEqual([expect.stringContaining('after=')]);
});

const targetUrl = 'https://example.com/page';

test('a new link has the slug, the tags and the rules of the form', async () => {
  await dashboard.shorty.urls.create({ targetUrl, customSlug: 'taken' });
  const page = await dashboard.open(`/links/new?url=${targetUrl}`);
  const slug = page.getByLabel('Slug');
  await slug.fill('taken');
  await page
    .getByText(/^The slug "?taken/)
    .or(page.getByText(/taken/))
    .first()
    .waitFor();
  await slug.fill('spring');
  await page.getByText('This slug is free.').waitFor();
  await page.getByLabel('Title', { exact: true }).fill('<img src=x onerror=alert(1)>');
  await page.getByLabel('Tags').fill('flyer, A3%2C folded');
  await page.getByLabel('Category').fill('print');
  await page.getByLabel('Redirect', { exact: true }).selectOption('301');
  await page.getByText('UTM parameters').click();
  await page.getByLabel('Source').fill('mail');
  await page.getByText('Other destinations for some visits').click();
  await page.getByRole('button', { name: 'Add a rule' }).click();
  await page.getByLabel('Countries').fill('DE, AT');
  await page.getByLabel('Query', { exact: true }).fill('ref=mail, plain');
  await page.getByLabel('Leads to').fill('https://example.com/de');
  await page.getByText('The same on a command line').click();
  await page.getByText(/^curl -X POST/).waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Shorten' }).click();
  await page.getByRole('heading', { name: '<img src=x onerror=alert(1)>' }).waitFor();
  const url = await dashboard.shorty.urls.lookup('spring');
  expect(url).toMatchObject({
    targetUrl,
    tags: ['flyer', 'A3, folded'],
    category: 'print',
    redirectType: 301,
    utmSource: 'mail',
    rules: [
      {
        when: { country: ['DE', 'AT'], query: { ref: 'mail', plain: true } },
        targetUrl: 'https://example.com/de',
      },
    ],
  });
  await page.getByLabel('country', { exact: true }).fill('AT');
  await page.getByLabel('query', { exact: true }).fill('ref=mail&plain=1');
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  await page.getByText('Rule 1 matches.').waitFor();
  await expectAccessible(page);
  dashboard.expectNoProblems();
});

test('a change sends only what differs, by the keyboard alone', async () => {
  const { id } = await dashboard.shorty.urls.create({ targetUrl, tags: ['old'], maxClicks: 7 });
  const page = await dashboard.open(`/links/${id}`);
  await page.getByLabel('Tags').focus();
  await page.keyboard.press('Control+A');
  await page.keyboard.type('new');
  await page.keyboard.press('Enter');
  await page.getByText(/^Saved /).waitFor();
  expect(await dashboard.shorty.urls.get(id)).toMatchObject({ tags: ['new'], maxClicks: 7 });
});

test('a change of one rule or tag leaves the others as they are', async () => {
  const rules = [
    {
      name: 'old',
      when: { country: ['DE'], after: '2099-06-01T00:00:59.999Z' },
      targetUrl: 'https://example.com/de',
    },
    {
      when: { query: { ref: 'a,b' }, before: '2099-07-01T00:00:30.000Z' },
      targetUrl: 'https://example.com/ref',
    },
  ];
  const { id } = await dashboard.shorty.urls.create({ targetUrl, rules, tags: ['a, b'] });
  const page = await dashboard.open(`/links/${id}`);
  await page.getByLabel('Name').first().fill('new');
  const tags = page.getByLabel('Tags');
  await tags.fill(`${await tags.inputValue()}, c`);
  await page.keyboard.press('Enter');
  await page.getByText(/^Saved /).waitFor();
  expect(await dashboard.shorty.urls.get(id)).toMatchObject({
    tags: ['a, b', 'c'],
    rules: [{ ...rules[0], name: 'new' }, rules[1]],
  });
});

test('what somebody enters while the form is saved is not lost', async () => {
  const { id } = await dashboard.shorty.urls.create({ targetUrl });
  const page = await dashboard.open(`/links/${id}`);
  const title = page.getByLabel('Title', { exact: true });
  await title.fill('saved');
  const enterMore = async (route: Route) => {
    await title.fill('saved, and more');
    await route.continue();
  };
  await page.route(`**/urls/${id}`, enterMore, { times: 1 });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText(/^Saved /).waitFor();
  expect((await dashboard.shorty.urls.get(id)).title).toBe('saved');
  expect(await title.inputValue()).toBe('saved, and more');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect
    .poll(() => dashboard.shorty.urls.get(id))
    .toMatchObject({ title: 'saved, and more' });
});

test('of two people who edit one link, the second sees both versions', async () => {
  const { id } = await dashboard.shorty.urls.create({ targetUrl, title: 'before' });
  const page = await dashboard.open(`/links/${id}`);
  const title = page.getByLabel('Title', { exact: true });
  await title.fill('mine');
  await dashboard.shorty.urls.update(id, { title: 'theirs' });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('cell', { name: 'theirs' }).waitFor();
  await page.getByRole('cell', { name: 'mine' }).waitFor();
  expect((await dashboard.shorty.urls.get(id)).title).toBe('theirs');
  await page.getByRole('button', { name: 'Save yours' }).click();
  await page.getByText(/^Saved /).waitFor();
  expect((await dashboard.shorty.urls.get(id)).title).toBe('mine');
});

test('what the server refuses stands beside its field, and nothing is lost', async () => {
  const page = await dashboard.open(`/links/new?url=${targetUrl}`);
  await page.getByLabel('Slug').fill('api');
  await page.getByLabel('Tags').fill('kept');
  await page.getByText('Other destinations for some visits').click();
  await page.getByRole('button', { name: 'Add a rule' }).click();
  await page.getByLabel('Or divide the visitors').fill('half https://example.com/a');
  await page.getByRole('button', { name: 'Shorten' }).click();
  await page.getByText('reserved word').waitFor();
  await page.getByText('is "half": it must be a whole number').waitFor();
  expect(await page.getByLabel('Tags').inputValue()).toBe('kept');
});
