import { afterAll, expect, it } from 'vitest';
import { OrganizationRepository } from '../../src/organizations/organization-repository.js';
import { startServer, type TestServer } from '../api/start-server.js';
import { openDispatcher } from './open-dispatcher.js';
import { receiver } from './receiver.js';

const day = 24 * 60 * 60 * 1000;

const api = await startServer({ allowPrivateNetwork: true });
afterAll(() => api.stop());

const suspend = (id: string, isSuspended: boolean) =>
  api.operator.call('updateOrganization', { params: { id }, body: { isSuspended } });

async function newTenant() {
  const body = { name: 'Tenant', plan: 'scale' };
  const { data } = await api.operator.call('createOrganization', { body });
  const { id, clientId, clientSecret } = data;
  return { id, caller: await api.signIn({ clientId, clientSecret }) };
}

it('a delivery of a suspended organization waits, and is sent when the organization is resumed', async () => {
  const opened = await openDispatcher();
  const hook = await receiver();
  const own = await opened.subscribe(hook.url);
  const other = await opened.subscribe(hook.url, await opened.stored.addOrganization('scale'));
  const organizations = new OrganizationRepository(opened.stored.database);
  const change = (isSuspended: boolean) =>
    organizations.update(opened.organizationId, { isSuspended }, opened.clock(), undefined);
  await change(true);
  await opened.record(own);
  await opened.record(other);
  const dispatcher = opened.dispatcher();
  expect(await dispatcher.drain()).toBe(1);
  opened.clock.advance(60 * day);
  expect(await dispatcher.drain()).toBe(0);
  expect(await opened.states(own)).toEqual(['pending 0 null']);
  expect(dispatcher.figures.overdueMs.answering).toBe(0);
  await change(false);
  expect(await dispatcher.drain()).toBe(1);
  expect(await opened.states(own)).toEqual(['delivered 1 null']);
  expect(hook.received).toHaveLength(2);
});

it('deliveries that a dispatcher has found are not claimed after a suspension', async () => {
  const opened = await openDispatcher();
  const own = await opened.subscribe('http://127.0.0.1:9/');
  const other = await opened.subscribe(
    'http://127.0.0.1:9/',
    await opened.stored.addOrganization('scale'),
  );
  await opened.record(own);
  await opened.record(other);
  expect(await opened.findDue()).toHaveLength(2);
  const organizations = new OrganizationRepository(opened.stored.database);
  const now = opened.clock();
  await organizations.update(opened.organizationId, { isSuspended: true }, now, undefined);
  const claimed = await opened.claim([own, other]);
  expect(claimed.map(({ webhookId }) => webhookId)).toEqual([other]);
});

it('the time of a suspension does not disable an endpoint that had failed before', async () => {
  const opened = await openDispatcher();
  const hook = await opened.hook((response) => response.writeHead(500).end());
  const organizations = new OrganizationRepository(opened.stored.database);
  const change = (isSuspended: boolean) =>
    organizations.update(opened.organizationId, { isSuspended }, opened.clock(), undefined);
  await opened.record(hook.id);
  const dispatcher = opened.dispatcher({ schedule: [1_000, 1_000] });
  expect(await dispatcher.drain()).toBe(1);
  await change(true);
  opened.clock.advance(10 * day);
  await change(false);
  expect(await dispatcher.drain()).toBe(1);
  const webhook = await opened.webhooks.find(opened.organizationId, hook.id);
  expect(webhook).toMatchObject({ isActive: true, failingSince: opened.clock() });
});

it('a running server stops deliveries, and goes on with those of others', async () => {
  const { id, caller } = await newTenant();
  const hook = await receiver((response) => response.writeHead(500).end());
  const events = ['url.created'];
  const { data } = await caller.call('createWebhook', { body: { url: hook.url, events } });
  const others = await receiver((response) => response.writeHead(500).end());
  const other = (await api.call('createWebhook', { body: { url: others.url, events } })).data;
  const target = { body: { targetUrl: 'https://example.com/' } };
  await caller.call('createUrl', target);
  await api.call('createUrl', target);
  const attemptsOf = async (owner: Pick<TestServer, 'call'>, webhook: { id: string }) =>
    (await owner.call('listDeliveries', { params: { id: webhook.id } })).data.items[0]?.attempts;
  await expect.poll(() => attemptsOf(caller, data)).toBe(1);
  await expect.poll(() => attemptsOf(api, other)).toBe(1);
  await suspend(id, true);
  // The second attempts of both are due, and later the third.
  for (const [count, delayMs] of [
    [2, 30_000],
    [3, 120_000],
  ] as const) {
    api.clock.advance(delayMs);
    await others.arrived(count);
    await expect.poll(() => attemptsOf(api, other)).toBe(count);
  }
  expect(hook.received).toHaveLength(1);
  await suspend(id, false);
  await hook.arrived(2);
});
