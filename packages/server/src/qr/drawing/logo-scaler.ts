import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import sharp from 'sharp';
import type { Box } from './logo-area.js';
import type { QrLogo } from './qr-design.js';

const maxCachedBytes = 16 * 1024 * 1024;

/**
 * Scales logos and caches the results. Codes of one organization often share a logo, and scaling
 * takes longer than drawing the rest of a code.
 */
export class LogoScaler {
  readonly #cache = new LRUCache<string, Uint8Array>({
    maxSize: maxCachedBytes,
    sizeCalculation: (rgb) => rgb.length,
  });

  /** Returns the logo on its background, with three bytes a pixel. */
  async scale(logo: QrLogo, { width, height }: Box, background: string): Promise<Uint8Array> {
    const digest = createHash('sha1').update(logo.png).digest('base64');
    const key = `${digest}${width}x${height}${background}`;
    const cached = this.#cache.get(key);
    if (cached) return cached;
    const rgb = await sharp(logo.png)
      .resize(width, height, { fit: 'fill' })
      .flatten({ background })
      .raw()
      .toBuffer();
    this.#cache.set(key, rgb);
    return rgb;
  }
}
