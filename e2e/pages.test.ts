import { Shorty } from '@shorty/sdk';
import { createServer, type ShortyServer } from '@shorty/server';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectFitsScreens, launchBrowser, watchPage } from './lib/browser.js';

let browser: Browser;
let server: ShortyServer;
// Where protected links lead. Another origin: a content policy with form-action would block the redirect.
// Its pages have what an operator can set.
let elsewhere: ShortyServer;
let shorty: Shorty;
const link = { targetUrl: 'https://example.com' };
const password = 'open sesame';
const logo =
  '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="30"><circle cx="15" cy="15" r="15" fill="#c60"/></svg>';

beforeAll(async () => {
  server = createServer();
  await server.start();
  elsewhere = createServer({
    pagesName: 'Ship & Go',
    pagesColor: '#ffd400',
    pagesLogo: `data:image/svg+xml,${encodeURIComponent(logo)}`,
    abuseContact: 'mailto:abuse@sho.example',
  });
  await elsewhere.start();
  const { clientId = '', clientSecret = '' } = server.credentials ?? {};
  shorty = new Shorty({ baseUrl: server.url, clientId, clientSecret });
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  await Promise.all([server?.stop(), elsewhere?.stop()]);
});

const createLocked = (targetUrl = link.targetUrl) =>
  shorty.urls.create({ targetUrl, isPasswordProtected: true, password });

async function tryPassword(page: Page, guess: string): Promise<void> {
  await page.getByLabel('Password').fill(guess);
  await page.getByRole('button', { name: 'Continue' }).click();
}

/** Every page for visitors, and how to open it. */
const pages: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
  home: (page) => page.goto(`${server.url}/`),
  'not found': (page) => page.goto(`${server.url}/no-such-link`),
  async gone(page) {
    const { id, shortUrl } = await shorty.urls.create(link);
    await shorty.urls.delete(id);
    await page.goto(shortUrl);
  },
  password: async (page) => page.goto((await createLocked()).shortUrl),
  async 'wrong password'(page) {
    await page.goto((await createLocked()).shortUrl);
    await tryPassword(page, 'wrong');
    await page.getByText('Wrong password.').waitFor();
  },
  async 'too many attempts'(page) {
    const { shortUrl } = await createLocked();
    for (let attempt = 1; attempt <= 10; attempt += 1) {
      const body = new URLSearchParams({ password: `guess ${attempt}` });
      expect((await fetch(shortUrl, { method: 'POST', body })).status).toBe(401);
    }
    await page.goto(shortUrl);
    await tryPassword(page, 'guess 11');
    await page.getByText('Too many attempts.').waitFor();
  },
  'QR code': async (page) => {
    const { previewUrl } = await shorty.qr.create({ data: 'https://example.com/spring' });
    await page.goto(server.url + previewUrl);
  },
  'brand in Chinese': async (page) => {
    await page.setExtraHTTPHeaders({ 'accept-language': 'zh-CN' });
    await page.goto(`${elsewhere.url}/no-such-link`);
    expect(await page.title()).toBe('此链接不存在 – Ship & Go');
    const width = await page.locator('img').evaluate((img: HTMLImageElement) => img.naturalWidth);
    expect(width).toBe(90);
  },
  'QR code not found': (page) => page.goto(`${server.url}/qr/no-such-code`),
  async 'QR code gone'(page) {
    const { id, previewUrl } = await shorty.qr.create({ data: 'x' });
    await shorty.qr.delete(id);
    await page.goto(server.url + previewUrl);
  },
};

for (const [name, open] of Object.entries(pages)) {
  test(`${name} fits every screen in light and dark, loads nothing from other sites, and is accessible`, async () => {
    const page = await browser.newPage();
    const origin = name.startsWith('brand') ? elsewhere.url : server.url;
    const { outside, problems } = watchPage(page, origin);
    await open(page);
    expect(await page.locator('h1').count()).toBe(1);
    const size = () => Number.parseFloat(getComputedStyle(document.body).fontSize);
    expect(await page.evaluate(size)).toBeGreaterThanOrEqual(16);
    await expectFitsScreens(page, name.replaceAll(' ', '-'));
    expect({ outside, problems }).toEqual({ outside: [], problems: [] });
    await page.close();
  });
}

test('a QR code of a hostile address shows its host in ASCII and no direction overrides', async () => {
  const page = await browser.newPage();
  const { problems } = watchPage(page, server.url);
  const data = 'https://bank.example@\u0430pple.com/\u202egnp.exe';
  const { previewUrl } = await shorty.qr.create({ data });
  await page.goto(server.url + previewUrl);
  const link = page.locator('.payload a');
  expect(await link.textContent()).toBe('https://xn--pple-43d.com/%E2%80%AEgnp.exe');
  expect(await link.evaluate((anchor: HTMLAnchorElement) => anchor.href)).toBe(
    'https://xn--pple-43d.com/%E2%80%AEgnp.exe',
  );
  const text = await shorty.qr.create({ data: 'invoice \u202egnp.exe' });
  await page.goto(server.url + text.previewUrl);
  expect(await page.locator('.payload').textContent()).toBe('invoice [U+202E]gnp.exe');
  expect(await page.content()).not.toMatch(/\p{Bidi_Control}/u);
  expect(problems).toEqual([]);
  await page.close();
});

test('a visitor opens a protected link only with its password, also with the keyboard', async () => {
  const { shortUrl } = await createLocked(`${elsewhere.url}/`);
  const page = await browser.newPage();
  const { problems } = watchPage(page, server.url);
  await page.goto(shortUrl);
  const field = page.getByLabel('Password');
  // A browser sets the focus after its layout.
  const focused = () => page.evaluate(() => document.activeElement?.id);
  const outline = () =>
    page.evaluate(() => getComputedStyle(document.activeElement as Element).outlineStyle);
  await expect.poll(focused).toBe('password');
  await page.keyboard.type('wrong');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').waitFor();
  // Screen readers read the error with the field, which has the focus again.
  await expect.poll(focused).toBe('password');
  expect(await field.getAttribute('aria-invalid')).toBe('true');
  expect(await field.getAttribute('aria-describedby')).toBe(
    await page.getByRole('alert').getAttribute('id'),
  );
  expect(await outline()).toBe('solid');
  await page.keyboard.type(password);
  await page.keyboard.press('Tab');
  expect(await outline()).toBe('solid');
  await page.keyboard.press('Space');
  await page.waitForURL(`${elsewhere.url}/`);
  expect(problems).toEqual([]);
  await page.close();
});

test('the preview of a QR code shows its image and text, and its button saves it', async () => {
  const data = 'WIFI:T:WPA;S:Guests;P:<b>open & sesame</b>;;';
  const { id, previewUrl } = await shorty.qr.create({ data, format: 'svg', size: 1024 });
  const page = await browser.newPage();
  await page.goto(server.url + previewUrl);
  const image = page.locator('img.code');
  expect(await image.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBe(1024);
  expect(await page.locator('.payload').textContent()).toBe(data);
  const saving = page.waitForEvent('download');
  await page.getByRole('link', { name: /Download SVG/ }).click();
  expect((await saving).suggestedFilename()).toBe(`qr-${id}.svg`);
  await page.close();
});
