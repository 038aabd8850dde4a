import { afterAll, describe, expect, it } from 'vitest';
import { api as table } from '../../src/api/api.js';
import {
  isForOrganizations,
  isWrite,
  type Route,
  scopes,
} from '../../src/contract/define-route.js';
import { eventTypes } from '../../src/events/event-types.js';
import type { Caller } from '../api/start-server.js';
import { type SampleRequest, sampleRequests } from '../isolation/sample-requests.js';
import { World } from '../isolation/world.js';
import type { Rows } from '../storage/tables-of.js';

// Built from the contract's table, so a new write is covered automatically.
const named = (routes: readonly Route[]) =>
  routes.map((route) => {
    const [plain] = sampleRequests(route) as [SampleRequest];
    return [route.operationId, plain] as const;
  });
const routes = (table as readonly Route[]).filter(isWrite);
const writes = named(routes.filter(isForOrganizations));
const operatorWrites = named(routes.filter(({ access }) => access === 'operator'));

/** The events that one request with one record writes. */
const eventsByOperation: Readonly<Record<string, readonly string[]>> = {
  createUrl: ['url.created'],
  bulkCreateUrls: ['url.created'],
  updateUrl: ['url.updated'],
  bulkUpdateUrls: ['url.updated'],
  upsertUrl: ['url.updated'],
  deleteUrl: ['url.updated', 'url.deleted'],
  restoreUrl: ['url.updated', 'url.restored'],
  bulkDeleteUrls: ['url.updated', 'url.deleted'],
  createQr: ['qr.created'],
  deleteQr: ['qr.deleted'],
  testWebhook: ['qr.scan_threshold'],
};

const world = await World.start();
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

/** Bodies that need a record, by operationId. */
const bodies: Readonly<Record<string, (caller: Caller) => Promise<object>>> = {
  async takeDownUrl(caller) {
    const body = { targetUrl: 'https://example.com/' };
    const { shortUrl } = await caller.createLink(body);
    return { shortUrl, reason: 'phishing' };
  },
};

async function prepare(caller: Caller, request: SampleRequest) {
  const { operationId } = request.route;
  const body = await bodies[operationId]?.(caller);
  const { path, send } = await world.prepareOwn(caller, request, body && JSON.stringify(body));
  // The restore of an active link changes nothing.
  if (operationId === 'restoreUrl') await caller.send('DELETE', path.replace('/restore', ''));
  return (key: string, token = caller.token) =>
    send({
      'idempotency-key': key,
      ...(request.route.access !== 'operator' && { authorization: `Bearer ${token}` }),
    });
}

const auditEntries = () =>
  world.api.server.database.read.selectFrom('audit_log').selectAll().execute();

/** Returns the secrets that a response contains. */
const secretsIn = (text: string) =>
  text.match(/(?:shorty_(?:cs|at|ak|ws|in)_|whsec_)[\w+/=-]{20,}/g) ?? [];

/** Sends a write twice with one key. Expects one entry in the audit log, without a secret. */
async function sendTwice(caller: Caller, request: SampleRequest, betweenBoth = async () => {}) {
  const { route, body = '{}' } = request;
  const send = await prepare(caller, request);
  const before = new Set((await auditEntries()).map(({ id }) => id));
  const newEntries = async () => (await auditEntries()).filter(({ id }) => !before.has(id));
  const eventCount = (await eventsOf(caller)).length;
  const first = await send(route.operationId);
  expect(first.status, first.text).toBeLessThan(300);
  expect(first.headers.has('idempotent-replayed')).toBe(false);
  const entries = await newEntries();
  const isOperator = route.access === 'operator';
  expect(entries).toEqual([
    expect.objectContaining({
      operation: route.operationId,
      created_at: world.api.clock(),
      actor_type: isOperator ? 'operator' : 'client',
      actor_id: isOperator ? null : expect.stringMatching(/^shorty_ci_/),
      address: expect.stringMatching(/^127\.0\.0\.1$|^::1$/),
      ...(!isOperator && { organization_id: caller.organizationId }),
      ...(route.method === 'patch' &&
        route.params && { fields: Object.keys(JSON.parse(body)).join() }),
    }),
  ]);
  const text = JSON.stringify(entries);
  for (const secret of secretsIn(first.text)) expect(text).not.toContain(secret);
  await betweenBoth();

  // Whatever depends on the time must not differ.
  world.api.clock.advance(1);
  const second = await send(route.operationId);
  expect(second.text).toBe(first.text);
  expect(second.status).toBe(first.status);
  expect(second.headers.get('etag')).toBe(first.headers.get('etag'));
  expect(second.headers.get('idempotent-replayed')).toBe('true');
  expect(await newEntries()).toEqual(entries);
  return { first, send, events: (await eventsOf(caller)).slice(eventCount) };
}

describe('a write whose response was lost, and its repetition with the same key, make one change and one audit entry', () => {
  it.each(writes)('%s', async (operationId, request) => {
    const caller = await subscriber();
    let rows: Rows = {};
    const { first, send, events } = await sendTwice(caller, request, async () => {
      rows = await world.rows();
    });
    await world.expectUnchanged(rows);
    expect(events).toEqual(eventsByOperation[operationId] ?? []);

    // Only the same caller gets a secret again.
    const client = await world.api.operator.call('createClient', {
      params: { id: caller.organizationId },
      body: { name: 'another', scopes },
    });
    const { id: clientId, clientSecret } = client.data;
    const another = await world.api.signIn({ clientId, clientSecret });
    const byAnother = await send(operationId, another.token);
    if (secretsIn(first.text).length === 0) expect(byAnother.text).toBe(first.text);
    else expect(byAnother.outcome).toBe('409 IDEMPOTENCY_CONFLICT');
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

it('a repeated change stores no hash of a password with the key', async () => {
  const data = await world.api.createLink();
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

const creates = (table as readonly Route[]).filter(
  ({ method, path }) =>
    method === 'post' &&
    table.some((other) => other.method === 'get' && other.path === `${path}/{id}`),
);

it.each(creates.map((route) => [route.operationId, route] as const))(
  '%s returns what a later read returns',
  async (_, route) => {
    const [request] = sampleRequests(route) as [SampleRequest];
    const caller = await world.newcomer();
    const { path, send } = await world.prepareOwn(caller, request);
    const created = await send();
    const reader = route.access === 'operator' ? world.api.operator : caller;
    const read = await reader.send('GET', `${path}/${(created.data as { id: string }).id}`);
    expect(created.data).toMatchObject(read.data as object);
    expect(created.headers.get('etag')).toBe(read.headers.get('etag'));
  },
);

// Last, because the deletion of an organization goes on in the background.
it.each(operatorWrites)('a repeated write of the operator %s', async (_, request) => {
  await sendTwice(await world.newcomer(), request);
});
