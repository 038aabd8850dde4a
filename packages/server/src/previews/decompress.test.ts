import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { decompress } from './decompress.js';

const page = `<title>A page</title>${'<p>text</p>'.repeat(1_000)}`;
const maxBytes = 4_096;

async function textOf(body: Uint8Array, encoding: string): Promise<string | undefined> {
  const found = await decompress(body, encoding, maxBytes);
  return found && Buffer.from(found).toString();
}

describe('decompress', () => {
  it.each([
    ['gzip', gzipSync],
    ['X-GZIP', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['identity', Buffer.from],
    ['', Buffer.from],
  ])('returns the beginning of a body in %j', async (encoding, compress) => {
    const body = (compress as (text: Buffer) => Uint8Array)(Buffer.from(page));
    expect(await textOf(body, encoding)).toBe(page.slice(0, maxBytes));
  });

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ])('stops at the limit of a body in %s that becomes much larger', async (encoding, compress) => {
    const bomb = compress(Buffer.alloc(16 * 1024 * 1024));
    expect(bomb.length).toBeLessThan(100_000);
    const before = process.memoryUsage().arrayBuffers;
    expect((await decompress(bomb, encoding, maxBytes))?.length).toBe(maxBytes);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(12 * 1024 * 1024);
  });

  it('returns what a body has that was cut, or is damaged later', async () => {
    const noise = Array.from({ length: 400 }, (_, at) => Math.sin(at)).join(' ');
    const body = gzipSync(noise);
    const cut = await textOf(body.subarray(0, body.length / 2), 'gzip');
    expect(noise.startsWith(cut ?? '-')).toBe(true);
    expect(cut?.length).toBeGreaterThan(100);
    const brotli = brotliCompressSync(page);
    expect(await textOf(brotli.subarray(0, brotli.length - 2), 'br')).toMatch(/^<title>A page/);
  });

  it.each([
    ['gzip', '<title>A page</title>'],
    ['br', '<title>A page</title>'],
    ['gzip, gzip', page],
    ['zstd', page],
    ['rot13', page],
  ])('returns undefined for a body in %j that it cannot read', async (encoding, body) => {
    expect(await textOf(Buffer.from(body), encoding)).toBeUndefined();
  });
});
