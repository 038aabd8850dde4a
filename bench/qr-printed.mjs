// Reads QR codes as cameras see printed ones. Each preset and format is drawn as the server serves it,
// damaged in the same way in each run, and read by three decoders. A preset misses its bound if fewer
// than two decoders read 98 % of its images.
import * as zbar from '@undecaf/zbar-wasm';
import jsqr from 'jsqr';
import sharp from 'sharp';
import { readQuickly } from '../packages/server/dist/qr/drawing/decoders.js';
import { qrMatrix } from '../packages/server/dist/qr/drawing/qr-matrix.js';
import { drawVerified } from '../packages/server/dist/qr/drawing/verify-design.js';
import { reportUpper } from './lib/ratio.mjs';

const presets = ['default', 'rounded', 'dots', 'classy'];
const formats = ['png', 'svg', 'webp'];
const payloads = ['https://sho.rt/AbC123x', `https://example.com/${'a/long-path/'.repeat(8)}`];
const seeds = 2;
// Pixels a module in the camera's image.
const modulePixels = 6;

/** Returns pseudo-random numbers from 0 to 1 that depend only on the seed (mulberry32). */
function randomNumbers(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const conditions = {
  printed: (image) => image,
  'blurred by 0.3 modules': (image) => image.blur(0.3 * modulePixels),
  'contrast of 40 %': (image) => image.linear(0.4, 76),
  'rotated by 5°': (image) => image.rotate(5, { background: '#fff' }),
  'rotated by 45°': (image) => image.rotate(45, { background: '#fff' }),
  'rotated by 45°, blurred by 0.2 modules, contrast of 60 %': (image) =>
    image
      .rotate(45, { background: '#fff' })
      .blur(0.2 * modulePixels)
      .linear(0.6, 51),
};
// Standard deviations of the noise, of 255.
const noises = [0, 2, 4];

async function damage(file, change, noise, seed) {
  const { width } = await sharp(file).metadata();
  // A sheet of paper around the code, at the camera's resolution.
  const flat = await sharp(file).flatten({ background: '#fff' }).toBuffer();
  const sheet = await sharp(flat)
    .resize(Math.round(width), Math.round(width), { kernel: 'cubic' })
    .extend({ top: 40, bottom: 40, left: 40, right: 40, background: '#fff' })
    .png()
    .toBuffer();
  const { data, info } = await change(sharp(sheet))
    .toColourspace('srgb')
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const next = randomNumbers(seed);
  for (let at = 0; noise > 0 && at < data.length; at += 4) {
    // The sum of three uniform numbers is nearly normal, with a standard deviation of a half.
    const shift = (next() + next() + next() - 1.5) * 2 * noise;
    for (let channel = 0; channel < 3; channel += 1) {
      data[at + channel] = Math.max(0, Math.min(255, data[at + channel] + shift));
    }
  }
  return { data: new Uint8ClampedArray(data), width: info.width, height: info.height };
}

let scanner;
async function openScanner() {
  scanner ??= await zbar.getDefaultScanner();
  scanner.setConfig(zbar.ZBarSymbolType.ZBAR_QRCODE, zbar.ZBarConfigType.ZBAR_CFG_BINARY, 1);
  return scanner;
}

const decoders = {
  'zxing-cpp': readQuickly,
  jsQR: ({ data, width, height }) => {
    const found = jsqr(data, width, height, { inversionAttempts: 'dontInvert' });
    return found && Buffer.from(found.binaryData);
  },
  ZBar: async ({ data, width, height }) => {
    const [symbol] = await zbar.scanRGBABuffer(
      data.slice().buffer,
      width,
      height,
      await openScanner(),
    );
    return symbol?.data && Buffer.from(symbol.data);
  },
};

/** Returns the size of an image whose modules have `modulePixels` pixels. */
function sizeOf(payload) {
  return Math.max(200, (qrMatrix(payload, 'M').side + 8) * modulePixels);
}

export async function benchQrPrinted() {
  const byCondition = new Map();
  for (const stylePreset of presets) {
    for (const format of formats) {
      const missed = Object.fromEntries(Object.keys(decoders).map((name) => [name, 0]));
      let images = 0;
      for (const payload of payloads) {
        const file = await drawVerified({
          payload,
          size: sizeOf(payload),
          format,
          errorCorrection: 'M',
          foregroundColor: '#000000',
          backgroundColor: '#FFFFFF',
          background: 'solid',
          margin: 4,
          stylePreset,
          logo: null,
        });
        for (const [condition, change] of Object.entries(conditions)) {
          for (const noise of noises) {
            for (let seed = 1; seed <= (noise === 0 ? 1 : seeds); seed += 1) {
              const image = await damage(file, change, noise, seed);
              images += 1;
              for (const [name, read] of Object.entries(decoders)) {
                const bytes = await read(image);
                if (bytes && Buffer.from(payload).equals(bytes)) continue;
                missed[name] += 1;
                const key = `${condition}, noise ${noise}: ${name}`;
                const ofPreset = byCondition.get(key) ?? {};
                ofPreset[stylePreset] = (ofPreset[stylePreset] ?? 0) + 1;
                byCondition.set(key, ofPreset);
              }
            }
          }
        }
      }
      const percents = Object.values(missed).map((count) => (100 * count) / images);
      const [, second] = percents.sort((one, other) => one - other);
      const shares = Object.entries(missed)
        .map(([name, count]) => `${name} ${((100 * count) / images).toFixed(1)}`)
        .join(', ');
      reportUpper(
        `printed ${stylePreset} ${format}: % of ${images} images that the second best decoder does not read`,
        second,
        2,
        shares,
      );
    }
  }
  for (const [key, ofPreset] of byCondition) {
    process.stdout.write(`        ${key}: not read: ${JSON.stringify(ofPreset)}\n`);
  }
}
