import type { Logger } from 'pino';
import { FairQueue } from '../../fair-queue.js';
import { openThread } from '../../threads/open-thread.js';
import type { LogoRaster } from '../logo/logo-limits.js';
import { drawingMethods, drawingThread } from './drawing-thread.js';
import type { QrDesign } from './qr-design.js';

export type QrRenderer = ReturnType<typeof openQrRenderer>;

const timeLimitMs = 20_000;
// One image is drawn while sharp encodes or decodes another. sharp then uses at most two of libuv's
// four threads, which leaves two for DNS and files.
const concurrency = 2;

/** Draws QR codes in a thread. A fair queue orders the requests of organizations. */
export function openQrRenderer(isThreaded: boolean, logger: Logger) {
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
  return {
    queue,
    thread,
    drawVerified: (organizationId: string, design: QrDesign) =>
      queue.run(organizationId, () => thread.call('drawVerified', design)),
    encodeLogo: (organizationId: string, raster: LogoRaster) =>
      queue.run(organizationId, () => thread.call('encodeLogo', raster)),
  };
}
