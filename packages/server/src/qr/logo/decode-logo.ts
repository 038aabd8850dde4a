import sharp from 'sharp';
import { shorten } from '../../contract/api-error.js';
import { type LogoRaster, logoError, logoLimits, logoProcessLimits } from './logo-limits.js';

/**
 * Decodes the first frame of an image to at most 512 by 512 pixels. Runs only in the logo process,
 * because native decoders read untrusted bytes here.
 */
export async function decodeLogo(bytes: Uint8Array): Promise<LogoRaster> {
  if (bytes.length > logoLimits.rasterBytes) {
    throw logoError(`a file of more than ${logoLimits.rasterBytes >> 20} MB`);
  }
  // File names and content types are not trusted.
  const isSvg = /^\s*</.test(new TextDecoder().decode(bytes));
  if (isSvg && bytes.length > logoLimits.svgBytes) {
    throw logoError(
      `an SVG of ${bytes.length} bytes: an SVG may have at most ${logoLimits.svgBytes} bytes (${logoLimits.svgBytes >> 10} KB)`,
    );
  }
  const image = isSvg ? openSvg(bytes) : openRaster(bytes);
  const { data, info } = await image
    .toColourspace('srgb')
    .ensureAlpha()
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
    .catch(refuseUnreadable);
  const { width, height } = info;
  if (Math.max(width, height) > logoLimits.aspectRatio * Math.min(width, height)) {
    throw logoError(
      `an image of ${width} by ${height} pixels: one side may be at most ${logoLimits.aspectRatio} times the other`,
    );
  }
  return { width, height, rgba: data };
}

const { side } = logoLimits;

function openRaster(bytes: Uint8Array) {
  return sharp(bytes, {
    limitInputPixels: logoLimits.decodedPixels,
    failOn: 'error',
    // Decodes only the first frame of an animation.
    pages: 1,
  })
    .autoOrient()
    .resize(side, side, { fit: 'inside', withoutEnlargement: true });
}

/**
 * Draws an SVG at the size of a stored logo, regardless of its own size. librsvg runs no scripts, and
 * reads no other file or address, because a document in memory has none of its own.
 */
function openSvg(bytes: Uint8Array) {
  // sharp rounds the SVG's own size to pixels before it scales. The high density makes the error of
  // this rounding negligible, so the proportions do not change.
  return sharp(bytes, { limitInputPixels: false, density: 7200 }).resize(side, side, {
    fit: 'inside',
  });
}

function refuseUnreadable(error: unknown): never {
  throw logoError(`an image that cannot be read as PNG, JPEG, WebP or SVG: ${reasonOf(error)}`);
}

function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const line = message.split('\n', 1)[0]?.trim() ?? '';
  if (line.includes('exceeds pixel limit')) {
    return `it has more than ${logoLimits.decodedPixels} pixels, which is the limit`;
  }
  if (line.includes('out of memory')) {
    return `it needs more than ${logoProcessLimits.memoryMb} MB of memory, which is the limit`;
  }
  return JSON.stringify(shorten(line));
}
