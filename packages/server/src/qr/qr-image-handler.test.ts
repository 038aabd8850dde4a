import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { LoadingCache } from '../loading-cache.js';
import { createVisitorPages } from '../pages/visitor-pages.js';
import { type FoundImage, qrImageHandler, toQrImage } from './qr-image-handler.js';

const id = '01981f2e-7d1c-7c59-8a5f-5d9f6d0b7c11';
const bytes = Buffer.from(Array.from({ length: 6_000_000 }, (_, index) => index % 251));
const image = toQrImage(
  {
    id,
    qrData: 'a text',
    format: 'svg',
    size: 2048,
    linkKey: null,
    version: 1,
    updatedAt: 0,
  },
  bytes,
);

/** Serves previews of an image of 6 MB. */
async function servePreviews() {
  const responses: ServerResponse[] = [];
  const handler = qrImageHandler({
    cache: new LoadingCache<FoundImage>({ max: 1 }, async () => ({ organizationId: 'a', image })),
    findOrganization: async () => null,
    pagesFor: createVisitorPages({}),
    countDownload: (_, respond) => respond(),
    onError: (error) => {
      throw error;
    },
  });
  const server = createServer((request, response) => {
    responses.push(response);
    handler.handle(request, response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, responses };
}

it('the preview contains the whole image', async () => {
  const { port } = await servePreviews();
  const response = await fetch(`http://127.0.0.1:${port}/qr/${id}`);
  const page = await response.text();
  expect(Buffer.byteLength(page)).toBe(Number(response.headers.get('content-length')));
  const [, base64 = ''] = /src="data:image\/svg\+xml;base64,([^"]*)"/.exec(page) ?? [];
  expect(Buffer.from(base64, 'base64').equals(bytes)).toBe(true);
});

it('the preview waits in slices for a client that does not read', async () => {
  const { port, responses } = await servePreviews();
  const client = connect(port, '127.0.0.1');
  client.pause();
  client.write(`GET /qr/${id} HTTP/1.1\r\nHost: a\r\n\r\n`);
  await expect
    .poll(() => responses[0]?.writableNeedDrain, { message: 'the socket is full', timeout: 10_000 })
    .toBe(true);
  expect(responses[0]?.writableLength).toBeLessThan(500_000);
  client.destroy();
});
