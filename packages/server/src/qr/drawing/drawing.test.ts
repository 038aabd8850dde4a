import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { wideLogo } from '../../../test/qr/logos.js';
import { readWithOthers } from '../../../test/qr/other-decoders.js';
import { decodeLogo } from '../logo/decode-logo.js';
import { drawDesign, drawVerified, encodeLogo } from './draw-design.js';
import { type QrDesign, QrDesignError, type QrFormat, type QrStylePreset } from './qr-design.js';

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

async function drawOrRefusal(design: QrDesign): Promise<Uint8Array | QrDesignError> {
  return drawVerified(design).catch((error: unknown) => {
    if (error instanceof QrDesignError) return error;
    throw error;
  });
}

async function refusal(change: Partial<QrDesign>): Promise<QrDesignError> {
  const outcome = await drawOrRefusal({ ...plain, ...change });
  if (outcome instanceof QrDesignError) return outcome;
  throw new Error('the design was drawn');
}

async function pixelsOf(file: Uint8Array) {
  return sharp(file).greyscale().raw().toBuffer({ resolveWithObject: true });
}

describe('an image', () => {
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

  it('has the requested colours', async () => {
    const pairs = formats.flatMap((format) => [
      { format, foregroundColor: '#1D3557', backgroundColor: '#F1FAEE' },
      { format, foregroundColor: '#5A189A', backgroundColor: '#E0AAFF' },
      { format, foregroundColor: '#767676', backgroundColor: '#FFFFFF' },
    ]);
    for (const colours of pairs) {
      const { data } = await sharp(await drawDesign({ ...plain, ...colours }))
        .removeAlpha()
        .raw()
        .toBuffer({ resolveWithObject: true });
      const found = new Set<string>();
      for (let at = 0; at < data.length; at += 3) {
        found.add(data.toString('hex', at, at + 3).toUpperCase());
      }
      const { foregroundColor, backgroundColor } = colours;
      expect([...found].map((hex) => `#${hex}`).sort()).toEqual([foregroundColor, backgroundColor]);
    }
  });
});

it('a payload that does not fit its level is refused with the capacity of its level', async () => {
  const { field, message } = await refusal({
    payload: 'a'.repeat(2000),
    errorCorrection: 'H',
  });
  expect(field).toBe('data');
  expect(message).toBe(
    'has 2000 bytes, and errorCorrectionLevel H holds 1273 (L holds the most: 2953)',
  );
});

it.each([
  [
    '#808080',
    '#808080',
    /a contrast of 3 to 1 and 20 % of brightness \(#808080 on #808080: 1\.00 to 1\)/,
  ],
  ['#FFFF00', '#FFFFFF', /1\.07 to 1/],
  ['#FFFFFF', '#000000', /must be darker than backgroundColor/],
])('colours %s on %s are refused', async (foregroundColor, backgroundColor, message) => {
  const error = await refusal({ foregroundColor, backgroundColor });
  expect(error.field).toBe('foregroundColor');
  expect(error.message).toMatch(message);
});

it('a size that is too small is refused with the smallest that works', async () => {
  const long = { payload: 'a'.repeat(2900), errorCorrection: 'L' as const };
  for (const size of [200, 369]) {
    const { field, message } = await refusal({ ...long, size });
    expect(field).toBe('size');
    expect(message).toMatch(/: use size 370$/);
  }
  await drawVerified({ ...plain, ...long, size: 370 });
});

it('a logo is centred, keeps its aspect ratio, and has a clear margin', async () => {
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

async function logoOf(shapes: string) {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 7 7" width="70" height="70">${shapes}</svg>`;
  return encodeLogo(await decodeLogo(Buffer.from(svg)));
}

const finderLogo = () =>
  logoOf('<path d="M0 0h7v7H0z"/><path fill="#fff" d="M1 1h5v5H1z"/><path d="M2 2h3v3H2z"/>');

describe('a code without a logo', () => {
  it.each([120, 200])(
    'of %i bytes and level H that zxing-cpp reads in smaller copies only is drawn',
    async (length) => {
      const payload = `https://example.com/${'aB3-x9_'.repeat(40)}`.slice(0, length);
      const design = { errorCorrection: 'H', size: 1500, stylePreset: 'classy' } as const;
      const file = await drawVerified({ ...plain, ...design, payload });
      const { qr, zbar } = await readWithOthers(file);
      expect([qr, zbar]).toEqual([Buffer.from(payload), Buffer.from(payload)]);
    },
  );
});

describe('a text beyond ASCII', () => {
  it('has no mark when it only fits its level without', async () => {
    const payload = `${'y'.repeat(1270)}…`;
    const design: QrDesign = { ...plain, payload, errorCorrection: 'H', size: 1024 };
    const { qr } = await readWithOthers(await drawVerified(design));
    expect(qr).toEqual(Buffer.from(payload));
  });
});

it('a code that the decoder cannot read is refused with its logo as the cause', async () => {
  const inner = await drawVerified({ ...plain, payload: 'x' });
  const logo = await encodeLogo(await decodeLogo(inner));
  const design = { size: 300, errorCorrection: 'H', stylePreset: 'dots', logo } as const;
  const { field, message } = await refusal(design);
  expect(field).toBe('logoUrl');
  expect(message).toMatch(/^leads to a logo with which a decoder .*: use another one$/);
});

describe('a margin', () => {
  it.each([0, 1, 4, 10])('of %i modules has this width', async (margin) => {
    const size = 25 * 10 + 2 * margin * 10;
    const svg = Buffer.from(
      await drawVerified({ ...plain, margin, size, format: 'svg' }),
    ).toString();
    expect(svg).toContain(`translate(${margin * 10} ${margin * 10})scale(10)`);
  });

  it('below 4 is drawn only if decoders read it', async () => {
    let drawn = 0;
    for (const stylePreset of presets) {
      for (const margin of [0, 1, 2, 3]) {
        for (const size of [200, 512]) {
          const design: QrDesign = { ...plain, margin, size, stylePreset };
          const outcome = await drawOrRefusal(design);
          if (!(outcome instanceof QrDesignError)) {
            drawn += 1;
            const { qr, zbar } = await readWithOthers(outcome);
            expect([qr, zbar]).toContainEqual(Buffer.from(plain.payload));
            continue;
          }
          expect(outcome.field).toBe('size');
          expect(outcome.message).toMatch(/, or margin 4$/);
        }
      }
    }
    expect(drawn).toBeGreaterThan(20);
  });
});

describe('a transparent background', () => {
  const transparent = { ...plain, background: 'transparent' } as const;

  it.each(formats)('is transparent between dark modules (%s)', async (format) => {
    for (const stylePreset of ['default', 'rounded'] as const) {
      for (const logo of [null, await finderLogo()]) {
        const design = { ...transparent, format, stylePreset, logo };
        const { data, info } = await sharp(await drawDesign(design))
          .ensureAlpha()
          .raw()
          .toBuffer({ resolveWithObject: true });
        const pixel = (x: number, y: number) => [
          ...data.subarray((y * info.width + x) * 4, (y * info.width + x) * 4 + 4),
        ];
        expect(pixel(2, 2)[3]).toBe(0);
        // The corner of a finder pattern. Modules have 15 pixels, and 13 with a logo.
        const start = logo ? (512 - 29 * 13) >> 1 : (512 - 25 * 15) >> 1;
        expect(pixel(start + 45, start + 45)).toEqual([0, 0, 0, 255]);
      }
    }
  });

  it.each(formats)('is read on its background color (%s)', async (format) => {
    const backgroundColor = '#FFD60A';
    const file = await drawVerified({ ...transparent, format, backgroundColor });
    const onColor = await sharp(file).flatten({ background: backgroundColor }).png().toBuffer();
    const { qr, zbar } = await readWithOthers(onColor);
    expect([qr, zbar]).toEqual([Buffer.from(plain.payload), Buffer.from(plain.payload)]);
  });
});
