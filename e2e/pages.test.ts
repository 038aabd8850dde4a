import { Shorty } from '@shorty/sdk';
import { createServer, type ShortyServer } from '@shorty/server';
import chromium from '@sparticuz/chromium';
import { type Browser, chromium as playwright } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';

let browser: Browser;
let server: ShortyServer;
let shorty: Shorty;

beforeAll(async () => {
  server = createServer();
  await server.start();
  shorty = new Shorty({ baseUrl: server.url, ...server.credentials });
  browser = await playwright.launch({
    executablePath: await chromium.executablePath(),
    args: [
      // As one process it ends with the first page that is closed, and pages must not be let off
      // the rules that visitors' browsers hold them to.
      ...chromium.args.filter((flag) => !/^--(single-process|disable-web-security)/.test(flag)),
      '--disable-background-networking',
      '--disable-component-update',
    ],
    headless: true,
  });
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

test('a visitor opens a protected link with its password, and nobody without it', async () => {
  // The target is another origin, so that a content policy that is too strict would stop it here.
  const elsewhere = createServer();
  await elsewhere.start();
  const { shortUrl } = await shorty.urls.create({
    targetUrl: `${elsewhere.url}/`,
    isPasswordProtected: true,
    password: 'open sesame',
  });
  const page = await browser.newPage();
  const problems: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' && !/status of 40\d/.test(message.text()))
      problems.push(message.text());
  });
  await page.goto(shortUrl);
  await page.getByLabel('Password').fill('wrong');
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect.poll(() => page.getByRole('alert').textContent()).toContain('not the password');
  await page.getByLabel('Password').fill('open sesame');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.waitForURL(`${elsewhere.url}/`);
  expect(problems).toEqual([]);
  await page.close();
  await elsewhere.stop();
});

const views = [
  { name: 'phone', width: 360, height: 640 },
  { name: 'desktop', width: 1280, height: 800 },
];

for (const colorScheme of ['light', 'dark'] as const) {
  for (const { name, ...viewport } of views) {
    test(`pages fit a ${name} in ${colorScheme}, ask nobody else, and can be read`, async () => {
      const locked = await shorty.urls.create({
        targetUrl: 'https://example.com',
        isPasswordProtected: true,
        password: 'x',
      });
      const gone = await shorty.urls.create({ targetUrl: 'https://example.com' });
      await shorty.urls.delete(gone.id);
      const page = await browser.newPage({ colorScheme, viewport });
      const outside: string[] = [];
      page.on('request', (request) => {
        if (!request.url().startsWith(server.url)) outside.push(request.url());
      });
      for (const address of [
        locked.shortUrl,
        gone.shortUrl,
        `${server.url}/no-such-link`,
        `${server.url}/`,
      ]) {
        await page.goto(address);
        const seen = await page.evaluate(() => {
          const style = getComputedStyle(document.body);
          return {
            isWiderThanScreen: document.documentElement.scrollWidth > innerWidth,
            background: style.backgroundColor,
            heading: document.querySelector('h1')?.textContent,
            font: Number.parseFloat(style.fontSize),
          };
        });
        expect(seen.heading).toBeTruthy();
        expect(seen.isWiderThanScreen).toBe(false);
        expect(seen.font).toBeGreaterThanOrEqual(16);
        // The style sheet passed the content policy, in this colour scheme.
        expect(seen.background).toBe(
          colorScheme === 'dark' ? 'rgb(17, 17, 19)' : 'rgb(252, 252, 253)',
        );
      }
      expect(outside).toEqual([]);
      await page.close();
    });
  }
}
