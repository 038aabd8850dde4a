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
