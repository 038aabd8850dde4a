import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { api as table } from '../../src/api/api.js';
import { isForOrganizations, isWrite, type Route } from '../../src/contract/define-route.js';
import { eventTypes } from '../../src/events/event-types.js';
import type { Caller } from '../api/start-server.js';
import { type SampleRequest, sampleRequests } from '../isolation/sample-requests.js';
import { requestInit, World } from '../isolation/world.js';

// Built from the contract's table, so a new write is covered automatically. administration.test.ts has
// those of the operator.
const routes = (table as readonly Route[]).filter(isForOrganizations);
const writes = routes.filter(isWrite).map((route) => {
  const [plain] = sampleRequests(route) as [SampleRequest];
  return [route.operationId, plain] as const;
});

/** The events that one request with one record writes. */
const eventsByOperation: Readonly<Record<string, readonly string[]>> = {
  createUrl: ['url.created'],
  bulkCreateUrls: ['url.created'],
  updateUrl: ['url.updated'],
  bulkUpdateUrls: ['url.updated'],
  upsertUrl: ['url.updated'],
  deleteUrl: ['url.updated', 'url.deleted'],
  bulkDeleteUrls: ['url.updated', 'url.deleted'],
  createQr: ['qr.created'],
  deleteQr: ['qr.deleted'],
  testWebhook: ['qr.scan_threshold'],
};

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.api.stop());

/** Returns an organization that subscribes to all events. */
async function subscriber(): Promise<Caller> {
  const caller = await world.newcomer();
  await caller.call('createWebhook', { body: { url: 'http://127.0.0.1:2/', events: eventTypes } });
  return caller;
}

async function eventsOf({ organizationId }: Caller): Promise<string[]> {
  const events = await world.api.server.database.read
    .selectFrom('events')
    .select('type')
    .where('organization_id', '=', organizationId)
    // In the order of creation.
    .orderBy('id')
    .execute();
  return events.map(({ type }) => type);
}

async function prepare(caller: Caller, request: SampleRequest) {
  const records = new Map<string, string>();
  const made = { own: records, foreign: records };
  const { path, body } = (await world.prepare(request, { own: caller, foreign: caller }, made))
    .request;
  return (key: string, changed: { path?: string; body?: string } = {}) => {
    const { headers, ...init } = requestInit(changed.body ?? body);
    return caller.send(request.route.method.toUpperCase(), changed.path ?? path, {
      ...init,
      headers: { ...headers, 'idempotency-key': key },
    });
  };
}

describe('a write whose response was lost, and its repetition with the same Idempotency-Key', () => {
  it.each(writes)('%s', async (operationId, request) => {
    const caller = await subscriber();
    const send = await prepare(caller, request);
    const before = (await eventsOf(caller)).length;
    const first = await send('key-1');
    expect(first.status, first.text).toBeLessThan(300);
    expect(first.headers.has('idempotent-replayed')).toBe(false);
    const rows = await world.rows();
    const events = (await eventsOf(caller)).slice(before);
    expect(events).toEqual(eventsByOperation[operationId] ?? []);

    // Whatever depends on the time must not differ.
    world.api.clock.advance(1);
    const second = await send('key-1');
    expect(second.text).toBe(first.text);
    expect(second.status).toBe(first.status);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    await world.expectUnchanged(rows);
  });
});

describe('a key that was used for another request', () => {
  it.each(writes)('is refused by %s', async (_, request) => {
    const caller = await subscriber();
    const send = await prepare(caller, request);
    await caller.call('createUrl', {
      headers: { 'idempotency-key': 'key-1' },
      body: { targetUrl: 'https://example.com/' },
    });
    const rows = await world.rows();
    expect((await send('key-1')).outcome).toBe('409 IDEMPOTENCY_CONFLICT');
    await world.expectUnchanged(rows);
  });

  it('is refused if only the query differs', async () => {
    const caller = await subscriber();
    const headers = { 'idempotency-key': 'key-1' };
    await caller.call('bulkDeleteUrls', { query: { ids: '1' }, headers });
    const other = await caller.call('bulkDeleteUrls', { query: { ids: '2' }, headers });
    expect(other.outcome).toBe('409 IDEMPOTENCY_CONFLICT');
  });
});

describe('a repeated change', () => {
  it('does not overwrite a later one', async () => {
    const { data } = await world.api.call('createUrl', {
      body: { targetUrl: 'https://example.com/' },
    });
    const params = { id: data.id };
    const update = (title: string, key: string) =>
      world.api.call('updateUrl', { params, body: { title }, headers: { 'idempotency-key': key } });
    const first = await update('first', 'first-title');
    await update('second', 'second-title');
    expect((await update('first', 'first-title')).text).toBe(first.text);
    expect((await world.api.call('getUrl', { params })).data.title).toBe('second');
  });

  it('stores no hash of a password with the key', async () => {
    const { data } = await world.api.call('createUrl', {
      body: { targetUrl: 'https://example.com/' },
    });
    const { status } = await world.api.call('updateUrl', {
      params: { id: data.id },
      body: { isPasswordProtected: true, password: 'open sesame' },
      headers: { 'idempotency-key': 'with-password' },
    });
    expect(status).toBe(200);
    const stored = await world.api.server.database.read
      .selectFrom('idempotency_keys')
      .select('result')
      .where('key', '=', 'with-password')
      .executeTakeFirstOrThrow();
    expect(stored.result).toContain('isPasswordProtected');
    expect(stored.result).not.toContain('argon2');
  });
});
