import { expect, test } from 'vitest';
import { saveScreenshot } from '../lib/browser.js';
import { expectAccessible, useDashboard } from '../lib/dashboard.js';

const dashboard = useDashboard();

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
