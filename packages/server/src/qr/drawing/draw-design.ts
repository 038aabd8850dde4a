import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import sharp from 'sharp';
import { prepareZXingModule, type ReaderOptions, readBarcodes } from 'zxing-wasm/reader';
import type { LogoRaster } from '../logo/logo-limits.js';
import { type Layout, layOut } from './layout.js';
import { type QrDesign, QrDesignError, type QrLogo, quietZone } from './qr-design.js';
import { styleOf, svgImage } from './svg-image.js';

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

/**
 * Draws a design, and checks that a decoder reads its payload from the image, byte for byte. Throws a
 * QrDesignError if it does not: of the logo if there is one.
 */
export async function drawVerified(design: QrDesign): Promise<Uint8Array> {
  const file = await drawDesign(design);
  const { backgroundColor, background, format, logo, margin, size } = design;
  // zxing-cpp decodes opaque PNG files itself, which takes half the time.
  const isOpaquePng = format === 'png' && background === 'solid';
  const read = await readCode(isOpaquePng ? file : await pixelsOf(file, backgroundColor));
  if (read && Buffer.from(design.payload).equals(read)) return file;
  const reason = read ? 'a decoder reads another text' : 'a decoder cannot read the code';
  if (logo) {
    throw new QrDesignError('logoUrl', `leads to a logo with which ${reason}: use another one`);
  }
  const message = `${size} with margin ${margin} gives an image in which ${reason}: use a larger one, or margin ${quietZone}`;
  throw new QrDesignError('size', message);
}

// The image is not rotated or inverted, as a phone does. Large modules with curves are only found in
// smaller copies.
const options: ReaderOptions = {
  formats: ['QRCode'],
  tryHarder: true,
  tryRotate: false,
  tryInvert: false,
  tryDownscale: true,
  maxNumberOfSymbols: 1,
};

type Input = Parameters<typeof readBarcodes>[0];

/** Returns the bytes that zxing-cpp reads from an image; undefined when it finds no code. */
async function readCode(image: Input): Promise<Uint8Array | undefined> {
  ready ??= loadZxing();
  await ready;
  const [found] = await readBarcodes(image, options);
  return found?.isValid ? found.bytes : undefined;
}

let ready: Promise<unknown> | undefined;

/** Loads the decoder from its package. By default, zxing-wasm downloads it. */
async function loadZxing(): Promise<unknown> {
  const path = createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm');
  const bytes = await readFile(path);
  const wasmBinary = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  return prepareZXingModule({ overrides: { wasmBinary }, fireImmediately: true });
}

async function pixelsOf(file: Uint8Array, background: string): Promise<Input> {
  const { data, info } = await sharp(file)
    .flatten({ background })
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  return { data: new Uint8ClampedArray(data), width, height, colorSpace: 'srgb' };
}

export async function encodeLogo({ width, height, rgba }: LogoRaster): Promise<QrLogo> {
  const png = await sharp(rgba, { raw: { width, height, channels: 4 } })
    .png({ compressionLevel: 6 })
    .toBuffer();
  return { width, height, png: new Uint8Array(png) };
}
