import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { httpServer } from '../../packages/server/test/network/local-server.js';
import { saveScreenshot } from '../lib/browser.js';
import { expectAccessible, useDashboard } from '../lib/dashboard.js';

// The logo is on this machine.
const dashboard = useDashboard({ allowPrivateNetwork: true });
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
