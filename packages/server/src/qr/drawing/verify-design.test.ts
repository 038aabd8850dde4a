import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { readWithOthers } from '../../../test/qr/other-decoders.js';
import { decodeLogo } from '../logo/decode-logo.js';
import { drawDesign } from './draw-design.js';
import { encodeLogo } from './logo-pixels.js';
import { type QrDesign, QrDesignError } from './qr-design.js';
import { qrMatrix } from './qr-matrix.js';
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

const longUrl = (length: number) => `https://example.com/${'aB3-x9_'.repeat(40)}`.slice(0, length);

async function logoOf(shapes: string) {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 7 7" width="70" height="70">${shapes}</svg>`;
  return encodeLogo(await decodeLogo(Buffer.from(svg)));
}

const finderLogo = () =>
  logoOf('<path d="M0 0h7v7H0z"/><path fill="#fff" d="M1 1h5v5H1z"/><path d="M2 2h3v3H2z"/>');

async function drawOrRefusal(design: QrDesign): Promise<Uint8Array | QrDesignError> {
  try {
    return await drawVerified(design);
  } catch (error) {
    if (error instanceof QrDesignError) return error;
    throw error;
  }
}

describe('a code without a logo', () => {
  it.each([
    [120, 'H'],
    [200, 'Q'],
    [200, 'H'],
  ] as const)(
    'of %i bytes and level %s that zxing-cpp reads in smaller copies only is drawn',
    async (length, errorCorrection) => {
      const payload = longUrl(length);
      const file = await drawVerified({
        ...plain,
        payload,
        errorCorrection,
        size: 1500,
        stylePreset: 'classy',
      });
      const { qr, zbar } = await readWithOthers(file);
      expect([qr, zbar]).toEqual([Buffer.from(payload), Buffer.from(payload)]);
    },
  );
});

describe('a text beyond ASCII', () => {
  it.each(['Müller', 'Grüße aus Köln 🚀 日本語', 'é'.repeat(90), 'Nº 1234567890123456'])(
    '%s is shown by zbar, which guesses the encoding of codes without a mark',
    async (payload) => {
      const { qr, zbarText } = await readWithOthers(await drawVerified({ ...plain, payload }));
      expect(zbarText).toBe(payload);
      expect(qr).toEqual(Buffer.from(payload));
    },
  );

  it('takes few bits for its digits', () => {
    const level = 'L';
    expect(qrMatrix(`é${'1'.repeat(600)}`, level).version).toBe(
      qrMatrix('1'.repeat(600), level).version,
    );
  });

  it('has no mark when it only fits its level without', async () => {
    const payload = `${'y'.repeat(1270)}…`;
    const design: QrDesign = { ...plain, payload, errorCorrection: 'H', size: 1024 };
    const { qr } = await readWithOthers(await drawVerified(design));
    expect(qr).toEqual(Buffer.from(payload));
  });
});

describe('a code that the decoder cannot read', () => {
  it('is refused with its logo as the cause', async () => {
    const inner = await drawVerified({ ...plain, payload: 'x' });
    const logo = await encodeLogo(await decodeLogo(inner));
    const design: QrDesign = {
      ...plain,
      size: 300,
      errorCorrection: 'H',
      stylePreset: 'dots',
      logo,
    };
    const { field, message } = (await drawOrRefusal(design)) as QrDesignError;
    expect(field).toBe('logoUrl');
    expect(message).toMatch(/^leads to a logo with which a decoder .*: use another one$/);
  });
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
    for (const stylePreset of ['default', 'rounded', 'dots', 'classy'] as const) {
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
          expect(outcome.field).toBe('margin');
          expect(outcome.message).toMatch(/: use margin 4$/);
        }
      }
    }
    expect(drawn).toBeGreaterThan(20);
  });
});

describe('a transparent background', () => {
  const transparent = { ...plain, background: 'transparent' } as const;

  it.each(['png', 'svg', 'webp'] as const)(
    'is transparent between dark modules (%s)',
    async (format) => {
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
    },
  );

  it.each(['png', 'svg', 'webp'] as const)(
    'is read on its background color (%s)',
    async (format) => {
      const backgroundColor = '#FFD60A';
      const file = await drawVerified({ ...transparent, format, backgroundColor });
      const onColor = await sharp(file).flatten({ background: backgroundColor }).png().toBuffer();
      const { qr, zbar } = await readWithOthers(onColor);
      expect([qr, zbar]).toEqual([Buffer.from(plain.payload), Buffer.from(plain.payload)]);
    },
  );

  it('is refused if the contrast with its background color is too low', async () => {
    const outcome = await drawOrRefusal({ ...transparent, backgroundColor: '#303030' });
    expect((outcome as QrDesignError).field).toBe('foregroundColor');
  });
});
