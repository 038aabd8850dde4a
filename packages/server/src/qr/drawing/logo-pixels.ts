import sharp from 'sharp';
import type { LogoRaster } from '../logo/logo-limits.js';
import type { QrLogo } from './qr-design.js';

export async function encodeLogo({ width, height, rgba }: LogoRaster): Promise<QrLogo> {
  const png = await sharp(rgba, { raw: { width, height, channels: 4 } })
    .png({ compressionLevel: 6 })
    .toBuffer();
  return { width, height, png: new Uint8Array(png) };
}
