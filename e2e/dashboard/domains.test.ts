import { expect, test } from 'vitest';
import { saveScreenshot } from '../lib/browser.js';
import { expectAccessible, useDashboard } from '../lib/dashboard.js';

/** The TXT records by their names. */
const zone = new Map<string, string>();
const dashboard = useDashboard({ resolveTxt: async (name) => [zone.get(name) ?? 'v=<b>spf1</b>'] });

test('a domain is added and verified by its TXT record, by the keyboard alone', async () => {
  const page = await dashboard.open('/domains');
  await page.getByLabel('New domain').focus();
  await page.keyboard.type('go.example.com');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'go.example.com' }).waitFor();
  const [domain] = (await dashboard.shorty.domains.list({ hostname: 'go.example.com' })).items;
  if (!domain) throw new Error('the domain is missing');
  const { name, value } = domain.txtRecord;
  await page.getByText(name, { exact: true }).waitFor();
  await page.getByText(value, { exact: true }).waitFor();

  // The look-up fails, and the answer quotes the records in DNS as text.
  await page.getByRole('button', { name: 'Verify' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('v=<b>spf1</b>').waitFor();
  await expectAccessible(page);
  await saveScreenshot(page, 'domain-pending');

  zone.set(name, value);
  await page.getByRole('button', { name: 'Verify' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('The domain is active').waitFor();
  expect((await dashboard.shorty.domains.get(domain.id)).isActive).toBe(true);
  dashboard.expectNoProblems();
});

test('the settings of a domain are changed, and what the server refuses stands beside the field', async () => {
  const { id } = await dashboard.shorty.domains.create({ hostname: 'set.example.com' });
  const page = await dashboard.open(`/domains/${id}`);
  const root = page.getByLabel('Where the bare domain leads');
  await root.fill(dashboard.server.url);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.locator('.field').filter({ has: root }).locator('.error').waitFor();
  await root.fill('https://www.example.com/');
  await page.getByLabel('Find links in upper and lower case').check();
  await page.getByText('Links that open in apps').click();
  const apple = page.getByLabel(/apple-app-site-association/);
  await apple.fill('{"applinks":');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.locator('.field').filter({ has: apple }).locator('.error').waitFor();
  await apple.fill('{"applinks": {"details": []}}');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved the settings of set.example.com').waitFor();
  expect(await dashboard.shorty.domains.get(id)).toMatchObject({
    rootUrl: 'https://www.example.com/',
    ignoreCase: true,
    notFoundUrl: null,
    appleAppSiteAssociation: { applinks: { details: [] } },
  });
  await expectAccessible(page);
});

test('a domain is deleted once the person has read that nothing restores it', async () => {
  const { id } = await dashboard.shorty.domains.create({ hostname: 'old.example.com' });
  const page = await dashboard.open(`/domains/${id}`);
  await page.getByRole('button', { name: 'Delete old.example.com' }).click();
  await page.getByText('This cannot be undone').waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  await page.getByRole('button', { name: 'Delete old.example.com' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Deleted old.example.com').waitFor();
  await expect(dashboard.shorty.domains.get(id)).rejects.toThrow();
  await page.getByRole('link', { name: 'go.example.com' }).waitFor();
  await expectAccessible(page);
  await saveScreenshot(page, 'domains');
  dashboard.expectNoProblems();
});
