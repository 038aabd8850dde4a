import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useDashboard } from '../lib/dashboard.js';
import { freePort } from '../lib/processes.js';

const dashboard = useDashboard();
let evil: Server;
let port: number;

beforeAll(async () => {
  port = await freePort();
  evil = createServer((_, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>Evil</title>');
  }).listen(port, '127.0.0.1');
});
afterAll(() => evil.close());

// Another port of the same host is the same site, to which the browser sends its cookie.
test.each([
  { host: 'localhost', status: 403 },
  { host: '127.0.0.1', status: 401 },
])('a page of $host writes nothing by the session', async ({ host, status }) => {
  const { id } = await dashboard.shorty.urls.create({ targetUrl: 'https://example.com/' });
  const page = await (await dashboard.open('/')).context().newPage();
  const { url } = dashboard.server;
  const sent: string[] = [];
  const statuses: number[] = [];
  page.on('request', (request) => {
    if (request.url().startsWith(`${url}/api/`)) sent.push(request.method());
  });
  page.on('response', (response) => {
    if (response.url().startsWith(`${url}/api/`)) statuses.push(response.status());
  });
  await page.goto(`http://${host}:${port}/`);
  await page.evaluate(
    async ([api, id]) => {
      const body = JSON.stringify({ targetUrl: 'https://evil.example/' });
      const request = { method: 'POST', mode: 'no-cors', credentials: 'include' } as const;
      // The page cannot read the answers, and the requests arrive all the same.
      await fetch(`${api}/urls`, { ...request, body }).catch(() => {});
      const json = { 'content-type': 'application/json' };
      const preflighted = { credentials: 'include', headers: json, body } as const;
      await fetch(`${api}/urls`, { ...preflighted, method: 'POST' }).catch(() => {});
      await fetch(`${api}/urls/${id}`, { ...preflighted, method: 'DELETE' }).catch(() => {});
      const image = new Image();
      image.src = `${api}/urls/bulk?ids=${id}`;
      await new Promise((resolve) => {
        image.onerror = resolve;
      });
    },
    [`${url}/api/v1`, id] as const,
  );
  for (const enctype of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
  ]) {
    await page.goto(`http://${host}:${port}/`);
    await Promise.all([
      page.waitForURL(`${url}/**`),
      page.evaluate(
        ([api, enctype]) => {
          const form = Object.assign(document.createElement('form'), {
            method: 'post',
            action: `${api}/urls`,
            enctype,
          });
          const input = document.createElement('input');
          input.name = '{"targetUrl":"https://evil.example/","title":"';
          input.value = '"}';
          form.append(input);
          document.body.append(form);
          form.submit();
        },
        [`${url}/api/v1`, enctype] as const,
      ),
    ]);
  }
  expect(sent.length).toBeGreaterThanOrEqual(6);
  expect(new Set(statuses)).toEqual(new Set([status]));
  const { items } = await dashboard.shorty.urls.list({ search: 'evil.example' });
  expect(items).toEqual([]);
  expect((await dashboard.shorty.urls.get(id)).deletedAt).toBeNull();
});
