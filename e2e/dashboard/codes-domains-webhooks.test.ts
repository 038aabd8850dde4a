import { readFileSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { verifyWebhook } from '@shorty/webhook-verifier';
import { expect, test } from 'vitest';
import { httpServer } from '../../packages/server/test/network/local-server.js';
import { saveScreenshot } from '../lib/browser.js';
import { expectAccessible, useDashboard } from '../lib/dashboard.js';

/** The TXT records by their names. */
const zone = new Map<string, string>();
const dashboard = useDashboard({
  // Logos and receivers are on this machine.
  allowPrivateNetwork: true,
  resolveTxt: async (name) => [zone.get(name) ?? 'v=<b>spf1</b>'],
});
const scans = 'The server has read this picture';

test('a code of a link is designed beside its picture, created and downloaded', async () => {
  const { id, shortUrl } = await dashboard.shorty.urls.create({
    targetUrl: 'https://example.com/poster',
    title: '<b>Poster</b>',
  });
  const page = await dashboard.open('/');
  await page.getByRole('link', { name: `QR code of ${shortUrl}` }).click();
  await page.getByText('<b>Poster</b>').waitFor();
  await page.getByText(scans).waitFor();
  const picture = page.getByRole('img', { name: /^QR code of / });
  const before = await picture.getAttribute('src');

  await page.getByLabel('Colour', { exact: true }).fill('#eeeeee');
  await page.locator('figure .error').waitFor();
  expect(await picture.count()).toBe(0);
  await saveScreenshot(page, 'qr-refused');

  await page.getByLabel('Colour', { exact: true }).fill('#003366');
  await page.getByLabel('Modules').selectOption('dots');
  await page.getByText(scans).waitFor();
  await expect.poll(() => picture.getAttribute('src')).not.toBe(before);
  await expectAccessible(page);
  await saveScreenshot(page, 'qr-design');

  // Nothing is stored or charged before the person wants it.
  expect((await dashboard.shorty.urls.qrs(id)).total).toBe(0);
  await page.getByRole('button', { name: 'Create' }).click();
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: /^Download PNG/ }).click();
  const file = await (await download).path();
  const [record] = (await dashboard.shorty.urls.qrs(id)).items;
  expect(record).toMatchObject({ foregroundColor: '#003366', stylePreset: 'dots' });
  expect(readFileSync(file).subarray(1, 4).toString()).toBe('PNG');
  dashboard.expectNoProblems();
});

test('a logo is drawn, and one that cannot be fetched is refused beside its field', async () => {
  const { url: origin } = await httpServer((request, response) => {
    if (request.url !== '/logo.svg') return void response.writeHead(404).end();
    response.setHeader('content-type', 'image/svg+xml');
    response.end('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><circle r="9"/></svg>');
  });
  const page = await dashboard.open('/qr');
  await page.getByText('New code of any text').click();
  await page.getByLabel('Text').fill('with a logo');
  await page.getByText(scans).waitFor();
  const picture = page.getByRole('img', { name: /^QR code of / });
  const before = await picture.getAttribute('src');
  await page.getByLabel('Error correction').selectOption('H');
  await page.getByLabel('Logo').fill(`${origin}/missing.png`);
  await page
    .getByText(/logo.*404/i)
    .first()
    .waitFor();
  await page.getByLabel('Logo').fill(`${origin}/logo.svg`);
  await page.getByText(scans).waitFor();
  await expect.poll(() => picture.getAttribute('src')).not.toBe(before);
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByText('Created the QR code').waitFor();
  const { items } = await dashboard.shorty.qr.list({ standalone: true });
  expect(items.find(({ qrData }) => qrData === 'with a logo')?.logoUrl).toBe(`${origin}/logo.svg`);
  await expectAccessible(page);
});

test('only the picture of a code is printed', async () => {
  const { id } = await dashboard.shorty.qr.create({ data: 'printed' });
  const page = await dashboard.open(`/qr/${id}`);
  await page.getByText(scans).waitFor();
  await page.emulateMedia({ media: 'print' });
  expect(await page.getByRole('img', { name: 'QR code of printed' }).isVisible()).toBe(true);
  for (const name of ['Save', 'Print']) {
    expect(await page.getByText(name, { exact: true }).isVisible()).toBe(false);
  }
});

test('a code of a text is created, changed and deleted, by the keyboard alone', async () => {
  const page = await dashboard.open('/qr');
  await page.getByText('New code of any text').focus();
  await page.keyboard.press('Enter');
  await page.getByLabel('Text').focus();
  await page.keyboard.type('WIFI:T:WPA;S:<i>Guests</i>;P:open;;');
  await page.getByText(scans).waitFor();
  await page.getByRole('button', { name: 'Create' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('WIFI:T:WPA;S:<i>Guests</i>;P:open;;').waitFor();
  const [record] = (await dashboard.shorty.qr.list({ standalone: true })).items;
  if (!record) throw new Error('the code is missing');

  await page.getByLabel('Size').focus();
  await page.keyboard.press('Control+A');
  await page.keyboard.type('1024');
  await page.keyboard.press('Enter');
  await page.getByText('Saved the QR code').waitFor();
  expect((await dashboard.shorty.qr.get(record.id)).size).toBe(1024);
  await expectAccessible(page);

  await page.getByRole('button', { name: /^Delete the code/ }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('This cannot be undone').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('Deleted the QR code').waitFor();
  await page.getByRole('heading', { name: 'QR codes' }).waitFor();
  await expect(dashboard.shorty.qr.get(record.id)).rejects.toThrow();
  await expectAccessible(page);
  await saveScreenshot(page, 'qr-codes');
  dashboard.expectNoProblems();
});

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

test('a webhook is made, its secret is shown once, and a test event arrives', async () => {
  // What the person has copied.
  let secret = '';
  const types: string[] = [];
  const gateways: unknown[] = [];
  const { url } = await httpServer(async (request, response) => {
    const body = await buffer(request);
    types.push(verifyWebhook({ body, headers: request.headers, secret }).type);
    gateways.push(request.headers['x-gateway']);
    response.end('<i>thanks</i>');
  });
  const page = await dashboard.open('/webhooks/new');
  await page.getByLabel('Address of the receiver').fill(url);
  await page.getByLabel('Description').fill('<b>Orders</b>');
  await page.getByLabel('All types, also future ones').uncheck();
  await page.getByLabel(/^url\.created/).check();
  await page.getByLabel(/^url\.deleted/).check();
  await page.getByText('Only events of some links').click();
  await page.getByLabel('With one of these tags').fill('launch, spring');
  await page.getByText('Headers of each delivery').click();
  await page.getByLabel('Headers', { exact: true }).fill('X-Gateway: <b>token</b>');
  await expectAccessible(page);
  await saveScreenshot(page, 'webhook-new');
  await page.getByRole('button', { name: 'Create' }).click();
  secret = await page.getByLabel('Secret', { exact: true }).inputValue();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('heading', { name: url }).waitFor();
  await page.getByText('<b>Orders</b>').waitFor();
  const [webhook] = (await dashboard.shorty.webhooks.list()).items;
  expect(webhook).toMatchObject({
    filters: { tags: ['launch', 'spring'] },
    headerNames: ['X-Gateway'],
  });
  expect(await page.content()).not.toContain(secret);

  await page.getByLabel('Type of the test').selectOption('url.deleted');
  await page.getByRole('button', { name: 'Send a test event' }).click();
  await page.getByText('Delivered: the receiver answered 200').waitFor();
  expect(types).toEqual(['url.deleted']);
  expect(gateways).toEqual(['<b>token</b>']);
  await page.getByRole('button', { name: 'Details' }).click();
  await page.getByText('<i>thanks</i>').waitFor();
  await page.getByText('"url.deleted"').waitFor();
  await expectAccessible(page);
  await saveScreenshot(page, 'webhook-delivery');
  await page.getByRole('button', { name: 'Close' }).click();

  await page.getByRole('button', { name: 'Remove the headers' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove the headers' }).click();
  await page.getByText('Removed the headers').waitFor();
  await page.getByLabel('With one of these tags').fill('');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved the webhook').waitFor();
  const [changed] = (await dashboard.shorty.webhooks.list()).items;
  expect(changed).toMatchObject({ filters: null, headerNames: [] });

  await page.getByRole('button', { name: 'Resend' }).click();
  await page.getByText('2 of 2').waitFor();
  await expect.poll(() => types).toEqual(['url.deleted', 'url.deleted']);
  await expectAccessible(page);
  await saveScreenshot(page, 'webhook');
  dashboard.expectNoProblems();
});

test('a failed delivery says why, and a webhook is paused and deleted by the keyboard alone', async () => {
  const { url } = await httpServer((_, response) => {
    response.writeHead(500).end('<b>broken</b>');
  });
  const { id } = await dashboard.shorty.webhooks.create({ url, events: ['url.created'] });
  const page = await dashboard.open(`/webhooks/${id}`);
  await page.getByRole('button', { name: 'Send a test event' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('Not delivered').waitFor();
  await page.getByRole('button', { name: 'Details' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('<b>broken</b>').waitFor();
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: 'Pause' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('State: paused').waitFor();
  expect((await dashboard.shorty.webhooks.get(id)).isActive).toBe(false);
  await page.getByRole('button', { name: 'Undo' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('State: active').waitFor();

  await page.getByLabel('Description').fill('Changed');
  await page.keyboard.press('Enter');
  await page.getByText('Saved the webhook').waitFor();
  expect((await dashboard.shorty.webhooks.get(id)).description).toBe('Changed');
  await page.getByRole('button', { name: 'Replace the secret' }).click();
  await page.getByLabel('Secret', { exact: true }).waitFor();
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: `Delete ${url}` }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('This cannot be undone').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Webhooks' }).waitFor();
  await expect(dashboard.shorty.webhooks.get(id)).rejects.toThrow();
  await expectAccessible(page);
  await saveScreenshot(page, 'webhooks');
  dashboard.expectNoProblems();
});
