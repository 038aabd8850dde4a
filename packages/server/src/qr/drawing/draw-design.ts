import sharp from 'sharp';
import { type Layout, layOut } from './layout.js';
import type { QrDesign } from './qr-design.js';
import { styleOf } from './style-presets.js';
import { svgImage } from './svg-image.js';

/** Draws a design as an SVG. Other formats are this SVG, rendered. Throws a QrDesignError when a part does not fit. */
export async function drawDesign(
  design: QrDesign,
  layout: Layout = layOut(design),
): Promise<Uint8Array> {
  const { format, logo, stylePreset } = design;
  const { grid, logoBox } = layout;
  if (format === 'svg') return Buffer.from(svgImage(design, layout));
  const image = sharp(Buffer.from(svgImage({ ...design, logo: null }, layout)));
  if (logo && logoBox) {
    const { left, top, width, height } = logoBox;
    // The renderer of SVG would scale it down without a filter.
    const input = await sharp(logo.png).resize(width, height, { fit: 'fill' }).toBuffer();
    image.composite([{ input, left, top }]);
  }
  if (format === 'webp') return image.webp({ lossless: true, effort: 1 }).toBuffer();
  if (logo) return image.png({ compressionLevel: 6 }).toBuffer();
  // One bit a pixel for squares, and four for the antialiased edges of curves.
  const colours = styleOf(stylePreset, grid) ? 16 : 2;
  return image.png({ palette: true, colours, dither: 0 }).toBuffer();
}
