import sharp from 'sharp';
import { QrDesignError, type QrLogo } from '../drawing/qr-design.js';
import { svgFault } from './check-svg.js';
import { imageKind } from './image-kind.js';

const largestFile = 1024 * 1024;
// Decoded, four bytes each: no more than 64 MB.
const largestImage = 4096 * 4096;
/** Of the side that is longer. */
const keptPixels = 512;
const flattest = 8;
const seconds = 5;

/** Reads somebody's image into a logo of our own making, or says why it is none. */
export async function readLogo(bytes: Uint8Array): Promise<QrLogo> {
  if (bytes.length > largestFile) throw refuse(`a file of more than ${largestFile >> 20} MB`);
  const kind = imageKind(bytes);
  if (kind === 'html') throw refuse('a page or a document, not an image');
  if (kind === undefined) throw refuse('something that is no PNG, JPEG, WebP or SVG');
  if (kind === 'svg') {
    const fault = svgFault(bytes);
    if (fault) throw refuse(fault);
  }
  try {
    return await normalise(bytes, kind === 'svg' ? await svgDensity(bytes) : undefined);
  } catch (error) {
    if (error instanceof QrDesignError) throw error;
    throw refuse(`an image that cannot be read (${kind}): ${reasonOf(error)}`);
  }
}

async function normalise(bytes: Uint8Array, density: number | undefined): Promise<QrLogo> {
  const { data, info } = await sharp(bytes, {
    limitInputPixels: largestImage,
    failOn: 'error',
    // The first frame of what moves.
    pages: 1,
    ...(density && { density }),
  })
    .timeout({ seconds })
    .autoOrient()
    .resize(keptPixels, keptPixels, { fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .ensureAlpha()
    .png({ compressionLevel: 6 })
    .toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  if (Math.max(width, height) > flattest * Math.min(width, height)) {
    throw refuse(
      `an image of ${width} by ${height} pixels: one side may be ${flattest} times the other`,
    );
  }
  return { width, height, png: new Uint8Array(data) };
}

/** Dots an inch that draw an SVG as large as it is kept, whatever size it calls its own. */
async function svgDensity(bytes: Uint8Array): Promise<number> {
  const own = await sharp(bytes, { limitInputPixels: false }).metadata();
  const density = (72 * keptPixels) / Math.max(own.width, own.height);
  return Math.min(72 * keptPixels, Math.max(1, density));
}

function refuse(reason: string): QrDesignError {
  return new QrDesignError('logoUrl', `leads to ${reason}`);
}

function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split('\n', 1)[0]?.trim() ?? '';
}
