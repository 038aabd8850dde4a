import type { Logger } from 'pino';
import { openFairQueue, QueueFullError } from '../fair-queue.js';
import type { HandlersOf } from '../http/handlers.js';
import { createGuardedFetch } from '../network/guarded-fetch.js';
import type { FetchedMetadata } from './fetch-metadata.js';
import type { metadataRoutes } from './metadata-contract.js';

export interface MetadataModuleOptions {
  readonly allowPrivateNetwork: boolean;
  readonly logger: Logger;
}

type StoreTitle = (title: string) => Promise<unknown>;

/** Reads what pages say about themselves, for the API and for new links. */
export function createMetadataModule({ allowPrivateNetwork, logger }: MetadataModuleOptions) {
  const guardedFetch = createGuardedFetch({ allowPrivateNetwork });
  const queue = openFairQueue({
    name: 'page metadata',
    concurrency: 16,
    maxRunningPerOrganization: 4,
    maxWaiting: 2_000,
    maxWaitingPerOrganization: 500,
  });

  const read = (organizationId: string, url: string): Promise<FetchedMetadata> =>
    queue.run(organizationId, async () => {
      // Most servers read no page, and so need no HTML parser.
      const { fetchMetadata } = await import('./fetch-metadata.js');
      return fetchMetadata(guardedFetch, url);
    });

  const handlers: HandlersOf<typeof metadataRoutes> = {
    async getUrlMetadata({ caller: { organizationId }, query: { url } }) {
      return { status: 200, data: await read(organizationId, url) };
    },
  };

  /**
   * Reads a page in the background, and passes its title on. A page that cannot be read has none. None
   * is read while too many wait, or when the server stops before.
   */
  function fetchTitle(organizationId: string, url: string, store: StoreTitle): void {
    read(organizationId, url)
      .then(({ title }) => (title === null ? undefined : store(title)))
      .catch((err: unknown) => {
        // A bulk create could fill the log.
        if (err instanceof QueueFullError) return;
        logger.warn({ err }, 'the title of a target was not stored');
      });
  }

  return { handlers, fetchTitle, queue, stop: () => guardedFetch.close() };
}
