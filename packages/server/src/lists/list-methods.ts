import { type DomainFilter, listDomains } from '../domains/domain-repository.js';
import { listQrs, type QrFilter } from '../qr/qr-repository.js';
import type { Database } from '../storage/database.js';
import type { UrlFilter } from '../urls/url-contract.js';
import { listUrls } from '../urls/url-query.js';
import { type DeliveryFilter, listDeliveries } from '../webhooks/delivery-repository.js';
import { listWebhooks, type Page } from '../webhooks/webhook-repository.js';

/** Returns the functions that read the lists of the API. */
export function listMethods(database: Database) {
  return {
    listUrls: (organizationId: string, filter: UrlFilter, now: number) =>
      listUrls(database, organizationId, filter, now),
    listQrs: (organizationId: string, filter: QrFilter) =>
      listQrs(database, organizationId, filter),
    listWebhooks: (organizationId: string, page: Page) =>
      listWebhooks(database, organizationId, page),
    listDeliveries: (_organizationId: string, webhookId: string, filter: DeliveryFilter) =>
      listDeliveries(database, webhookId, filter),
    listDomains: (organizationId: string, filter: DomainFilter) =>
      listDomains(database, organizationId, filter),
  };
}

export type Lists = ReturnType<typeof listMethods>;
