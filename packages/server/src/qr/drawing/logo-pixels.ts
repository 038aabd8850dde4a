import sharp from 'sharp';
import type { LogoRaster } from '../logo/logo-limits.js';
import type { Box } from './logo-area.js';
import type { QrDesign, QrLogo } from './qr-design.js';

export async function encodeLogo({ width, height, rgba }: LogoRaster): Promise<QrLogo> {
  const png = await sharp(rgba, { raw: { width, height, channels: 4 } })
    .png({ compressionLevel: 6 })
    .toBuffer();
  return { width, height, png: new Uint8Array(png) };
}

/**
 * Returns a stored logo on its background, with three bytes a pixel, or with four on a transparent
 * one.
 */
export function scaleLogo(
  logo: QrLogo,
  { width, height }: Box,
  { background, backgroundColor }: Pick<QrDesign, 'background' | 'backgroundColor'>,
) {
  const scaled = sharp(logo.png).resize(width, height, { fit: 'fill' });
  const image =
    background === 'solid' ? scaled.flatten({ background: backgroundColor }) : scaled.ensureAlpha();
  return image.raw().toBuffer();
}
