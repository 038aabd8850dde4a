import { describe, expect, it } from 'vitest';
import { sendRaw } from './raw-http.js';
import { startForFile } from './start-server.js';

const api = await startForFile();

describe('GET /docs/{file}', () => {
  const path = '/docs/swagger-ui.css';

  it('is compressed for those who can read that', async () => {
    const plain = await api.visit(path, { headers: { 'accept-encoding': 'identity' } });
    expect(plain.headers.get('content-encoding')).toBeNull();
    const packed = await api.visit(path, { headers: { 'accept-encoding': 'br, gzip' } });
    expect(packed.headers.get('content-encoding')).toBe('gzip');
    expect(packed.headers.get('vary')).toBe('Accept-Encoding');
    expect(packed.text).toBe(plain.text);
  });

  it('is 304 for who has it', async () => {
    const etag = (await api.visit(path)).headers.get('etag') as string;
    // fetch would add that it wants no kept response.
    const head = `GET ${path} HTTP/1.1\r\nHost: x\r\nIf-None-Match: ${etag}\r\n`;
    const again = await sendRaw(api.server.url, [`${head}Connection: close\r\n\r\n`]);
    expect(again).toMatch(/^HTTP\/1\.1 304 /);
    expect(again).toMatch(/\r\n\r\n$/);
    const older = await api.visit(path, { headers: { 'if-none-match': '"older"' } });
    expect(older.status).toBe(200);
  });

  it.each(['package.json', '__proto__', '..%2Fpackage.json', 'index.html'])(
    '%s is nothing of ours',
    async (file) => {
      expect((await api.visit(`/docs/${file}`)).outcome).toBe('404 NOT_FOUND');
    },
  );
});
