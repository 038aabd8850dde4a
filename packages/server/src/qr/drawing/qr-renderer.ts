import type { Logger } from 'pino';
import { FairQueue } from '../../fair-queue.js';
import { openThread } from '../../threads/open-thread.js';
import type { LogoRaster } from '../logo/logo-limits.js';
import { drawingMethods, drawingThread } from './drawing-thread.js';
import type { QrDesign, QrLogo } from './qr-design.js';

/** Draws QR codes in a thread. A fair queue orders the requests of organizations. */
export interface QrRenderer {
  /** Draws a design and checks that the image decodes to its payload. */
  drawVerified(organizationId: string, design: QrDesign): Promise<Uint8Array>;
  /** Encodes a decoded logo as the PNG that is stored. */
  encodeLogo(organizationId: string, raster: LogoRaster): Promise<QrLogo>;
}

export interface QrRendererOptions {
  readonly isThreaded: boolean;
  readonly logger: Logger;
}

const timeLimitMs = 20_000;
// One image is drawn while sharp encodes or decodes another. sharp then uses at most two of libuv's
// four threads, which leaves two for DNS and files.
const concurrency = 2;

export function openQrRenderer({ isThreaded, logger }: QrRendererOptions) {
  const queue = new FairQueue({
    name: 'QR codes',
    concurrency,
    maxWaiting: 256,
    maxWaitingPerOrganization: 64,
  });
  const thread = openThread(drawingThread, {
    isThreaded,
    data: undefined,
    inline: () => ({ methods: drawingMethods() }),
    timeLimitMs,
    logger,
  });
  const renderer: QrRenderer = {
    drawVerified: (organizationId, design) =>
      queue.run(organizationId, () => thread.call('drawVerified', design)),
    encodeLogo: (organizationId, raster) =>
      queue.run(organizationId, () => thread.call('encodeLogo', raster)),
  };
  return { ...renderer, queue, thread };
}
