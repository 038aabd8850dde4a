import sharp from 'sharp';
import { encodeLogo } from '../../src/qr/drawing/draw-design.js';
import type { QrLogo } from '../../src/qr/drawing/qr-design.js';
import { decodeLogo } from '../../src/qr/logo/decode-logo.js';

/** A disc with a star, as SVG. */
export const badge = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="60" height="60" viewBox="0 0 30 30"><circle cx="15" cy="15" r="15" fill="#e5383b"/><path fill="#fff" d="M15 4l3.2 7.4 8 .7-6 5.3 1.8 7.9-7-4.2-7 4.2 1.8-7.9-6-5.3 8-.7z"/></svg>',
);

export function plainImage(width: number, height: number, background = '#0466c8') {
  return sharp({ create: { width, height, channels: 3, background } });
}

/** Decodes a trusted image in this process. */
async function readLogo(bytes: Uint8Array): Promise<QrLogo> {
  return encodeLogo(await decodeLogo(bytes));
}

export const squareLogo = (): Promise<QrLogo> => readLogo(badge);

export const wideLogo = async (): Promise<QrLogo> =>
  readLogo(await plainImage(400, 120).png().toBuffer());

/** A black rectangle: the worst case for decoders that search for patterns. */
export const blackLogo = async (): Promise<QrLogo> =>
  readLogo(await plainImage(200, 260, '#000000').jpeg().toBuffer());
