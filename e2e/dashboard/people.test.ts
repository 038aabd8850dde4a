import { expect, test } from 'vitest';
import { saveScreenshot } from '../lib/browser.js';
import { expectAccessible, useDashboard } from '../lib/dashboard.js';

const dashboard = useDashboard();

test('an owner invites a colleague by the keyboard alone, who signs in by the link', async () => {
  const page = await dashboard.open('/people');
  await page.getByLabel('E-mail address').focus();
  await page.keyboard.type('grace@example.com');
  await page.keyboard.press('Tab');
  await page.keyboard.type('V');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  const link = page.getByLabel('Link for grace@example.com', { exact: true });
  const invitationUrl = await link.inputValue();
  expect(invitationUrl).toMatch(/\/dashboard\/welcome#shorty_in_/);
  // The link is selected, to be copied.
  await expect.poll(() => page.evaluate(() => String(getSelection()))).toBe(invitationUrl);
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await page.getByRole('cell', { name: 'invited until' }).waitFor();
  await saveScreenshot(page, 'people');
  await expectAccessible(page);
  const { items } = await dashboard.shorty.people.list();
  expect(items.map(({ email, role }) => [email, role])).toContainEqual([
    'grace@example.com',
    'viewer',
  ]);
  dashboard.expectNoProblems();
});

test('a role is changed, and changed back', async () => {
  const { id } = await dashboard.shorty.people.invite({ email: 'a@example.com', role: 'viewer' });
  const roleOf = async () =>
    (await dashboard.shorty.people.list()).items.find((user) => user.id === id)?.role;
  const page = await dashboard.open('/people');
  await page.getByLabel('Role of a@example.com').selectOption('editor');
  await page.getByText('a@example.com: editor').waitFor();
  expect(await roleOf()).toBe('editor');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(roleOf).toBe('viewer');
});

test('a new link replaces the one before', async () => {
  const before = await dashboard.shorty.people.invite({ email: 'b@example.com', role: 'viewer' });
  const page = await dashboard.open('/people');
  await page.getByRole('button', { name: 'New link for b@example.com' }).click();
  const link = page.getByLabel('Link for b@example.com', { exact: true });
  expect(await link.inputValue()).not.toBe(before.invitationUrl);
});

test('a person is removed after a question, and the last owner is not', async () => {
  await dashboard.shorty.people.invite({ email: 'c@example.com', role: 'editor' });
  const page = await dashboard.open('/people');
  await page.getByRole('button', { name: 'Remove c@example.com' }).click();
  await page.getByText('This cannot be undone').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByText('Removed c@example.com').waitFor();
  await page.getByRole('button', { name: 'Remove owner@example.com' }).click();
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByRole('dialog').getByRole('alert').getByText('no other owner').waitFor();
  await page.keyboard.press('Escape');
  await page.getByLabel('Role of owner@example.com').selectOption('viewer');
  await page.getByRole('status').getByText('no other owner').waitFor();
  const role = page.getByLabel('Role of owner@example.com');
  await expect.poll(() => role.inputValue()).toBe('owner');
  dashboard.expectNoProblems();
});
