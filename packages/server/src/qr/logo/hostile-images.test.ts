import { crc32, deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { badge, plainImage } from '../../../test/qr/logos.js';
import { QrDesignError } from '../drawing/qr-design.js';
import { createLogoDecoder } from './logo-decoder.js';
import { logoLimits, logoProcessLimits } from './logo-limits.js';

const logos = createLogoDecoder();
afterAll(() => logos.stop());

/** Decodes an image, and fails unless the outcome is a logo or a refusal in time. */
async function outcome(image: Uint8Array, organizationId = 'hostile'): Promise<string> {
  const startedAt = performance.now();
  try {
    const { width, height, rgba } = await logos.decode(organizationId, image);
    expect(Math.max(width, height)).toBeLessThanOrEqual(logoLimits.side);
    expect(rgba.length).toBe(4 * width * height);
    return 'a logo';
  } catch (error) {
    if (!(error instanceof QrDesignError)) throw error;
    expect(error.field).toBe('logoUrl');
    return error.message;
  } finally {
    // The rest is the start of the process.
    expect(performance.now() - startedAt).toBeLessThan(2 * logoProcessLimits.timeoutMs);
  }
}

/** Proves that the attack before it does not affect the next logo. */
async function expectNextLogo(): Promise<void> {
  expect(await outcome(badge, 'honest')).toBe('a logo');
}

function chunk(name: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const bytes = Buffer.alloc(8);
  bytes.writeUInt32BE(data.length, 0);
  bytes.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([bytes.subarray(0, 4), body, bytes.subarray(4)]);
}

/** Inserts chunks after the header of a PNG. */
function pngWith(png: Uint8Array, ...chunks: Buffer[]): Buffer {
  const headerEnd = 8 + 25;
  return Buffer.concat([png.subarray(0, headerEnd), ...chunks, png.subarray(headerEnd)]);
}

let small: Record<'png' | 'jpeg' | 'webp', Buffer>;
beforeAll(async () => {
  const image = () => plainImage(60, 40, '#ff0000');
  small = {
    png: await image().png().toBuffer(),
    jpeg: await image().jpeg().toBuffer(),
    webp: await image().webp({ lossless: true }).toBuffer(),
  };
});

describe('a bomb', () => {
  it('of 30,000 by 30,000 pixels is refused', async () => {
    const side = 30_000;
    const png = Buffer.from(small.png);
    png.writeUInt32BE(side, 16);
    png.writeUInt32BE(side, 20);
    png.writeUInt32BE(crc32(png.subarray(12, 29)), 29);
    const jpeg = Buffer.from(small.jpeg);
    const frameAt = jpeg.indexOf(Buffer.from([0xff, 0xc0]));
    jpeg.writeUInt16BE(side, frameAt + 5);
    jpeg.writeUInt16BE(side, frameAt + 7);
    // WebP allows 16,383 pixels a side: 14 bits each, minus one, after the chunk's signature.
    const webp = Buffer.from(small.webp);
    const rest = webp.readUInt32LE(21) >>> 28;
    webp.writeUInt32LE(16_382 + 16_382 * 2 ** 14 + rest * 2 ** 28, 21);
    for (const image of [png, jpeg, webp]) {
      expect(image.length).toBeLessThan(1024 * 1024);
      expect(await outcome(image)).toMatch(
        /cannot be read.*(?:16777216 pixels|512 MB of memory), which is the limit/,
      );
    }
    await expectNextLogo();
  });

  it('inside a colour profile or a text of a PNG is decompressed within limits', async () => {
    const zeros = deflateSync(Buffer.alloc(512 * 1024 * 1024), { level: 9 });
    const bomb = (name: string, head: string) =>
      pngWith(small.png, chunk(name, Buffer.concat([Buffer.from(head, 'latin1'), zeros])));
    for (const image of [
      bomb('iCCP', 'icc\0\0'),
      bomb('zTXt', 'a\0\0'),
      bomb('iTXt', 'a\0\x01\0\0\0'),
    ]) {
      expect(image.length).toBeLessThan(1024 * 1024);
      expect(await outcome(image)).toMatch(/^a logo$|^leads to an image that/);
    }
    await expectNextLogo();
  }, 60_000);

  it('inside the EXIF data of a JPEG is not read', async () => {
    const segment = Buffer.alloc(65_535, 0xff);
    segment.writeUInt16BE(65_535, 0);
    segment.write('Exif\0\0MM\0*\0\0\0\x08\xff\xff', 2, 'latin1');
    const marker = Buffer.from([0xff, 0xe1]);
    const all = Array.from({ length: 15 }, () => [marker, segment]).flat();
    const image = Buffer.concat([small.jpeg.subarray(0, 2), ...all, small.jpeg.subarray(2)]);
    expect(await outcome(image)).toMatch(/^a logo$|^leads to an image that cannot be read/);
    await expectNextLogo();
  });
});

describe('an allowed SVG that takes too long', () => {
  const documents = {
    'of crossing lines': (at: number) => `L${(at * 7919) % 100} ${(at * 104_729) % 100}`,
    'of curves': (at: number) => `C${at % 9e5} 0 0 ${at % 7e5} ${at % 100} ${(at * 31) % 100}`,
  };
  it.each(Object.entries(documents))(
    '%s ends by the limits of its process, and does not delay other logos',
    async (_, segment) => {
      let path = 'M0 0';
      for (let at = 0; path.length < 64_000; at += 1) path += segment(at);
      const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"><path stroke="red" stroke-width="1e6" d="${path}"/></svg>`;
      const hostile = outcome(Buffer.from(svg));
      await expectNextLogo();
      expect(await hostile).toMatch(
        /^a logo$|^leads to an image that (?:takes more|cannot be drawn)/,
      );
    },
    30_000,
  );
});

it('a file of two formats is read as the format of its first bytes, or refused', async () => {
  const script = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>');
  const zip = Buffer.from('PK\x03\x04 GIF89a <html><script>', 'latin1');
  expect(await outcome(Buffer.concat([small.png, script]))).toBe('a logo');
  expect(await outcome(Buffer.concat([small.jpeg, zip]))).toBe('a logo');
  expect(await outcome(Buffer.concat([small.png.subarray(0, 8), script]))).toMatch(
    /cannot be read/,
  );
  expect(await outcome(Buffer.concat([badge, small.png]))).toMatch(/^a logo$|cannot be read/);
  expect(await outcome(Buffer.concat([zip, small.png]))).toMatch(/cannot be read as PNG/);
});

describe('any mutation of an image', () => {
  type Change = { at: number; kind: 'set' | 'insert' | 'remove' | 'repeat'; bytes: Uint8Array };
  const change = fc.record<Change>({
    at: fc.nat(),
    kind: fc.constantFrom('set', 'insert', 'remove', 'repeat'),
    bytes: fc.uint8Array({ minLength: 1, maxLength: 8 }),
  });

  function mutate(image: Uint8Array, changes: readonly Change[]): Buffer {
    let bytes = Buffer.from(image);
    for (const { at: position, kind, bytes: more } of changes) {
      const at = position % (bytes.length + 1);
      const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)];
      if (kind === 'set') bytes = Buffer.concat([before, more, after.subarray(more.length)]);
      else if (kind === 'insert') bytes = Buffer.concat([before, more, after]);
      else if (kind === 'remove') bytes = Buffer.concat([before, after.subarray(more.length)]);
      else bytes = Buffer.concat([before, after.subarray(0, 32), after]);
    }
    return bytes;
  }

  it.each(['png', 'jpeg', 'webp', 'svg'] as const)(
    'gives a logo or a refusal in time, and does not affect the next logo (%s)',
    async (kind) => {
      const image = kind === 'svg' ? badge : small[kind];
      const before = process.memoryUsage().rss;
      await fc.assert(
        fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), async (changes) => {
          const outcomes = await Promise.all([
            outcome(mutate(image, changes)),
            outcome(mutate(image, changes.slice(1)), 'other'),
          ]);
          for (const text of outcomes) expect(text).toMatch(/^a logo$|^leads to /);
        }),
        { seed: 20_261_122, numRuns: 8, endOnFailure: true },
      );
      await expectNextLogo();
      expect(process.memoryUsage().rss - before).toBeLessThan(256 * 1024 * 1024);
    },
    120_000,
  );
});
