import { expect, test } from 'vitest';
import { expectAccessible, useDashboard } from '../lib/dashboard.js';

const dashboard = useDashboard();
const hook = 'https://example.com/hook';
const changes =
  /^(Save|Create|Add|Invite|Verify|Pause|Resume|Delete|Remove|New link|Send a test|Resend|Replace)/;
const newRecords = /^(Destination|New domain|E-mail address|Role of .*)$/;

/** Creates a record for each screen. Returns the paths of screens, and a text of each. */
async function createRecords(): Promise<readonly (readonly [string, string])[]> {
  const { shorty } = dashboard;
  const link = await shorty.urls.create({
    targetUrl: 'https://example.com/',
    title: 'Spring sale',
  });
  const domain = await shorty.domains.create({ hostname: 'seen.example.com' });
  const code = await shorty.qr.create({ data: 'a seen text' });
  const webhook = await shorty.webhooks.create({ url: hook, events: ['*'] });
  return [
    ['/', 'Spring sale'],
    [`/links/${link.id}`, 'Destination'],
    ['/domains', 'seen.example.com'],
    [`/domains/${domain.id}`, 'Verification'],
    ['/people', 'owner@example.com'],
    ['/qr', 'a seen text'],
    [`/qr/${code.id}`, 'The server has read this picture'],
    ['/webhooks', hook],
    [`/webhooks/${webhook.id}`, 'Deliveries'],
  ];
}

test('a viewer sees the records of each screen, and can change none', async () => {
  const screens = await createRecords();
  const page = await dashboard.openAs('viewer', '/');
  for (const [path, text] of screens) {
    await page.goto(`${dashboard.server.url}/dashboard${path}`);
    await page.getByText(text).first().waitFor();
    expect(await page.getByRole('button', { name: changes }).allTextContents(), path).toEqual([]);
    const fields = page.getByLabel(newRecords).and(page.locator(':enabled'));
    expect(await fields.count(), path).toBe(0);
  }
  for (const path of ['/keys', '/audit', '/import', '/operator']) {
    await page.goto(`${dashboard.server.url}/dashboard${path}`);
    await page.getByText('This page does not exist').waitFor();
  }
  expect(await page.getByRole('link', { name: /^(Keys|Audit|Import|Operator)$/ }).count()).toBe(0);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in to Shorty' }).waitFor();
  await expectAccessible(page);
});

test('an editor has no audit, and changes no webhook', async () => {
  const { id } = await dashboard.shorty.webhooks.create({ url: hook, events: ['*'] });
  const page = await dashboard.openAs('editor', `/webhooks/${id}`);
  await page.getByRole('heading', { name: 'Deliveries' }).waitFor();
  expect(await page.getByRole('button', { name: changes }).count()).toBe(0);
  for (const path of ['/audit', '/operator']) {
    await page.goto(`${dashboard.server.url}/dashboard${path}`);
    await page.getByText('This page does not exist').waitFor();
  }
});
