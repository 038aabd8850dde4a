import { Shorty } from '@shorty/sdk';
import { expect, test } from 'vitest';
import { saveScreenshot } from '../lib/browser.js';
import { expectAccessible, useDashboard } from '../lib/dashboard.js';

const dashboard = useDashboard();
const name = '<b>deploy</b>';

test('a key is made and shown once, works with its scopes only, and is revoked', async () => {
  const page = await dashboard.open('/keys');
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('urls:write').uncheck();
  await page.getByLabel('Only links that the key creates').check();
  await page.getByLabel('Last day').fill('2099-12-31');
  await page.getByLabel('Name').press('Enter');
  const apiKey = await page.getByLabel(`Key ${name}`, { exact: true }).inputValue();
  await page.getByRole('button', { name: 'Close' }).click();
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
