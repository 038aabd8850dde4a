import { createServer, type ShortyServer } from '@shorty/server';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { colorSchemes, launchBrowser, saveScreenshot, views, watchPage } from './lib/browser.js';

let browser: Browser;
let server: ShortyServer;
let token: string;

async function post<Data>(path: string, body: object): Promise<Data> {
  const response = await fetch(server.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
  const envelope = (await response.json()) as { data: Data };
  if (!response.ok) throw new Error(JSON.stringify(envelope));
  return envelope.data;
}

const createQr = (body: object) =>
  post<{ id: string; previewUrl: string; downloadUrl: string }>('/api/v1/qr', body);

beforeAll(async () => {
  server = createServer();
  await server.start();
  const { accessToken } = await post<{ accessToken: string }>(
    '/api/v1/auth/token',
    server.credentials ?? {},
  );
  token = accessToken;
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

const codes = {
  link: { data: 'https://example.com/spring?ref=poster&utm_source=print#offers' },
  svg: { data: 'https://example.com/', format: 'svg', stylePreset: 'rounded', size: 1024 },
  webp: { data: 'x'.repeat(900), format: 'webp', size: 2048, errorCorrectionLevel: 'L' },
  wifi: { data: 'WIFI:T:WPA;S:Guests;P:<b>open & sesame</b>;;', stylePreset: 'dots' },
};

for (const colorScheme of colorSchemes) {
  for (const { name, viewport } of views) {
    test(`the preview of a code fits a ${name} in ${colorScheme}, without JavaScript or outside requests`, async () => {
      const context = await browser.newContext({ colorScheme, viewport, javaScriptEnabled: false });
      const page = await context.newPage();
      const requests: string[] = [];
      const { problems } = watchPage(page, server.url);
      page.on('request', (request) => requests.push(request.url()));
      for (const [code, body] of Object.entries(codes)) {
        const { previewUrl, downloadUrl } = await createQr(body);
        await page.goto(server.url + previewUrl);
        const box = await page.locator('img.code').boundingBox();
        expect(box?.width).toBeGreaterThan(200);
        expect(box?.width).toBe(box?.height);
        expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(viewport.width);
        expect(await page.locator('.payload').textContent()).toBe(body.data);
        expect(await page.locator('.payload a').count()).toBe(
          body.data.startsWith('https:') ? 1 : 0,
        );
        const download = page.locator('a[download]');
        expect(await download.getAttribute('href')).toBe(`${downloadUrl}?download=1`);
        expect((await page.locator('main').boundingBox())?.width).toBeLessThanOrEqual(
          viewport.width,
        );
        await saveScreenshot(page, `${code}-${name}-${colorScheme}`);
      }
      expect(problems).toEqual([]);
      // The pages request no further files.
      expect(requests.filter((url) => !url.startsWith('data:'))).toHaveLength(
        Object.keys(codes).length,
      );
      await context.close();
    });
  }
}

test('the preview shows the image, and its button saves it', async () => {
  const { id, previewUrl } = await createQr(codes.svg);
  const page = await browser.newPage({ acceptDownloads: true });
  await page.goto(server.url + previewUrl);
  const width = await page.evaluate(
    () => (document.querySelector('img.code') as HTMLImageElement).naturalWidth,
  );
  expect(width).toBe(1024);
  const saving = page.waitForEvent('download');
  await page.getByRole('link', { name: /Download SVG/ }).click();
  expect((await saving).suggestedFilename()).toBe(`qr-${id}.svg`);
  await page.close();
});

test('the preview of a deleted code is an error page', async () => {
  const { id, previewUrl } = await createQr(codes.link);
  await fetch(`${server.url}/api/v1/qr/${id}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${token}` },
  });
  const page = await browser.newPage();
  const response = await page.goto(server.url + previewUrl);
  expect(response?.status()).toBe(410);
  expect(await page.locator('h1').textContent()).toContain('deleted');
  await page.close();
});
