import { createServer } from '@shorty/server';
import { expect, onTestFinished, test } from 'vitest';
import { accessibilityErrors, launchBrowser, watchPage } from './lib/browser.js';

// The rules that Swagger UI itself violates.
const knownViolations = [
  'color-contrast',
  'heading-order',
  'nested-interactive',
  'region',
  'select-name',
];

test('/docs loads nothing from other sites, is as accessible as Swagger UI, and creates a link', async () => {
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
  const violations = await accessibilityErrors(page);
  expect(violations.filter((each) => !knownViolations.includes(each.replace(/:.*/s, '')))).toEqual(
    [],
  );

  await page.getByRole('button', { name: 'Authorize' }).first().click();
  const dialog = page.locator('.modal-ux');
  const { clientId = '', clientSecret = '' } = server.credentials ?? {};
  await dialog.locator('#client_id_clientCredentials').fill(clientId);
  await dialog.locator('#client_secret_clientCredentials').fill(clientSecret);
  await dialog.locator('label[for^="urls:write"]').click();
  await dialog.getByRole('button', { name: 'Apply' }).last().click();
  await dialog.getByRole('button', { name: 'Remove authorization' }).waitFor();
  await dialog.locator('.close-modal').click();
  await expect.poll(() => dialog.count()).toBe(0);

  await operation.locator('.opblock-summary-control').click();
  await operation.getByRole('button', { name: 'Try it out' }).click();
  await operation.locator('textarea').fill('{ "targetUrl": "https://example.com/docs" }');
  await operation.getByRole('button', { name: 'Execute' }).click();
  const status = operation.locator('.live-responses-table .response-col_status').last();
  await expect.poll(() => status.textContent()).toContain('201');
  expect({ outside, problems }).toEqual({ outside: [], problems: [] });
});
