import { standardPlans } from '@shorty/server';
import { expect, test } from 'vitest';
import { saveScreenshot } from '../lib/browser.js';
import { expectAccessible, useDashboard } from '../lib/dashboard.js';

const operatorKey = 'operator-key-of-the-dashboard-0123456789';
const plans = { ...standardPlans, acme: standardPlans.free };
const dashboard = useDashboard({ operatorKey, plans });

async function openOperator() {
  const page = await dashboard.open('/');
  await page.getByRole('link', { name: 'Operator' }).click();
  await page.getByLabel('Operator key').fill(operatorKey);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Organizations' }).waitFor();
  return page;
}

test('an operator creates, suspends and resumes an organization by the keyboard alone', async () => {
  const page = await openOperator();
  await page.getByText(/Version .*: ready/).waitFor();
  const form = page.getByRole('form', { name: 'Create an organization' });
  await form.getByLabel('Name').focus();
  await page.keyboard.type('<b>Acme</b>');
  expect(await form.getByLabel('Plan').inputValue()).toBe('free');
  await form.getByLabel('Plan').fill('acme');
  await page.keyboard.press('Enter');
  expect(await page.getByLabel('Client secret of', { exact: false }).first().inputValue()).toMatch(
    /^shorty_cs_/,
  );
  await page.keyboard.press('Escape');
  await page.getByRole('cell', { name: 'acme', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Suspend <b>Acme</b>' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('cell', { name: 'suspended' }).waitFor();
  await saveScreenshot(page, 'operator');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await page.getByRole('button', { name: 'Suspend <b>Acme</b>' }).waitFor();
  dashboard.expectNoProblems();
});

test('a link is taken down and given back', async () => {
  const { shortUrl } = await dashboard.shorty.urls.create({ targetUrl: 'https://example.com/' });
  const statusOf = async () => (await fetch(shortUrl, { redirect: 'manual' })).status;
  const page = await openOperator();
  const form = page.getByRole('form', { name: 'Take down' });
  await form.getByLabel('Short link').fill(shortUrl);
  await form.getByLabel('Reason').fill('phishing');
  await page.keyboard.press('Enter');
  const undo = page.getByRole('button', { name: `Undo takedown ${shortUrl}` });
  await undo.waitFor();
  expect(await statusOf()).toBe(451);
  await undo.click();
  await page.getByText(`Undo takedown: ${shortUrl}`).waitFor();
  await expect.poll(statusOf).toBe(307);
});

test('a host is blocked, unblocked and blocked again, and errors stand beside their fields', async () => {
  const page = await openOperator();
  const form = page.getByRole('form', { name: 'Block' });
  await form.getByLabel('Host').fill('not a host');
  await form.getByLabel('Reason').fill('phishing');
  await page.keyboard.press('Enter');
  await form.locator('.field .error').waitFor();
  await form.getByLabel('Host').fill('evil.example');
  await page.keyboard.press('Enter');
  const create = () => dashboard.shorty.urls.create({ targetUrl: 'https://evil.example/' });
  await page.getByRole('button', { name: 'Unblock evil.example' }).click();
  await page.getByText('Unblock: evil.example').waitFor();
  await create();
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await page.getByRole('button', { name: 'Unblock evil.example' }).waitFor();
  await expect(create()).rejects.toThrow();
});

test('the key is forgotten when the page is left, and a wrong one is refused', async () => {
  const page = await openOperator();
  await page.getByRole('link', { name: 'Links', exact: true }).click();
  await page.getByRole('link', { name: 'Operator' }).click();
  await page.getByLabel('Operator key').fill('wrong-key-of-the-dashboard-0123456789');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').waitFor();
  const stored = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]));
  expect(stored).toBe('[{},{}]');
});
