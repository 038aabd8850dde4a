import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import sharp from 'sharp';
import type { Box } from './logo-place.js';
import type { QrLogo } from './qr-design.js';

const largestMemory = 16 * 1024 * 1024;

/**
 * Scales logos to where they lie, on their ground. Codes of one organization share their logo, so
 * that what was scaled lately is kept: scaling takes longer than drawing all the rest.
 */
export class LogoScaler {
  readonly #kept = new LRUCache<string, Uint8Array>({
    maxSize: largestMemory,
    sizeCalculation: (rgb) => rgb.length,
  });

  /** Three bytes a pixel. */
  async scale(logo: QrLogo, { width, height }: Box, ground: string): Promise<Uint8Array> {
    const digest = createHash('sha1').update(logo.png).digest('base64');
    const key = `${digest}${width}x${height}${ground}`;
    const known = this.#kept.get(key);
    if (known) return known;
    const rgb = await sharp(logo.png)
      .resize(width, height, { fit: 'fill' })
      .flatten({ background: ground })
      .raw()
      .toBuffer();
    this.#kept.set(key, rgb);
    return rgb;
  }
}
