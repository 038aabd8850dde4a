import type { Logger } from 'pino';
import { v7 as newUuid } from 'uuid';
import type { EventOutbox } from '../events/event-outbox.js';
import { LoadingCache } from '../loading-cache.js';
import { createGuardedFetch } from '../network/guarded-fetch.js';
import type { PlanTable } from '../organizations/plans.js';
import type { Clock } from '../ports.js';
import type { Database } from '../storage/database.js';
import type { UrlRepository } from '../urls/url-repository.js';
import { openQrRenderer } from './drawing/qr-renderer.js';
import { LogoFetcher } from './fetch-logo.js';
import { LogoDecoder } from './logo/logo-decoder.js';
import { qrHandlers } from './qr-handlers.js';
import { type FoundImage, toQrImage } from './qr-image.js';
import { QrImageHandler, type QrImageHandlerOptions } from './qr-image-handler.js';
import { QrRepository } from './qr-repository.js';
import { QrService, type QrServiceOptions } from './qr-service.js';

export interface QrModuleOptions {
  readonly allowPrivateNetwork: boolean;
  readonly database: Database;
  readonly isThreaded: boolean;
  readonly outbox: EventOutbox;
  readonly urls: UrlRepository;
  readonly listQrs: QrServiceOptions['listQrs'];
  readonly publicHost: QrServiceOptions['publicHost'];
  readonly countDownload: QrImageHandlerOptions['countDownload'];
  readonly onRequestError: QrImageHandlerOptions['onError'];
  readonly plans: PlanTable;
  readonly clock: Clock;
  readonly logger: Logger;
}

const cacheLimits = {
  maxSize: 64 * 1024 * 1024,
  // Adds 2 KB for the rest of an entry.
  sizeCalculation: (found: FoundImage) => (found === 'deleted' ? 0 : found.bytes.length) + 2_048,
};

/** Composes the QR feature: the API's handlers, rendering, logos, and the public images. */
export function createQrModule(options: QrModuleOptions) {
  const { allowPrivateNetwork, database, outbox, plans, logger } = options;
  const repository = new QrRepository(database, { outbox, plans });
  const cache = new LoadingCache<FoundImage>(cacheLimits, async (id) => {
    const found = await repository.findPublic(id);
    return found && (found.image ? toQrImage(found, found.image) : 'deleted');
  });
  const renderer = openQrRenderer(options.isThreaded, logger);
  const logos = new LogoDecoder();
  const guardedFetch = createGuardedFetch({ allowPrivateNetwork });
  const logoFetcher = new LogoFetcher(guardedFetch);
  const service = new QrService({
    qrs: repository,
    listQrs: options.listQrs,
    urls: options.urls,
    renderer,
    logos,
    logoFetcher,
    publicHost: options.publicHost,
    clock: options.clock,
    newId: newUuid,
    onChanged: (id) => cache.invalidate([id]),
  });
  return {
    handlers: qrHandlers(service),
    cache,
    images: new QrImageHandler({
      cache,
      countDownload: options.countDownload,
      onError: options.onRequestError,
    }),
    queues: [renderer.queue, logoFetcher.queue, logos.queue],
    threads: [renderer.thread],
    async stop(): Promise<void> {
      await logos.stop();
      await renderer.thread.stop();
      await guardedFetch.close();
    },
  };
}
