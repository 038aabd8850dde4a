import type { Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectAccessible, useDashboard } from '../lib/dashboard.js';

const dashboard = useDashboard();
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
  await page.getByLabel('Tags').fill('flyer, poster');
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
    tags: ['flyer', 'poster'],
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
