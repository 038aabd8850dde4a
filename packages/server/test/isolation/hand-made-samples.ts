import { v7 as newUuid } from 'uuid';
import { toRow } from '../../src/analytics/ingest/columns-codec.js';
import { toColumns } from '../../src/analytics/ingest/visit-columns.js';
import { createEventOutbox } from '../../src/events/event-outbox.js';
import { makeVisit } from '../analytics/visit-store.js';
import type { Caller, TestServer } from '../api/start-server.js';

let count = 0;

/** Bodies by operationId, for routes whose examples in the contract do not make a valid body. */
export const sampleBodies: Readonly<Record<string, () => unknown>> = {
  // Nothing listens on this port, so a delivery fails immediately. It is not retried, because the
  // clock stands still. The event type is rare.
  createWebhook: () => ({ url: 'http://127.0.0.1:2/', events: ['qr.scan_threshold'] }),
  recoverDeliveries: () => ({ since: '2000-01-01T00:00:00Z' }),
  // An address belongs to one person on a server.
  inviteUser: () => ({ email: `person-${count++}@example.com`, role: 'viewer' }),
  // A new link already has the target of the contract's example. An update to it would change nothing.
  updateUrl: () => ({ title: 'Autumn sale' }),
  updateDomain: () => ({ ignoreCase: true }),
  upsertUrl: () => ({ targetUrl: 'https://example.com/', title: 'Autumn sale' }),
  bulkUpdateUrls: () => ({ updates: [{ id: '«foreign /api/v1/urls»', title: 'Autumn sale' }] }),
};

/** Queries by operationId, for routes that require one. */
export const sampleQueries: Readonly<Record<string, string>> = {
  // The response is 404. `test/api/url-lookup.test.ts` looks up the links of another organization.
  lookupUrl: 'shortUrl=no-such-link',
  checkSlug: 'slug=spring-sale',
  // The server reaches no private address.
  getUrlMetadata: 'url=http://127.0.0.1/',
};

/** Makes sure that a link has the domain that a filter names. The filter urlId names one that exists. */
async function makeLinkOfDomain(
  _: TestServer,
  owner: Caller,
  made: ReadonlyMap<string, string>,
): Promise<void> {
  const domainId = made.get('/api/v1/domains');
  if (domainId === undefined) return;
  const { items } = (await owner.call('listUrls', { query: { domainId } })).data;
  if (items.length > 0) return;
  await owner.call('createUrl', { body: { targetUrl: 'https://example.com/', domainId } });
}

/**
 * Creates a record that a list with any of its filters returns, from the ids of other records by their
 * collection. For lists whose records no POST to the collection creates.
 */
export const sampleListed: Readonly<
  Record<
    string,
    (api: TestServer, owner: Caller, made: ReadonlyMap<string, string>) => Promise<void>
  >
> = {
  '/api/v1/urls/slug': makeLinkOfDomain,
  '/api/v1/analytics/overview': makeLinkOfDomain,
  '/api/v1/visits': async (api, owner, made) => {
    await makeLinkOfDomain(api, owner, made);
    const { items } = (await owner.call('listUrls', { query: { limit: 100 } })).data;
    const visitedAt = api.clock() - 1;
    const visits = items.map(({ id }) => makeVisit({ urlId: Number(id), visitedAt }));
    await api.server.database.writeDirectly(
      (transaction) =>
        transaction
          .insertInto('visits')
          .values({
            organization_id: owner.organizationId,
            level: 0,
            stored_at: visitedAt,
            ...toRow(toColumns(visits)),
          })
          .execute(),
      'rows',
    );
  },
  '/api/v1/webhooks/{id}/deliveries': async (api, owner, made) => {
    const webhookId = made.get('/api/v1/webhooks');
    // The webhook belongs to the stranger, so it cannot have deliveries of this organization.
    if (webhookId === undefined) return;
    const { database } = api.server;
    const event = {
      event_id: made.get('/api/v1/events') ?? (await makeEvent(owner)),
      event_type: 'qr.created' as const,
    };
    await database.writeDirectly((transaction) =>
      createEventOutbox(database, { newId: newUuid }).deliverAgain(
        transaction,
        [event],
        webhookId,
        api.clock(),
      ),
    );
  },
};

/** Creates records that no POST to their collection creates, and returns their ids. */
export const sampleRecords: Readonly<
  Record<string, (api: TestServer, owner: Caller, parentId: string) => Promise<string>>
> = {
  // Links can use active domains only.
  '/api/v1/domains': async (api, owner) => {
    count += 1;
    return (await api.addDomain(`sample${count}.example.com`, owner)).id;
  },
  '/api/v1/urls/by-external-id': async (_, owner) => {
    count += 1;
    const externalId = `external-${count}`;
    await owner.call('createUrl', { body: { targetUrl: 'https://example.com/', externalId } });
    return externalId;
  },
  // The path of a tag has its name.
  '/api/v1/tags': async (_, owner) => {
    count += 1;
    const tag = `sample tag/${count}`;
    await owner.call('createUrl', { body: { targetUrl: 'https://example.com/', tags: [tag] } });
    return encodeURIComponent(tag);
  },
  '/api/v1/admin/organizations/{id}/api-keys': async (api, _, id) => {
    const body = { scopes: ['keys:write', 'urls:read'] };
    const { data } = await api.operator.call('createClient', { params: { id }, body });
    const client = await api.signIn({ clientId: data.id, clientSecret: data.clientSecret });
    return (await client.call('createApiKey', { body: { name: 'a key' } })).data.id;
  },
  '/api/v1/admin/takedowns': async (api, owner) => {
    const data = await owner.createLink();
    const body = { shortUrl: data.shortUrl, reason: 'a reason' };
    return (await api.operator.call('takeDownUrl', { body })).data.id;
  },
  '/api/v1/admin/blocked-hosts': async (api) => {
    count += 1;
    const body = { host: `blocked${count}.example`, reason: 'a reason' };
    return (await api.operator.call('blockHost', { body })).data.host;
  },
  '/api/v1/events': (_, owner) => makeEvent(owner),
  '/api/v1/webhooks/{id}/deliveries': async (_, owner, webhookId) =>
    (await owner.call('testWebhook', { params: { id: webhookId } })).data.id,
};

async function makeEvent(owner: Caller): Promise<string> {
  const body = { url: 'http://127.0.0.1:2/', events: ['qr.created'] };
  const { id } = (await owner.call('createWebhook', { body })).data;
  return (await owner.call('testWebhook', { params: { id } })).data.eventId;
}
