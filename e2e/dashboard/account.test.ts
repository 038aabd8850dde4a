import { expect, test } from 'vitest';
import { saveScreenshot } from '../lib/browser.js';
import { expectAccessible, useDashboard } from '../lib/dashboard.js';

const dashboard = useDashboard();
const changed = 'another horse battery';

test('a person changes the password by the keyboard alone, and stays signed in', async () => {
  const page = await dashboard.openAs('viewer', '/account');
  await page.getByLabel('Current password').focus();
  await page.keyboard.type('a wrong password');
  await page.keyboard.press('Tab');
  await page.keyboard.type(changed);
  await page.keyboard.press('Enter');
  await page.locator('.field').getByText('is wrong').waitFor();
  await saveScreenshot(page, 'account');
  await expectAccessible(page);
  await page.getByLabel('Current password').fill('correct horse battery');
  await page.keyboard.press('Enter');
  await page.getByText('Changed the password').waitFor();
  await page.reload();
  const you = await page.getByText('You are person-0@example.com').textContent();
  expect(you).toContain('viewer of default');

  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('E-mail address').fill('person-0@example.com');
  await page.getByLabel('Password').fill(changed);
  await page.keyboard.press('Enter');
  await page.getByText('You are person-0@example.com').waitFor();
  dashboard.expectNoProblems();
});
