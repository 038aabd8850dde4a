import type { Router } from 'express';
import type { Logger } from 'pino';
import type { EventOutbox } from '../events/event-outbox.js';
import { openFairQueue } from '../fair-queue.js';
import { loadingCache } from '../loading-cache.js';
import { GuardedFetchError } from '../network/guarded-connector.js';
import { createGuardedFetch, type GuardedFetch } from '../network/guarded-fetch.js';
import type { PlanTable } from '../organizations/plans.js';
import type { Database } from '../storage/database.js';
import { openThread } from '../threads/open-thread.js';
import { drawingMethods, drawingThread } from './drawing/drawing-thread.js';
import { QrDesignError } from './drawing/qr-design.js';
import { createLogoDecoder } from './logo/logo-decoder.js';
import { type QrHandlersOptions, qrHandlers } from './qr-handlers.js';
import { mountQrImages, type QrImageOptions } from './qr-image-handler.js';
import { createQrRepository, type PublicQr } from './qr-repository.js';

export interface QrModuleOptions
  extends Pick<QrHandlersOptions, 'listQrs' | 'urls' | 'publicHost' | 'clock'>,
    Omit<QrImageOptions, 'cache'> {
  readonly allowPrivateNetwork: boolean;
  readonly database: Database;
  readonly isThreaded: boolean;
  readonly outbox: EventOutbox;
  readonly plans: PlanTable;
  readonly logger: Logger;
}

const cacheLimits = {
  maxSize: 64 * 1024 * 1024,
  // Adds 2 KB for the rest of an entry.
  sizeCalculation: ({ image }: PublicQr) => (image?.length ?? 0) + 2_048,
};

export function createQrModule(options: QrModuleOptions) {
  const { isThreaded, allowPrivateNetwork, logger } = options;
  const qrs = createQrRepository(options.database, options.outbox, options.plans);
  const cache = loadingCache<PublicQr>(cacheLimits, (id) => qrs.findPublic(id));
  const drawings = openFairQueue({
    name: 'QR codes',
    // One image is drawn while sharp encodes or decodes another. sharp then uses at most two of
    // libuv's four threads, which leaves two for DNS and files.
    concurrency: 2,
    maxWaiting: 256,
    maxWaitingPerOrganization: 64,
  });
  const thread = openThread(drawingThread, {
    isThreaded,
    data: undefined,
    inline: () => ({ methods: drawingMethods }),
    timeLimitMs: 20_000,
    logger,
  });
  const guardedFetch = createGuardedFetch({ allowPrivateNetwork });
  const downloads = openFairQueue({
    name: 'logo downloads',
    concurrency: 16,
    maxRunningPerOrganization: 4,
    maxWaiting: 256,
    maxWaitingPerOrganization: 64,
  });
  const logos = createLogoDecoder();
  return {
    handlers: qrHandlers({
      ...options,
      qrs,
      drawVerified: (organizationId, design) =>
        drawings.run(organizationId, () => thread.call('drawVerified', design)),
      async readLogo(organizationId, url) {
        const image = await downloads.run(organizationId, () => download(guardedFetch, url));
        const raster = await logos.decode(organizationId, image);
        return drawings.run(organizationId, () => thread.call('encodeLogo', raster));
      },
      onChanged: (id) => cache.invalidate([id]),
    }),
    cache,
    mountImages: (pages: Router) => mountQrImages(pages, { ...options, cache }),
    queues: [drawings, downloads, logos.queue],
    threads: [thread],
    async stop(): Promise<void> {
      logos.stop();
      await thread.stop();
      guardedFetch.close();
    },
  };
}

const limits = { timeoutMs: 5_000, maxResponseBytes: 1024 * 1024, followRedirects: 3 };

/** Downloads the logo at an address. Throws a QrDesignError. */
async function download({ request }: GuardedFetch, url: string): Promise<Uint8Array> {
  const headers = { accept: 'image/png, image/jpeg, image/webp, image/svg+xml' };
  const downloading = request(url, { method: 'GET', headers, ...limits });
  const { status, body, isCut } = await downloading.catch((error: unknown) => {
    if (!(error instanceof GuardedFetchError)) throw error;
    throw failure(error.message.slice(0, 1).toLowerCase() + error.message.slice(1));
  });
  if (isCut) throw failure('the response is larger than 1 MB');
  if (status !== 200) throw failure(`the server answered with ${status} instead of 200`);
  if (body.length === 0) throw failure('the response is empty');
  return body;
}

function failure(reason: string): QrDesignError {
  return new QrDesignError('logoUrl', `could not be fetched: ${reason}`);
}
