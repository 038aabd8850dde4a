import { inflateSync } from 'node:zlib';
import fc from 'fast-check';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { squareLogo, wideLogo } from '../../../test/qr/logos.js';
import { readWithOthers } from '../../../test/qr/other-decoders.js';
import { drawDesign } from './draw-design.js';
import { type QrDesign, QrDesignError, type QrFormat, type QrStylePreset } from './qr-design.js';
import { drawVerified } from './verify-design.js';

const plain: QrDesign = {
  payload: 'https://sho.rt/AbC123x',
  size: 512,
  format: 'png',
  errorCorrection: 'M',
  foregroundColor: '#000000',
  backgroundColor: '#FFFFFF',
  background: 'solid',
  margin: 4,
  stylePreset: 'default',
  logo: null,
};

const presets: readonly QrStylePreset[] = ['default', 'rounded', 'dots', 'classy'];
const formats: readonly QrFormat[] = ['png', 'svg', 'webp'];

async function refusal(change: Partial<QrDesign>): Promise<QrDesignError> {
  const outcome = await drawVerified({ ...plain, ...change }).catch((error: unknown) => error);
  if (outcome instanceof QrDesignError) return outcome;
  throw new Error('the design was drawn', { cause: outcome });
}

async function pixelsOf(file: Uint8Array) {
  return sharp(file).greyscale().raw().toBuffer({ resolveWithObject: true });
}

describe('an image', () => {
  it.each(formats)('has exactly the requested size (%s)', async (format) => {
    for (const size of [200, 201, 333, 512, 2048]) {
      const { info } = await pixelsOf(await drawDesign({ ...plain, format, size }));
      expect([info.width, info.height]).toEqual([size, size]);
    }
  });

  it.each(presets)('has a quiet zone of at least four modules (%s)', async (stylePreset) => {
    const size = 401;
    const { data } = await pixelsOf(await drawDesign({ ...plain, size, stylePreset }));
    // Version 2: 25 modules, and 8 of the quiet zone.
    const quiet = 4 * Math.floor(size / 33);
    for (let index = 0; index < data.length; index += 1) {
      const [x, y] = [index % size, Math.floor(index / size)];
      if (Math.min(x, y, size - 1 - x, size - 1 - y) < quiet && data[index] !== 255) {
        throw new Error(`${x},${y} is not light`);
      }
    }
  });

  it.each(presets)('looks the same in every format (%s)', async (stylePreset) => {
    const logo = await squareLogo();
    const [png, svg, webp] = await Promise.all(
      formats.map(async (format) =>
        pixelsOf(await drawDesign({ ...plain, format, stylePreset, logo })),
      ),
    );
    expect(webp?.data.equals(png?.data ?? Buffer.alloc(0))).toBe(true);
    const differences = svg?.data.map((value, index) => Math.abs(value - (png?.data[index] ?? 0)));
    // The two renderers antialias curves differently in a few pixels.
    const off = differences?.filter((difference) => difference > 96).length ?? Number.NaN;
    expect(off / 512 ** 2).toBeLessThan(0.002);
  });

  it('has the requested colours', async () => {
    const colours = { foregroundColor: '#1D3557', backgroundColor: '#F1FAEE' };
    for (const format of formats) {
      const { data } = await sharp(await drawDesign({ ...plain, ...colours, format }))
        .removeAlpha()
        .raw()
        .toBuffer({ resolveWithObject: true });
      const found = new Set<string>();
      for (let at = 0; at < data.length; at += 3) {
        found.add(
          data
            .subarray(at, at + 3)
            .toString('hex')
            .toUpperCase(),
        );
      }
      expect([...found].sort()).toEqual(['1D3557', 'F1FAEE']);
    }
  });

  it('has the same bytes for the same design', async () => {
    const logo = await wideLogo();
    for (const format of formats) {
      const [one, other] = await Promise.all([
        drawDesign({ ...plain, format, logo }),
        drawDesign({ ...plain, format, logo }),
      ]);
      expect(Buffer.from(one).equals(other)).toBe(true);
    }
  });
});

describe('a PNG', () => {
  const depthOf = async (change: Partial<QrDesign>) =>
    Buffer.from(await drawDesign({ ...plain, ...change }))[24];

  it('has one bit a pixel for squares, and four for curves', async () => {
    expect(await depthOf({})).toBe(1);
    expect(await depthOf({ stylePreset: 'dots' })).toBe(4);
  });

  it('has rows of the length that its header requires', async () => {
    const file = Buffer.from(await drawDesign({ ...plain, size: 333 }));
    const rows = inflateSync(file.subarray(file.indexOf('IDAT') + 4));
    expect(rows.length).toBe(333 * (1 + Math.ceil(333 / 8)));
  });

  it.each(presets)('with a logo has the pixels of the lossless WebP (%s)', async (stylePreset) => {
    const design: QrDesign = {
      ...plain,
      stylePreset,
      foregroundColor: '#1D3557',
      backgroundColor: '#F1FAEE',
      logo: await squareLogo(),
    };
    const rgbOf = async (file: Uint8Array) => sharp(file).removeAlpha().raw().toBuffer();
    const png = await rgbOf(await drawDesign(design));
    expect(png.equals(await rgbOf(await drawDesign({ ...design, format: 'webp' })))).toBe(true);
  });
});

describe('an SVG', () => {
  it.each(presets)('is one path for each colour (%s)', async (stylePreset) => {
    const svg = Buffer.from(await drawDesign({ ...plain, format: 'svg', stylePreset })).toString();
    expect(svg.match(/<path fill="(#\w+)"/g)).toEqual([
      '<path fill="#FFFFFF"',
      '<path fill="#000000"',
    ]);
    expect(svg.match(/<\w+/g)).toEqual(['<svg', '<path', '<path']);
  });

  it('contains its logo', async () => {
    const svg = await drawDesign({ ...plain, format: 'svg', logo: await squareLogo() });
    expect(Buffer.from(svg).toString()).toMatch(/<image [^>]*href="data:image\/png;base64,/);
  });
});

describe('a payload', () => {
  it('of any text is decoded byte for byte', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }),
        async (payload) => (await drawVerified({ ...plain, payload })).length > 0,
      ),
      { numRuns: 40 },
    );
  });

  it('that does not fit its level is refused with a level that fits', async () => {
    const { field, message } = await refusal({
      payload: 'a'.repeat(2000),
      errorCorrection: 'H',
    });
    expect(field).toBe('data');
    expect(message).toBe(
      'has 2000 bytes, and errorCorrectionLevel H holds 1273: use errorCorrectionLevel M',
    );
  });

  it('that no level holds is refused with the largest capacity', async () => {
    const { field, message } = await refusal({ payload: 'a'.repeat(2954) });
    expect(field).toBe('data');
    expect(message).toMatch(/no level holds it/);
  });
});

describe('colours', () => {
  it.each([
    [
      '#808080',
      '#808080',
      /contrast of 1\.00 to 1.*use a darker one, or a lighter backgroundColor/,
    ],
    ['#FFFF00', '#FFFFFF', /contrast of 1\.07 to 1/],
    ['#000000', '#303030', /contrast of 1\.\d+ to 1/],
    ['#FFFFFF', '#000000', /inverted codes: exchange them/],
  ])('%s on %s are refused', async (foregroundColor, backgroundColor, message) => {
    const error = await refusal({ foregroundColor, backgroundColor });
    expect(error.field).toBe('foregroundColor');
    expect(error.message).toMatch(message);
  });
});

describe('a size', () => {
  it('that is too small for its modules is refused with the smallest size that works', async () => {
    const long = { payload: 'a'.repeat(2900), errorCorrection: 'L' as const };
    for (const size of [200, 369]) {
      const { field, message } = await refusal({ ...long, size });
      expect(field).toBe('size');
      expect(message).toMatch(/: use size 370$/);
    }
    await drawVerified({ ...plain, ...long, size: 370 });
  });
});

describe('a logo', () => {
  it('is centred, keeps its aspect ratio, and has a clear margin', async () => {
    const logo = await wideLogo();
    const svg = Buffer.from(await drawDesign({ ...plain, format: 'svg', logo })).toString();
    const position = /<image x="(\d+)" y="(\d+)" width="(\d+)" height="(\d+)"/.exec(svg) ?? [];
    const [x, y, width, height] = position.slice(1).map(Number) as [number, number, number, number];
    expect(Math.abs(x + width / 2 - 256)).toBeLessThanOrEqual(1);
    expect(Math.abs(y + height / 2 - 256)).toBeLessThanOrEqual(1);
    expect(Math.abs(width / height - logo.width / logo.height)).toBeLessThan(0.1);
    const { data } = await pixelsOf(await drawDesign({ ...plain, logo }));
    for (let column = x - 6; column < x + width + 6; column += 1) {
      expect([data[(y - 6) * 512 + column], data[(y + height + 5) * 512 + column]]).toEqual([
        255, 255,
      ]);
    }
  });

  it.each(['L', 'M', 'Q', 'H'] as const)(
    'is read by other decoders on codes of any length (%s)',
    async (errorCorrection) => {
      for (const logo of [await squareLogo(), await wideLogo()]) {
        for (const length of [10, 200, 500]) {
          const payload = 'x'.repeat(length);
          const file = await drawVerified({ ...plain, size: 700, payload, errorCorrection, logo });
          const { qr, zbar } = await readWithOthers(file);
          expect([qr, zbar]).toEqual([Buffer.from(payload), Buffer.from(payload)]);
        }
      }
    },
  );
});
