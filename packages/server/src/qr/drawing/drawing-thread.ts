import sharp from 'sharp';
import { defineThread } from '../../threads/define-thread.js';
import { drawLayout, layOut } from './draw-design.js';
import { encodeLogo } from './encode-logo.js';
import { LogoScaler } from './logo-scaler.js';
import { type QrDesign, QrDesignError } from './qr-design.js';
import { verifyDesign } from './verify-design.js';

/** Draws QR codes. A design that cannot be drawn, or not decoded again, is a `QrDesignError`. */
export function drawingMethods() {
  const scaler = new LogoScaler();
  return {
    draw: async (design: QrDesign): Promise<Uint8Array> =>
      drawLayout(design, layOut(design), scaler),
    /** Draws, and refuses an image that a decoder does not read back byte for byte. */
    drawVerified: (design: QrDesign): Promise<Uint8Array> => verifyDesign(design, scaler),
    encodeLogo,
  };
}

/** Draws and decodes, so that redirects do not wait for it. */
export const drawingThread = defineThread({
  name: 'drawing',
  file: import.meta.url,
  priority: 'idle',
  errorClasses: [QrDesignError],
  resourceLimits: { maxOldGenerationSizeMb: 256 },
  start(_: undefined) {
    // Images are small and all different: neither more libvips threads nor its cache would help.
    sharp.concurrency(1);
    sharp.cache(false);
    return { methods: drawingMethods() };
  },
});
