import { expect, it } from 'vitest';
import { OrganizationRepository } from '../../src/organizations/organization-repository.js';
import { openDispatcher } from './open-dispatcher.js';
import { receiver } from './receiver.js';

const day = 24 * 60 * 60 * 1000;

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
