import { defineThread } from '../../threads/define-thread.js';
import type { drawVerified, encodeLogo } from './draw-design.js';
import { QrDesignError } from './qr-design.js';

// Loaded by the first call: sharp and the decoders take 15 MB, and the main thread needs neither.
export const drawingMethods = {
  drawVerified: async (...args: Parameters<typeof drawVerified>) =>
    (await import('./draw-design.js')).drawVerified(...args),
  encodeLogo: async (...args: Parameters<typeof encodeLogo>) =>
    (await import('./draw-design.js')).encodeLogo(...args),
};

export const drawingThread = defineThread({
  name: 'drawing',
  file: import.meta.url,
  priority: 'low',
  errorClasses: [QrDesignError],
  resourceLimits: { maxOldGenerationSizeMb: 256 },
  async start(_: undefined) {
    const { default: sharp } = await import('sharp');
    // Images are small and all differ: more libvips threads or its cache would not help.
    sharp.concurrency(1);
    sharp.cache(false);
    return { methods: drawingMethods };
  },
});
