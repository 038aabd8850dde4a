import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { launchBrowser } from './lib/browser.js';
import { credentials, freePort, scratchFolder, startServer } from './lib/processes.js';

/** Serves an empty page on an origin of its own. */
async function servePage(): Promise<string> {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end('<!doctype html><title>App</title>');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Creates and changes a link from the page, as an app in a browser does. */
function useApi(page: Page, origin: string) {
  return page.evaluate(
    async ({ api, clientId, clientSecret }) => {
      const call = async (method: string, path: string, body: object, headers = {}) => {
        const response = await fetch(`${api}/api/v1${path}`, {
          method,
          headers: { 'content-type': 'application/json', ...headers },
          body: JSON.stringify(body),
        });
        const { data } = await response.json();
        const exposed = [...response.headers.keys()];
        return { status: response.status, data, exposed };
      };
      try {
        const token = await call('POST', '/auth/token', { clientId, clientSecret });
        const authorization = `Bearer ${token.data.accessToken}`;
        const headers = { authorization, 'idempotency-key': 'from-a-page' };
        const link = await call('POST', '/urls', { targetUrl: 'https://example.com/' }, headers);
        const title = { title: 'from a page' };
        const { status, data, exposed } = await call(
          ...(['PATCH', `/urls/${link.data.id}`, title, { authorization }] as const),
        );
        return { status, title: data.title, exposed };
      } catch (error) {
        return { failure: String(error) };
      }
    },
    {
      api: origin,
      clientId: credentials.SHORTY_CLIENT_ID,
      clientSecret: credentials.SHORTY_CLIENT_SECRET,
    },
  );
}

it('a page of another origin calls the API in Chromium if its origin is allowed', async () => {
  const [allowed, refused] = [await servePage(), await servePage()];
  const port = await freePort();
  const environment = { SHORTY_CORS_ORIGINS: allowed };
  const { origin } = await startServer({ port, folder: scratchFolder(), environment });
  const browser = await launchBrowser();
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  await page.goto(allowed);
  const used = await useApi(page, origin);
  expect(used).toMatchObject({ status: 200, title: 'from a page' });
  expect(used.exposed).toEqual(
    expect.arrayContaining(['ratelimit-remaining', 'x-request-id', 'content-type']),
  );
  await page.goto(refused);
  expect(await useApi(page, origin)).toEqual({ failure: 'TypeError: Failed to fetch' });
});
