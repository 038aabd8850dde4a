import type { RequestListener } from 'node:http';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { httpServer } from '../network/local-server.js';
import { startForFile, startForTest } from './start-server.js';

const api = await startForFile({ allowPrivateNetwork: true });

const square = (format: 'png' | 'jpeg' | 'webp') =>
  sharp({ create: { width: 120, height: 120, channels: 3, background: '#cc2244' } })
    .toFormat(format)
    .toBuffer();
const serving = async (body: string | Buffer, type = 'image/png') =>
  `${(await httpServer((_, response) => response.setHeader('content-type', type).end(body))).url}/logo`;
const create = (logoUrl: string, body: object = {}) =>
  api.call('createQr', {
    body: { data: 'https://example.com/', errorCorrectionLevel: 'H', logoUrl, ...body },
  });
const total = async () => (await api.call('listQrs')).data.total;

describe('logoUrl', () => {
  it.each(['png', 'jpeg', 'webp'] as const)(
    'takes a %s, embedded at the center',
    async (format) => {
      const logoUrl = await serving(await square(format), `image/${format}`);
      const { status, data } = await create(logoUrl);
      expect(status).toBe(201);
      expect(data.logoUrl).toBe(logoUrl);
      const image = await fetch(api.server.url + data.downloadUrl);
      const { data: pixels, info } = await sharp(await image.arrayBuffer())
        .removeAlpha()
        .raw()
        .toBuffer({ resolveWithObject: true });
      const middle = (256 * info.width + 256) * info.channels;
      const [red = 0, green = 0, blue = 0] = pixels.subarray(middle, middle + 3);
      expect(red).toBeGreaterThan(150);
      expect(green).toBeLessThan(90);
      expect(blue).toBeLessThan(120);
    },
  );

  it('accepts an SVG; it is rasterized, and the original is never served', async () => {
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="90"><!--mark--><circle cx="45" cy="45" r="45" fill="#0a6"/></svg>';
    const { data } = await create(await serving(svg, 'image/svg+xml'), { format: 'svg' });
    const { text } = await api.visit(data.downloadUrl);
    expect(text).toContain('data:image/png;base64,');
    expect(text).not.toContain('mark');
  });

  it('is fetched once; a PATCH of another field retains the logo, and null removes it', async () => {
    let requests = 0;
    const logo = await square('png');
    const receiver = await httpServer((_, response) => {
      requests += 1;
      response.end(logo);
    });
    const { id } = (await create(`${receiver.url}/logo.png`, { format: 'svg' })).data;
    const update = (body: object) => api.call('updateQr', { params: { id }, body });
    const image = async () => (await api.visit(`/api/qr/${id}/download`)).text;
    await update({ size: 800 });
    expect(await image()).toContain('data:image/png');
    expect(requests).toBe(1);
    expect((await update({ logoUrl: null })).data.logoUrl).toBeNull();
    expect(await image()).not.toContain('data:image/png');
    await update({ logoUrl: `${receiver.url}/logo.png` });
    expect(await image()).toContain('data:image/png');
    expect(requests).toBe(2);
  });
});

describe('a logo that cannot be used is an error of logoUrl, at create and at PATCH', () => {
  const html = '<!doctype html><title>no image</title>';
  const listener =
    (status: number, headers: Record<string, string>, body = ''): RequestListener =>
    (_, response) => {
      response.writeHead(status, headers).end(body);
    };
  const local = async (handler: RequestListener) => `${(await httpServer(handler)).url}/logo.png`;

  it.each<[string, () => Promise<string>, RegExp]>([
    ['an HTML page called .png', () => local(listener(200, {}, html)), /PNG|image|HTML/i],
    ['a page called SVG', () => serving('<html></html>', 'image/svg+xml'), /cannot be read/],
    ['a missing file', () => local(listener(404, {}, 'no')), /404/],
    ['an empty file', () => local(listener(200, {})), /empty/],
    ['endless redirects', () => local(listener(302, { location: '/again' })), /redirects/],
    ['a file of 2 MB', () => serving(Buffer.alloc(2_000_000)), /1 MB/],
    ['an unknown host', async () => 'http://nowhere.invalid/logo.png', /fetched/],
  ])('%s', async (_, address, reason) => {
    const logoUrl = await address();
    const before = await total();
    const response = await create(logoUrl);
    expect(response.outcome).toBe('400 VALIDATION_FAILED');
    expect(response.invalidFields).toEqual(['logoUrl']);
    expect(response.error.message).toMatch(reason);
    expect(await total()).toBe(before);
  });

  it('a PATCH with it does not change the code', async () => {
    const qr = (await api.call('createQr', { body: { data: 'x' } })).data;
    const response = await api.call('updateQr', {
      params: { id: qr.id },
      body: { size: 300, logoUrl: await local(listener(500, {})) },
    });
    expect(response.invalidFields).toEqual(['logoUrl']);
    expect((await api.call('getQr', { params: { id: qr.id } })).data).toEqual(qr);
  });

  it('a private address is not requested unless the operator allows it', async () => {
    const careful = await startForTest();
    const receiver = await httpServer(listener(200, {}, 'secret'));
    for (const logoUrl of [receiver.url, receiver.url.replace('127.0.0.1', 'localhost')]) {
      const response = await careful.call('createQr', { body: { data: 'x', logoUrl } });
      expect(response.invalidFields).toEqual(['logoUrl']);
      expect(response.text).not.toContain('secret');
    }
    expect(receiver.connections()).toBe(0);
  });
});
