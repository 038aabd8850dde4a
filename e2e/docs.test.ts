import { createServer, type ShortyServer } from '@shorty/server';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectFitsScreens, launchBrowser, watchPage } from './lib/browser.js';

let browser: Browser;
let server: ShortyServer;

beforeAll(async () => {
  server = createServer();
  await server.start();
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

async function openDocs(page: Page): Promise<void> {
  await page.goto(`${server.url}/docs`);
  await page.locator('#operations-URLs-createUrl').waitFor();
}

/** The states of the page, how to reach each of them, and the part that it adds to the list. */
const states = {
  list: { open: openDocs, part: 'html' },
  operation: {
    part: '#operations-URLs-createUrl',
    async open(page: Page) {
      await openDocs(page);
      await page.locator('#operations-URLs-createUrl .opblock-summary-control').click();
      await page.getByRole('button', { name: 'Try it out' }).click();
      await page.getByRole('button', { name: 'Execute' }).waitFor();
    },
  },
  authorization: {
    part: '[role=dialog]',
    async open(page: Page) {
      await openDocs(page);
      await page.getByRole('button', { name: 'Authorize' }).first().click();
      await page.getByRole('dialog').waitFor();
    },
  },
};

for (const [state, { open, part }] of Object.entries(states)) {
  test(`/docs (${state}) fits every screen in light and dark, loads nothing from other sites, and is accessible`, async () => {
    const page = await browser.newPage();
    const { outside, problems } = watchPage(page, server.url);
    await open(page);
    expect(await page.locator('h1').count()).toBe(1);
    await expectFitsScreens(page, `docs-${state}`, part);
    expect({ outside, problems }).toEqual({ outside: [], problems: [] });
    await page.close();
  });
}

test('a reader signs in on /docs and creates a link', async () => {
  const { clientId = '', clientSecret = '' } = server.credentials ?? {};
  const page = await browser.newPage();
  const { outside, problems } = watchPage(page, server.url);
  await openDocs(page);
  await page.getByRole('button', { name: 'Authorize' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.locator('#client_id_clientCredentials').fill(clientId);
  await dialog.locator('#client_secret_clientCredentials').fill(clientSecret);
  await dialog.locator('label[for^="urls:write"]').click();
  await dialog.getByRole('button', { name: 'Authorize' }).last().click();
  await dialog.getByRole('button', { name: 'Logout' }).waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => dialog.count()).toBe(0);
  const operation = page.locator('#operations-URLs-createUrl');
  await operation.locator('.opblock-summary-control').click();
  await operation.getByRole('button', { name: 'Try it out' }).click();
  await operation.locator('textarea').fill('{ "targetUrl": "https://example.com/docs" }');
  await operation.getByRole('button', { name: 'Execute' }).click();
  const status = operation.locator('.live-responses-table .response-col_status').last();
  await expect.poll(() => status.textContent()).toContain('201');
  expect({ outside, problems }).toEqual({ outside: [], problems: [] });
  await page.close();
});
