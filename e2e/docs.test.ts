import { createServer } from '@shorty/server';
import { expect, onTestFinished, test } from 'vitest';
import { expectFitsScreens, launchBrowser, watchPage } from './lib/browser.js';

test('/docs loads nothing from other sites, fits every screen in light and dark, is accessible, and creates a link', async () => {
  const server = createServer();
  await server.start();
  onTestFinished(() => server.stop());
  const browser = await launchBrowser();
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  const { outside, problems } = watchPage(page, server.url);
  const response = await page.goto(`${server.url}/docs`);
  expect(response?.headers()['content-security-policy']).toMatch(
    /^default-src 'none'; script-src 'self'; style-src 'self';/,
  );
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
