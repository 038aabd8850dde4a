import sharp from 'sharp';
import { defineThread } from '../../threads/define-thread.js';
import { encodeLogo } from './logo-pixels.js';
import { QrDesignError } from './qr-design.js';
import { drawVerified } from './verify-design.js';

export const drawingMethods = { drawVerified, encodeLogo };

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
    return { methods: drawingMethods };
  },
});
