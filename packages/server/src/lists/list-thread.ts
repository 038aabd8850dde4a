import type { ReportWindow } from '../analytics/reports/report-window.js';
import type { OperatorAuditFilter } from '../audit/audit-contract.js';
import { listAuditEntries, toAuditEntry } from '../audit/audit-repository.js';
import { listApiKeys, toApiKeyRecord } from '../auth/api-key-repository.js';
import { listClients, toClientRecord } from '../auth/client-repository.js';
import type { Page, PageRange } from '../contract/fields.js';
import { toPageText } from '../contract/json-text.js';
import { withIsoTimes } from '../contract/present.js';
import { listDomains, toDomainRecord } from '../domains/domain-repository.js';
import type { LinkOrigins } from '../network/link-origins.js';
import { listUsage, presentUsage } from '../organizations/monthly-usage.js';
import {
  listOrganizations,
  toOrganizationRecord,
} from '../organizations/organization-repository.js';
import type { PlanTable } from '../organizations/plans.js';
import { listUsers, toUserRecord } from '../people/user-repository.js';
import { listQrs, toQrRecord } from '../qr/qr-repository.js';
import { type Database, StorageUnavailableError } from '../storage/database.js';
import { openStorage, type StorageOptions } from '../storage/open-storage.js';
import { defineThread } from '../threads/define-thread.js';
import {
  listBlockedHosts,
  listTakedowns,
  toBlockedHostRecord,
  toTakedownRecord,
} from '../urls/moderation-handlers.js';
import { presenterOf, type UrlPresentation } from '../urls/present-url.js';
import type { TagFilter } from '../urls/tag-contract.js';
import { findTagged, listTags, type TaggedLinks } from '../urls/tag-query.js';
import type { UrlFilter } from '../urls/url-contract.js';
import { listUrls } from '../urls/url-query.js';
import { findFailed, listDeliveries } from '../webhooks/delivery-repository.js';
import { readStats } from '../webhooks/stats.js';
import type { DeliveryFilter, RecoverRequest } from '../webhooks/webhook-contract.js';
import { listWebhooks, toWebhookRecord } from '../webhooks/webhook-repository.js';

export type Lists = ReturnType<typeof listMethods>;

/**
 * Returns the functions that read the lists of the API. They present the items and return them as
 * text, which leaves the main thread little to do.
 */
export function listMethods(database: Database) {
  const pagesOf =
    <Filter, Row, Item>(
      list: (database: Database, organizationId: string, filter: Filter) => Promise<Page<Row>>,
      toItem: (row: Row) => Item,
    ) =>
    async (organizationId: string, filter: Filter) =>
      toPageText(await list(database, organizationId, filter), toItem);
  return {
    async listUrls(organizationId: string, filter: UrlFilter, presentation: UrlPresentation) {
      const page = await listUrls(database, organizationId, filter, presentation.now);
      return toPageText(page, presenterOf(presentation));
    },
    async listTags(organizationId: string, filter: TagFilter) {
      const page = await listTags(database, organizationId, filter);
      return page && toPageText(page, (tag) => tag);
    },
    findTagged: (organizationId: string, links: TaggedLinks) =>
      findTagged(database, organizationId, links),
    listQrs: pagesOf(listQrs, toQrRecord),
    async listWebhooks(organizationId: string, range: PageRange, now: number) {
      const page = await listWebhooks(database, organizationId, range);
      return toPageText(page, (webhook) => toWebhookRecord(webhook, now));
    },
    listDeliveries: async (_organizationId: string, webhookId: string, filter: DeliveryFilter) =>
      toPageText(await listDeliveries(database, webhookId, filter), withIsoTimes),
    findFailed: (_organizationId: string, webhookId: string, range: RecoverRequest) =>
      findFailed(database, webhookId, range),
    readStats: (_organizationId: string, webhookId: string, window: ReportWindow) =>
      readStats(database, webhookId, window),
    listApiKeys: pagesOf(listApiKeys, toApiKeyRecord),
    listAuditEntries: pagesOf(listAuditEntries, (row) => toAuditEntry(row, 'organization')),
    async listAllAuditEntries(_owner: string, filter: OperatorAuditFilter) {
      const page = await listAuditEntries(database, filter.organizationId, filter);
      return toPageText(page, (row) => toAuditEntry(row, 'operator'));
    },
    listClients: pagesOf(listClients, toClientRecord),
    listUsers: pagesOf(listUsers, toUserRecord),
    listOrganizations: async (_owner: string, range: PageRange) =>
      toPageText(await listOrganizations(database, range), toOrganizationRecord),
    async listUsage(_owner: string, range: PageRange, month: string, plans: PlanTable) {
      const page = await listUsage(database, range, month);
      return toPageText(page, ({ organization, ...usage }) => ({
        organization,
        ...presentUsage(plans, month, usage),
      }));
    },
    async listTakedowns(_owner: string, range: PageRange, origins: LinkOrigins) {
      const page = await listTakedowns(database, range);
      return toPageText(page, (url) => toTakedownRecord(origins, url));
    },
    listBlockedHosts: async (_owner: string, range: PageRange) =>
      toPageText(await listBlockedHosts(database, range), toBlockedHostRecord),
    listDomains: pagesOf(listDomains, toDomainRecord),
  };
}

/** The thread that reads lists, which would delay redirects. */
export const listThread = defineThread({
  name: 'lists',
  file: import.meta.url,
  errorClasses: [StorageUnavailableError],
  start(storage: StorageOptions) {
    const database = openStorage(storage);
    return { methods: listMethods(database), stop: () => database.close() };
  },
});
