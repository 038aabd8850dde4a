import { expect, it } from 'vitest';
import { drawVerified } from '../../src/qr/drawing/draw-design.js';
import {
  type QrDesign,
  QrDesignError,
  type QrErrorCorrection,
  type QrFormat,
  type QrLogo,
  type QrStylePreset,
} from '../../src/qr/drawing/qr-design.js';
import { blackLogo, squareLogo, wideLogo } from './logos.js';
import { readWithOthers } from './other-decoders.js';

const formats: readonly QrFormat[] = ['png', 'svg', 'webp'];
const presets: readonly QrStylePreset[] = ['default', 'rounded', 'dots', 'classy'];
const levels: readonly QrErrorCorrection[] = ['L', 'M', 'Q', 'H'];
const limits: Record<QrErrorCorrection, number> = { L: 2953, M: 2331, Q: 1663, H: 1273 };
// Large sizes take longest and differ least.
const sizes = [
  200, 256, 301, 512, 333, 640, 200, 400, 420, 512, 1024, 201, 300, 512, 450, 2048, 250, 350, 300,
];
const colours = [
  ['#000000', '#FFFFFF'],
  ['#1D3557', '#F1FAEE'],
  ['#C1121F', '#FDF0D5'],
  ['#767676', '#FFFFFF'],
  ['#000000', '#FFD60A'],
  ['#5A189A', '#E0AAFF'],
  ['#000000', '#808080'],
] as const;
const payloads: readonly ((level: QrErrorCorrection) => string)[] = [
  () => 'https://sho.rt/AbC123x',
  () => 'a',
  () => '7',
  () => 'Grüße aus Köln 🚀 日本語 – ¿qué?',
  () => `https://example.com/${'a/long-path/'.repeat(20)}?utm_source=qr&n=1234567890`,
  () => 'BEGIN:VCARD\r\nVERSION:3.0\r\nN:Müller;Zoë\r\nTEL:+49301234567\r\nEND:VCARD\r\n',
  () => 'HTTPS://SHO.RT/ABC123',
  () => '3141592653589793238462643383279502884197',
  () => '\u0000\u0001\u0007binary\u001b\u007f\u0080ÿ\u200b',
  () => `é${'0123456789'.repeat(4)}É-ABCDEFGHIJKLMNOPQRSTUVWXYZ-😀 1`,
  (level) => 'x'.repeat(Math.floor(limits[level] / 3)),
  (level) => 'y'.repeat(limits[level]),
  () => 'WIFI:T:WPA;S:Café №5;P:p\\;ss"w;;',
];

/** Combines every format, preset, level and logo. The other fields rotate, with coprime periods. */
async function* designs(): AsyncGenerator<QrDesign> {
  const logos: readonly (QrLogo | null)[] = [
    null,
    await squareLogo(),
    null,
    await wideLogo(),
    await blackLogo(),
  ];
  let turn = 0;
  const next = <T>(values: readonly T[]): T => values[turn % values.length] as T;
  for (const format of formats) {
    for (const stylePreset of presets) {
      for (const errorCorrection of levels) {
        for (const logo of logos) {
          turn += 1;
          // Five of six, to save time.
          if (turn % 6 === 0) continue;
          const [foregroundColor, backgroundColor] = next(colours);
          const payload = next(payloads)(errorCorrection);
          const size = next(sizes);
          yield {
            payload,
            size,
            format,
            errorCorrection,
            foregroundColor,
            backgroundColor,
            background: 'solid',
            margin: 4,
            stylePreset,
            logo,
          };
        }
      }
    }
  }
}

it('every accepted design decodes with qr and zbar, which the server does not use', async () => {
  let read = 0;
  const failed: string[] = [];
  const refused: string[] = [];
  for await (const design of designs()) {
    const { payload, size, format, errorCorrection, stylePreset, logo } = design;
    const name = `${format} ${size} ${errorCorrection} ${stylePreset} ${logo ? `${logo.width}×${logo.height}` : 'plain'} ${design.foregroundColor} on ${design.backgroundColor}, ${Buffer.byteLength(payload)} bytes ${JSON.stringify(payload.slice(0, 12))}`;
    try {
      const reading = await readWithOthers(await drawVerified(design));
      const wanted = Buffer.from(payload);
      if (reading.width !== size || reading.height !== size) failed.push(`size: ${name}`);
      else if (!reading.qr?.equals(wanted)) failed.push(`qr: ${name}`);
      else if (!reading.zbar?.equals(wanted)) failed.push(`zbar: ${name}`);
      // zbar shows control characters in its own way.
      else if (!/\p{Cc}/u.test(payload) && reading.zbarText !== payload)
        failed.push(`text of zbar: ${name}`);
      else read += 1;
    } catch (error) {
      if (!(error instanceof QrDesignError)) throw error;
      refused.push(`${name}: ${error.field} ${error.message}`);
    }
  }
  expect(failed).toEqual([]);
  expect(refused.length, refused.join('\n')).toBeLessThan(20);
  expect(read).toBeGreaterThanOrEqual(167);
}, 600_000);
