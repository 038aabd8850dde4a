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

test('somebody whose session has ended is told to sign in, and loses no text', async () => {
  const page = await dashboard.openAs('editor', '/links/new?url=https://example.com/');
  const other = await page.context().newPage();
  await page.getByLabel('Notes').fill('typed');
  await other.goto(`${dashboard.server.url}/dashboard/`);
  await other.getByRole('button', { name: 'Sign out' }).click();
  await other.getByRole('heading', { name: 'Sign in to Shorty' }).waitFor();
  await page.getByRole('button', { name: 'Shorten' }).click();
  await page.getByText(/^Sign in, or /).waitFor();
  expect(await page.getByLabel('Notes').inputValue()).toBe('typed');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in to Shorty' }).waitFor();
});

test('somebody who cannot be signed out is told so', async () => {
  const page = await dashboard.openAs('editor', '/account');
  await page.getByRole('heading', { name: 'Account' }).waitFor();
  await page.route('**/api/v1/session', (route) => route.abort());
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('status').getByText('/session failed').waitFor();
});
