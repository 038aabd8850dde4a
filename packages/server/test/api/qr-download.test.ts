import { describe, expect, it } from 'vitest';
import { person, startForFile } from './start-server.js';

const api = await startForFile();

const create = async (body: object = { data: 'a text' }) =>
  (await api.call('createQr', { body })).data;
const get = (path: string, init: RequestInit = {}) => api.visit(path, init);
const downloadsOf = async (id: string) =>
  (await api.call('getQr', { params: { id } })).data.downloadCount;

async function untilDownloads(id: string, count: number): Promise<void> {
  await expect
    .poll(() => downloadsOf(id), { message: 'downloadCount', timeout: 10_000, interval: 10 })
    .toBe(count);
}

describe('GET /api/qr/{id}/download', () => {
  it.each([
    ['png', 'image/png', '\x89PNG'],
    ['svg', 'image/svg+xml', '<svg'],
    ['webp', 'image/webp', 'RIFF'],
  ])('sends the image in the stored format: %s', async (format, type, magic) => {
    const { downloadUrl } = await create({ data: 'a text', format });
    const response = await fetch(api.server.url + downloadUrl);
    expect(response.headers.get('content-type')).toBe(type);
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(bytes.toString('latin1').startsWith(magic)).toBe(true);
    expect(bytes.length).toBe(Number(response.headers.get('content-length')));
  });

  it('has a strong ETag, and answers 304 when If-None-Match contains it', async () => {
    const { id, downloadUrl } = await create();
    const first = await get(downloadUrl);
    const etag = first.headers.get('etag') as string;
    expect(etag).toMatch(/^"[\w-]{22}"$/);
    expect(first.headers.get('cache-control')).toBe('public, no-cache');
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const response = await get(downloadUrl, { headers: { 'if-none-match': known } });
      expect(response.status).toBe(304);
      expect(response.headers.get('etag')).toBe(etag);
    }
    const headers = { 'if-none-match': '"other"' };
    expect((await get(downloadUrl, { headers })).status).toBe(200);
    await api.call('updateQr', { params: { id }, body: { size: 300 } });
    const changed = await get(downloadUrl, { headers: { 'if-none-match': etag } });
    expect(changed.status).toBe(200);
    expect(changed.headers.get('etag')).not.toBe(etag);
  });

  it('names the file by slug, short code or id; ?download=1 makes it an attachment', async () => {
    const nameOf = async (path: string) => (await get(path)).headers.get('content-disposition');
    const target = { targetUrl: 'https://example.com/' };
    const slugged = await api.createLink({ ...target, customSlug: 'Spring-2030' });
    const plain = await api.createLink(target);
    const standalone = await create();
    expect(await nameOf((await create({ urlId: slugged.id })).downloadUrl)).toBe(
      'inline; filename="qr-Spring-2030.png"',
    );
    const svg = await create({ urlId: plain.id, format: 'svg' });
    expect(await nameOf(`${svg.downloadUrl}?download=1`)).toBe(
      `attachment; filename="qr-${plain.shortCode}.svg"`,
    );
    expect(await nameOf(`${standalone.downloadUrl}?x=1&download=1`)).toBe(
      `attachment; filename="qr-${standalone.id}.png"`,
    );
  });

  it('has a content security policy that disables everything in an SVG', async () => {
    const { downloadUrl } = await create({ data: '<script>alert(1)</script>', format: 'svg' });
    const response = await get(downloadUrl);
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(response.headers.get('content-security-policy')).toContain('sandbox');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.text).not.toContain('<script');
  });

  it('counts each 200 response, but not HEAD, 304 or the preview', async () => {
    const { id, downloadUrl, previewUrl } = await create();
    const etag = (await get(downloadUrl)).headers.get('etag') as string;
    const head = await get(downloadUrl, { method: 'HEAD' });
    expect(head.headers.get('etag')).toBe(etag);
    await get(downloadUrl, { headers: { 'if-none-match': etag } });
    await get(previewUrl);
    await get(`${downloadUrl}?preview=1`);
    // An attachment is a download, whatever else the request says.
    await get(`${downloadUrl}?download=1&preview=1`);
    await Promise.all(Array.from({ length: 20 }, () => get(downloadUrl)));
    await untilDownloads(id, 22);
  });

  it('answers 410 for a deleted code and 404 for an unknown one', async () => {
    const { id, downloadUrl, previewUrl } = await create();
    await get(downloadUrl);
    await api.call('deleteQr', { params: { id } });
    expect((await get(downloadUrl)).outcome).toBe('410 GONE');
    const page = await get(previewUrl);
    expect(page.status).toBe(410);
    expect(page.headers.get('content-type')).toContain('text/html');
    const json = { headers: { accept: 'application/json' } };
    expect((await get(previewUrl, json)).outcome).toBe('410 GONE');
    const person = await get(downloadUrl, { headers: { accept: 'text/html,*/*;q=0.8' } });
    expect(person.headers.get('content-type')).toContain('text/html');
    for (const unknown of ['01981f2e-7d1c-7c59-8a5f-5d9f6d0b7c11', 'x', '%00', "'or'1"]) {
      expect((await get(`/api/qr/${unknown}/download`)).outcome).toBe('404 NOT_FOUND');
      expect((await get(`/qr/${unknown}`, json)).outcome).toBe('404 NOT_FOUND');
    }
  });

  it('answers GET and HEAD only', async () => {
    const { downloadUrl, previewUrl } = await create();
    for (const path of [downloadUrl, previewUrl]) {
      const response = await fetch(api.server.url + path, { method: 'POST' });
      expect(response.status).toBe(405);
      expect(response.headers.get('allow')).toBe('GET, HEAD');
    }
  });
});

describe('GET /qr/{id}', () => {
  it('returns an HTML preview page', async () => {
    const { previewUrl, downloadUrl } = await create({ data: 'https://example.com/?a=1&b=2' });
    const response = await get(previewUrl);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.text).toContain('<a href="https://example.com/?a=1&amp;b=2"');
    expect(response.text).toContain(`href="${downloadUrl}?download=1"`);
    expect(response.text).toContain(`src="${downloadUrl}?preview=1"`);
    expect(response.headers.get('content-security-policy')).toContain("img-src 'self'");
    expect(response.text).not.toContain('<script');
    expect(response.headers.get('content-security-policy')).toMatch(/default-src 'none'/);
  });

  it('counts neither as a click nor as a scan', async () => {
    const body = { targetUrl: 'https://example.com/' };
    const url = await api.createLink(body);
    const qr = await create({ urlId: url.id });
    for (const path of [qr.previewUrl, qr.downloadUrl]) {
      await get(path, { headers: person });
    }
    await untilDownloads(qr.id, 1);
    expect((await api.call('getQr', { params: { id: qr.id } })).data.scanCount).toBe(0);
    expect((await api.getLink(url.id)).clickCount).toBe(0);
  });
});
