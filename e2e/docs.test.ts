import { createServer, type ShortyServer } from '@shorty/server';
import type { Browser } from 'playwright-core';
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

test('/docs loads nothing from other sites, fits every screen in light and dark, is accessible, and creates a link', async () => {
  const page = await browser.newPage();
  const { outside, problems } = watchPage(page, server.url);
  await page.goto(`${server.url}/docs`);
  const operation = page.locator('#operations-URLs-createUrl');
  await operation.waitFor();
  expect(await page.locator('h1').count()).toBe(1);
  await expectFitsScreens(page, 'docs-list');

  await page.getByRole('button', { name: 'Authorize' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  await expectFitsScreens(page, 'docs-authorization', '[role=dialog]');
  const { clientId = '', clientSecret = '' } = server.credentials ?? {};
  await dialog.locator('#client_id_clientCredentials').fill(clientId);
  await dialog.locator('#client_secret_clientCredentials').fill(clientSecret);
  await dialog.locator('label[for^="urls:write"]').click();
  await dialog.getByRole('button', { name: 'Authorize' }).last().click();
  await dialog.getByRole('button', { name: 'Logout' }).waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => dialog.count()).toBe(0);

  await operation.locator('.opblock-summary-control').click();
  await operation.getByRole('button', { name: 'Try it out' }).click();
  const execute = operation.getByRole('button', { name: 'Execute' });
  await execute.waitFor();
  await expectFitsScreens(page, 'docs-operation', '#operations-URLs-createUrl');
  await operation.locator('textarea').fill('{ "targetUrl": "https://example.com/docs" }');
  await execute.click();
  const status = operation.locator('.live-responses-table .response-col_status').last();
  await expect.poll(() => status.textContent()).toContain('201');
  expect({ outside, problems }).toEqual({ outside: [], problems: [] });
});
