import sharp from 'sharp';
import { type Layout, layOut } from './layout.js';
import { scaleLogo } from './logo-pixels.js';
import { palettePng } from './png.js';
import type { QrDesign } from './qr-design.js';
import { pixelBytes, rasterize } from './rasterize.js';
import { svgImage } from './svg-image.js';

/** Draws a design and encodes it in its format. Throws a QrDesignError when a part does not fit. */
export async function drawDesign(
  design: QrDesign,
  layout: Layout = layOut(design),
): Promise<Uint8Array> {
  const { format, logo } = design;
  if (format === 'svg') return Buffer.from(svgImage(design, layout));
  const raster = rasterize(design, layout);
  if (format === 'png' && !logo) return palettePng(raster);
  const { logoBox } = layout;
  const { size } = raster;
  const bytes = pixelBytes(raster);
  const channels = raster.isTransparent ? 4 : 3;
  if (logo && logoBox) {
    const { left, top, width, height } = logoBox;
    const pixels = await scaleLogo(logo, logoBox, design);
    for (let row = 0; row < height; row += 1) {
      const start = (top + row) * size + left;
      const scaled = pixels.subarray(row * width * channels, (row + 1) * width * channels);
      bytes.set(scaled, start * channels);
    }
  }
  const image = sharp(bytes, { raw: { width: size, height: size, channels } });
  return format === 'png'
    ? image.png({ compressionLevel: 6 }).toBuffer()
    : image.webp({ lossless: true, effort: 1 }).toBuffer();
}
