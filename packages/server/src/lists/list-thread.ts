import { listApiKeys } from '../auth/api-key-repository.js';
import type { PageRange, Position } from '../contract/fields.js';
import type { DomainFilter } from '../domains/domain-contract.js';
import { listDomains } from '../domains/domain-repository.js';
import type { QrFilter } from '../qr/qr-contract.js';
import { listQrs } from '../qr/qr-repository.js';
import { type Database, ListTimeoutError, StorageUnavailableError } from '../storage/database.js';
import { openStorage, type StorageOptions } from '../storage/open-storage.js';
import { defineThread } from '../threads/define-thread.js';
import { encodeError, type TransferredError } from '../threads/error-transfer.js';
import type { TagFilter } from '../urls/tag-contract.js';
import { findTagged, listTags } from '../urls/tag-query.js';
import type { UrlFilter } from '../urls/url-contract.js';
import { listUrls } from '../urls/url-query.js';
import { listDeliveries } from '../webhooks/delivery-repository.js';
import type { DeliveryFilter } from '../webhooks/webhook-contract.js';
import { listWebhooks } from '../webhooks/webhook-repository.js';

/** Reports that an update of the search index failed. */
type ListThreadEvent = { readonly error: TransferredError };

export type Lists = ReturnType<typeof startLists>['methods'];

/** Starts the indexer of searches. Returns the functions that read the lists of the API. */
export function startLists(database: Database, emit: (event: ListThreadEvent) => void) {
  const indexer = database.searchIndex.startIndexer((error) =>
    emit({ error: encodeError(error, []) }),
  );
  return {
    methods: {
      listUrls: (organizationId: string, filter: UrlFilter, now: number) =>
        listUrls(database, organizationId, filter, now),
      listTags: (organizationId: string, filter: TagFilter) =>
        listTags(database, organizationId, filter),
      findTagged: (organizationId: string, tag: string, limit: number, after?: Position) =>
        findTagged(database, organizationId, tag, limit, after),
      listQrs: (organizationId: string, filter: QrFilter) =>
        listQrs(database, organizationId, filter),
      listWebhooks: (organizationId: string, range: PageRange) =>
        listWebhooks(database, organizationId, range),
      listDeliveries: (_organizationId: string, webhookId: string, filter: DeliveryFilter) =>
        listDeliveries(database, webhookId, filter),
      listApiKeys: (organizationId: string, range: PageRange) =>
        listApiKeys(database, organizationId, range),
      listDomains: (organizationId: string, filter: DomainFilter) =>
        listDomains(database, organizationId, filter),
    },
    stop: () => indexer.stop(),
  };
}

/** The thread that reads lists and updates the search index, because both would delay redirects. */
export const listThread = defineThread({
  name: 'lists',
  file: import.meta.url,
  errorClasses: [ListTimeoutError, StorageUnavailableError],
  start(storage: StorageOptions, emit: (event: ListThreadEvent) => void) {
    const database = openStorage(storage);
    const { methods, stop } = startLists(database, emit);
    return {
      methods,
      async stop(): Promise<void> {
        await stop();
        await database.close();
      },
    };
  },
});
