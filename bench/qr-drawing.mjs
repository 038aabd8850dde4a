// Drawing of QR codes, against the renderers of the `qrcode` package and a sharp composite.
import QRCode from 'qrcode';
import sharp from 'sharp';
import { drawDesign } from '../packages/server/dist/qr/drawing/draw-design.js';
import { encodeLogo } from '../packages/server/dist/qr/drawing/logo-pixels.js';
import { drawVerified } from '../packages/server/dist/qr/drawing/verify-design.js';
import { decodeLogo } from '../packages/server/dist/qr/logo/decode-logo.js';
import { compare, report } from './lib/ratio.mjs';

const payload = 'https://sho.rt/AbC123x';
const size = 512;
const plain = {
  payload,
  size,
  format: 'png',
  errorCorrection: 'M',
  foregroundColor: '#000000',
  backgroundColor: '#FFFFFF',
  background: 'solid',
  margin: 4,
  stylePreset: 'default',
  logo: null,
};
const logoSvg =
  '<svg xmlns="http://www.w3.org/2000/svg" width="60" height="60" viewBox="0 0 30 30"><defs><linearGradient id="a"><stop stop-color="#e5383b"/><stop offset="1" stop-color="#0466c8"/></linearGradient></defs><circle cx="15" cy="15" r="15" fill="url(#a)"/><path fill="#fff" d="M15 4l3.2 7.4 8 .7-6 5.3 1.8 7.9-7-4.2-7 4.2 1.8-7.9-6-5.3 8-.7z"/></svg>';

export async function benchQrDrawing({ millisecondsEach = 700 } = {}) {
  sharp.concurrency(1);
  sharp.cache(false);
  const rate = (work) => () => perSecond(work, millisecondsEach);
  const drawn = (change) => rate(() => drawDesign({ ...plain, ...change }));
  const logo = await encodeLogo(await decodeLogo(Buffer.from(logoSvg)));
  const base = Buffer.from(await drawDesign(plain));
  const composite = rate(async () => {
    const scaled = await sharp(logo.png).resize(72, 72).png().toBuffer();
    return sharp(base)
      .composite([{ input: scaled, gravity: 'centre' }])
      .png()
      .toBuffer();
  });

  report(
    'PNG of 512 pixels against qrcode.toBuffer',
    await compare({
      ours: drawn({}),
      ceiling: rate(() => QRCode.toBuffer(payload, { width: size })),
    }),
    40,
    'images a second',
  );
  report(
    'SVG against qrcode.toString',
    await compare({
      ours: drawn({ format: 'svg' }),
      ceiling: rate(() => QRCode.toString(payload, { type: 'svg', width: size })),
    }),
    1,
    'images a second',
  );
  report(
    'PNG with a logo against a sharp composite',
    await compare({ ours: drawn({ logo }), ceiling: composite }),
    0.8,
    'images a second',
  );
  const figures = {
    'rounded PNG': await drawn({ stylePreset: 'rounded' })(),
    WebP: await drawn({ format: 'webp' })(),
  };
  for (const format of ['png', 'svg', 'webp']) {
    const verified = rate(() => drawVerified({ ...plain, format }));
    figures[`${format} drawn and decoded`] = await verified();
  }
  figures['PNG with a logo drawn and decoded'] = await rate(() =>
    drawVerified({ ...plain, logo }),
  )();
  for (const [name, value] of Object.entries(figures)) {
    console.log(`        ${name}: ${Math.round(value).toLocaleString('en')} a second`);
  }
}

async function perSecond(work, milliseconds) {
  const startedAt = performance.now();
  let count = 0;
  let elapsed = 0;
  while (elapsed < milliseconds) {
    await work();
    count += 1;
    elapsed = performance.now() - startedAt;
  }
  return (count / elapsed) * 1000;
}
