import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { saveScreenshot } from '../lib/browser.js';
import { expectAccessible, useDashboard } from '../lib/dashboard.js';

const dashboard = useDashboard();

test('the bookmarklet opens the form with the page, and does nothing where it is shown', async () => {
  const page = await dashboard.open('/tools');
  const link = page.getByRole('link', { name: 'Shorten' });
  await link.focus();
  await page.keyboard.press('Enter');
  await page.getByText('Drag the link to the bookmarks').waitFor();
  await saveScreenshot(page, 'tools');
  await expectAccessible(page);
  dashboard.expectNoProblems();

  // A browser runs a bookmark in the page that is open.
  const script = (await link.getAttribute('href')) ?? '';
  expect(script).toMatch(/^javascript:/);
  await page.goto(`${dashboard.server.url}/dashboard/people?a=1&b=<b>`);
  await page.evaluate(script.slice('javascript:'.length));
  await page.waitForURL('**/dashboard/new?url=*');
  const destination = await page.getByLabel('Destination').inputValue();
  expect(destination).toBe(`${dashboard.server.url}/dashboard/people?a=1&b=%3Cb%3E`);
});

test('the file for ShareX makes a link by a key', async () => {
  const page = await dashboard.open('/tools');
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download shorty.sxcu' }).click(),
  ]);
  expect(file.suggestedFilename()).toBe('shorty.sxcu');
  const { RequestURL, RequestMethod, Headers, Data } = JSON.parse(
    await readFile(await file.path(), 'utf8'),
  );
  const { key } = await dashboard.shorty.apiKeys.create({ name: 'x', scopes: ['urls:write'] });
  // ShareX replaces these, and sends JSON.
  const response = await fetch(RequestURL, {
    method: RequestMethod,
    headers: {
      authorization: Headers.Authorization.replace('YOUR_API_KEY', key),
      'content-type': 'application/json',
    },
    body: Data.replace('{input}', 'https://example.com/from-sharex'),
  });
  const { data } = (await response.json()) as { data: { shortUrl: string } };
  expect((await dashboard.shorty.urls.lookup(data.shortUrl)).targetUrl).toBe(
    'https://example.com/from-sharex',
  );
});
