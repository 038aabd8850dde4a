import sharp from 'sharp';
import type { LogoRaster } from '../logo/logo-limits.js';
import type { Box } from './logo-area.js';
import type { QrLogo } from './qr-design.js';

/** Encodes pixels as the PNG that is stored. Only the logo process decodes uploaded files. */
export async function encodeLogo({ width, height, rgba }: LogoRaster): Promise<QrLogo> {
  const png = await sharp(rgba, { raw: { width, height, channels: 4 } })
    .png({ compressionLevel: 6 })
    .toBuffer();
  return { width, height, png: new Uint8Array(png) };
}

/** Returns a stored logo on its background, with three bytes a pixel. */
export function scaleLogo(logo: QrLogo, { width, height }: Box, background: string) {
  return sharp(logo.png)
    .resize(width, height, { fit: 'fill' })
    .flatten({ background })
    .raw()
    .toBuffer();
}
