import sharp from 'sharp';
import { defineThread } from '../../threads/define-thread.js';
import { drawLayout, layOut } from './draw-design.js';
import { encodeLogo } from './encode-logo.js';
import { LogoScaler } from './logo-scaler.js';
import { type QrDesign, QrDesignError } from './qr-design.js';
import { verifyDesign } from './verify-design.js';

/** Methods that draw QR codes. They throw a QrDesignError when a design is not readable. */
export function drawingMethods() {
  const scaler = new LogoScaler();
  return {
    draw: async (design: QrDesign): Promise<Uint8Array> =>
      drawLayout(design, layOut(design), scaler),
    /** Draws a design and checks that the image decodes to its payload, byte for byte. */
    drawVerified: (design: QrDesign): Promise<Uint8Array> => verifyDesign(design, scaler),
    encodeLogo,
  };
}

/** Draws and decodes off the main thread, which serves redirects. */
export const drawingThread = defineThread({
  name: 'drawing',
  file: import.meta.url,
  priority: 'low',
  errorClasses: [QrDesignError],
  resourceLimits: { maxOldGenerationSizeMb: 256 },
  start(_: undefined) {
    // Images are small and all differ: more libvips threads or its cache would not help.
    sharp.concurrency(1);
    sharp.cache(false);
    return { methods: drawingMethods() };
  },
});
