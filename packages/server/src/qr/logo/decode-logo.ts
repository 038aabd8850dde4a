import sharp from 'sharp';
import { type ImageKind, imageKind } from './image-kind.js';
import { LogoError, quote } from './logo-error.js';
import { type LogoRaster, logoLimits, logoProcessLimits } from './logo-limits.js';
import { rebuildSvg } from './svg/rebuild-svg.js';

/**
 * Decodes the first frame of an image to at most 512 by 512 pixels. Runs only in the logo process,
 * because native decoders read untrusted bytes here.
 */
export async function decodeLogo(bytes: Uint8Array): Promise<LogoRaster> {
  const kind = checkFile(bytes);
  const input = kind === 'svg' ? Buffer.from(rebuildSvg(bytes)) : bytes;
  const { data, info } = await decode(input).catch((error: unknown) => {
    throw new LogoError(`an image that cannot be read (${kind}): ${reasonOf(error)}`);
  });
  const { width, height } = info;
  if (Math.max(width, height) > logoLimits.aspectRatio * Math.min(width, height)) {
    throw new LogoError(
      `an image of ${width} by ${height} pixels: one side may be at most ${logoLimits.aspectRatio} times the other`,
    );
  }
  return { width, height, rgba: data };
}

/** Returns the format of a file. Throws a LogoError when its format or size is not allowed. */
export function checkFile(bytes: Uint8Array): ImageKind {
  if (bytes.length > logoLimits.rasterBytes) {
    throw new LogoError(`a file of more than ${logoLimits.rasterBytes >> 20} MB`);
  }
  const kind = imageKind(bytes);
  if (kind === undefined) throw new LogoError('a file that is no PNG, JPEG, WebP or SVG');
  if (kind === 'svg' && bytes.length > logoLimits.svgBytes) {
    throw new LogoError(
      `an SVG of ${bytes.length} bytes: an SVG may have at most ${logoLimits.svgBytes} bytes (${logoLimits.svgBytes >> 10} KB)`,
    );
  }
  return kind;
}

function decode(input: Uint8Array) {
  return sharp(input, {
    limitInputPixels: logoLimits.decodedPixels,
    failOn: 'error',
    // Only the first frame of an animation.
    pages: 1,
  })
    .autoOrient()
    .resize(logoLimits.side, logoLimits.side, { fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
}

function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const line = message.split('\n', 1)[0]?.trim() ?? '';
  if (line.includes('pixel limit')) {
    return `it has more than ${logoLimits.decodedPixels} pixels, which is the limit`;
  }
  if (line.includes('out of memory')) {
    return `it needs more than ${logoProcessLimits.memoryMb} MB of memory, which is the limit`;
  }
  return quote(line);
}
