import { readFile } from 'node:fs/promises';
import { Shorty } from '@shorty/sdk';
import { expect, test } from 'vitest';
import { saveScreenshot } from '../lib/browser.js';
import { expectAccessible, useDashboard } from '../lib/dashboard.js';

const dashboard = useDashboard();

test('a viewer sees the use of a month, and of the months before by the keyboard alone', async () => {
  const { id } = await dashboard.shorty.urls.create({ targetUrl: 'https://example.com/' });
  await dashboard.shorty.qr.create({ urlId: id });
  const page = await dashboard.openAs('viewer', '/usage');
  await page.getByRole('row', { name: 'QR codes created' }).getByText('1 used').waitFor();
  await page.getByRole('row', { name: 'Active links' }).getByText('1 used').waitFor();
  await saveScreenshot(page, 'usage');
  await expectAccessible(page);
  await page.getByLabel('Month (UTC)').focus();
  await page.keyboard.press('ArrowDown');
  await page.getByRole('row', { name: 'QR codes created' }).getByText('0 used').waitFor();
  await expect.poll(() => page.getByLabel('Month (UTC)').inputValue()).toMatch(/^\d{4}-\d\d$/);
  dashboard.expectNoProblems();
});

test('the audit names who changed what, and is filtered by a value, by the keyboard alone', async () => {
  const { id } = await dashboard.shorty.urls.create({ targetUrl: 'https://example.com/' });
  await dashboard.shorty.urls.update(id, { title: '<b>title</b>' });
  const page = await dashboard.open('/');
  await page.getByLabel('Destination').fill('https://example.com/by-a-person');
  await page.keyboard.press('Enter');
  await page.locator('.shorten [role=status]').waitFor();
  await page.getByRole('link', { name: 'Audit' }).click();
  const rows = page.locator('tbody tr');
  await rows.filter({ hasText: 'owner@example.com' }).filter({ hasText: 'createUrl' }).waitFor();
  await rows.filter({ hasText: 'updateUrl' }).getByRole('cell', { name: 'title' }).waitFor();
  await saveScreenshot(page, 'audit');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Only operation updateUrl' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('1 of 1').waitFor();
  await expect.poll(() => page.getByLabel('Operation').first().inputValue()).toBe('updateUrl');
  await page.getByLabel('To', { exact: true }).fill('2001-01-01');
  await page.getByText('No entry matches.').waitFor();
  await page.getByRole('link', { name: 'Clear filters' }).click();
  await rows.filter({ hasText: 'owner@example.com' }).first().waitFor();
  dashboard.expectNoProblems();
});

const name = '<b>deploy</b>';

test('a key is made and shown once, works with its scopes only, and is revoked', async () => {
  const page = await dashboard.open('/keys');
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('urls:write').uncheck();
  await page.getByLabel('Only links that the key creates').check();
  await page.getByLabel('Last day').fill('2099-12-31');
  await page.getByLabel('Name').press('Enter');
  const apiKey = await page.getByLabel(`Key ${name}`, { exact: true }).inputValue();
  // As on a page without TLS.
  await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
  await page.getByRole('button', { name: `Copy Key ${name}` }).click();
  await page.getByText(`Copied Key ${name}`).waitFor();
  await page.keyboard.press('Escape');
  await page.locator('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('ControlOrMeta+V');
  // Browsers paste after the key was pressed.
  await expect.poll(() => page.getByLabel('Name').inputValue()).toBe(apiKey);
  const client = new Shorty({ baseUrl: dashboard.server.url, apiKey });
  expect(await client.me()).toMatchObject({
    scopes: ['urls:read'],
    apiKey: { domainId: null, onlyOwnLinks: true },
  });
  await page.getByRole('cell', { name: 'its own' }).waitFor();
  await page.getByRole('cell', { name: '2099' }).waitFor();
  await saveScreenshot(page, 'keys');
  await expectAccessible(page);

  await page.reload();
  await page.getByRole('cell', { name }).first().waitFor();
  expect(await page.getByText(apiKey).count()).toBe(0);
  await page.getByRole('button', { name: `Revoke ${name}` }).focus();
  await page.keyboard.press('Enter');
  await page.setViewportSize({ width: 320, height: 900 });
  const isCut = page.getByRole('dialog').evaluate((it) => it.scrollWidth > it.clientWidth);
  expect(await isCut).toBe(false);
  await page.getByText('This cannot be undone').waitFor();
  await page.getByRole('button', { name: 'Revoke', exact: true }).press('Enter');
  await page.getByText(`Revoked ${name}`).waitFor();
  await expect(client.me()).rejects.toMatchObject({ status: 401 });
  dashboard.expectNoProblems();
});

test('what the server refuses stands beside the field', async () => {
  const page = await dashboard.open('/keys');
  await page.getByLabel('Name').fill('old');
  await page.getByLabel('Last day').fill('2001-01-01');
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.locator('.field .error').waitFor();
});

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

test('the screen of the operator is missing where the administration API is not served', async () => {
  const owner = await dashboard.open('/operator');
  await owner.getByText('This page does not exist').waitFor();
  expect(await owner.getByRole('link', { name: 'Operator' }).count()).toBe(0);
});
