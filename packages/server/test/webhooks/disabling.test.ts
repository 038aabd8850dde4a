import { beforeEach, describe, expect, it } from 'vitest';
import { disabledRetentionMs } from '../../src/events/event-outbox.js';
import { urlCreated } from '../../src/urls/url-events.js';
import { pruneDeliveries } from '../../src/webhooks/delivery-pruner.js';
import { eventExamples } from '../../src/webhooks/event-examples.js';
import type { Webhook } from '../../src/webhooks/webhook-repository.js';
import { type Opened, openDispatcher } from './open-dispatcher.js';
import { type Receiver, receiver } from './receiver.js';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

let opened: Opened;
beforeEach(async () => {
  opened = await openDispatcher();
});

async function read(id: string): Promise<Webhook> {
  const webhook = await opened.webhooks.find(opened.organizationId, id);
  if (!webhook) throw new Error(`webhook ${id} is not there`);
  return webhook;
}

/** Records an event of the organization, as a change of a link does. */
const happen = () =>
  opened.stored.database.writeDirectly(async (transaction) => {
    const { outbox, organizationId, clock } = opened;
    const data = eventExamples['url.created'];
    outbox.record(transaction, urlCreated, { organizationId, now: clock(), data });
  });

/** Answers with a status that the test changes. */
async function answering(status: number): Promise<Receiver & { status: number }> {
  const made = { status };
  const hook = await receiver((response) => response.writeHead(made.status).end());
  return Object.defineProperty(hook as Receiver & { status: number }, 'status', {
    set: (next: number) => {
      made.status = next;
    },
  });
}

/** Disables an endpoint, as the server does after five days of failures. */
const disable = (id: string) =>
  opened.setWebhook(id, { is_active: 0, disabled_at: opened.clock(), disabled_reason: 'failing' });

/** Records an event and sends due deliveries every twelve hours of this number of days. */
async function pass(id: string, days: number): Promise<void> {
  const dispatcher = opened.dispatcher();
  for (let half = 0; half < days * 2; half += 1) {
    await opened.record(id);
    await dispatcher.drain();
    opened.clock.advance(12 * hour);
  }
}

it('webhook.disabled is sent once to the other webhooks that subscribe to it', async () => {
  const [gone, good] = [await answering(500), await answering(204)];
  const { stored, organizationId } = opened;
  const subscribe = async (url: string, owner = organizationId) => {
    const id = await opened.subscribe(url, owner);
    await opened.setWebhook(id, { events: '["webhook.disabled"]' });
    return id;
  };
  const failing = await subscribe(gone.url);
  const watching = await subscribe(good.url);
  const quiet = await opened.subscribe(good.url);
  const foreign = await subscribe(good.url, await stored.addOrganization('scale'));
  await opened.record(failing);
  const failingSince = new Date(opened.clock()).toISOString();
  await opened.dispatcher().drain();
  opened.clock.advance(5 * day);
  await opened.record(failing, 20);
  const at = new Date(opened.clock()).toISOString();
  const dispatchers = [opened.dispatcher(), opened.dispatcher()];
  await Promise.all(dispatchers.map((dispatcher) => dispatcher.drain()));
  await dispatchers[0]?.drain();
  expect(await opened.states(watching)).toEqual(['delivered 1 null']);
  expect([...(await opened.states(quiet)), ...(await opened.states(foreign))]).toEqual([]);
  expect(await opened.states(failing)).toHaveLength(21);
  expect(good.received.map(({ event }) => event)).toMatchObject([
    {
      type: 'webhook.disabled',
      createdAt: at,
      data: {
        id: failing,
        url: gone.url,
        disabledAt: at,
        disabledReason: 'failing',
        failingSince,
        lastSuccessAt: null,
      },
    },
  ]);
});

describe('an endpoint whose every attempt fails', () => {
  it('is disabled after five days, and not before', async () => {
    const hook = await answering(500);
    const id = await opened.subscribe(hook.url);
    const start = opened.clock();
    await pass(id, 5);
    expect(await read(id)).toMatchObject({
      isActive: true,
      failingSince: start,
      disabledReason: null,
      failureRate: 1,
    });
    await opened.record(id);
    await opened.dispatcher().drain();
    expect(await read(id)).toMatchObject({
      isActive: false,
      failingSince: start,
      disabledReason: 'failing',
      disabledAt: start + 5 * day,
    });
    const { length } = hook.received;
    await pass(id, 2);
    expect(hook.received).toHaveLength(length);
  });

  it('is disabled five days after its last success', async () => {
    const hook = await answering(500);
    const id = await opened.subscribe(hook.url);
    await pass(id, 4);
    hook.status = 204;
    const at = opened.clock();
    await pass(id, 1);
    const health = await read(id);
    expect(health.lastSuccessAt).toBeGreaterThanOrEqual(at);
    expect(health.failingSince).toBeNull();
    expect(health.failureRate).toBeGreaterThan(0.3);
    expect(health.failureRate).toBeLessThan(1);
    hook.status = 500;
    await pass(id, 4);
    expect((await read(id)).isActive).toBe(true);
  });

  it('is not disabled within five days after its URL changed', async () => {
    const [before, after] = [await answering(500), await answering(500)];
    const id = await opened.subscribe(before.url);
    await pass(id, 4);
    const webhook = await opened.change(id, { url: after.url });
    expect(webhook).toMatchObject({ failingSince: null, failureRate: null });
    await pass(id, 4);
    expect((await read(id)).isActive).toBe(true);
  });

  it('is never disabled when the setting is 0', async () => {
    const hook = await answering(500);
    const id = await opened.subscribe(hook.url);
    const dispatcher = opened.dispatcher({ disableAfterMs: 0 });
    for (let at = 0; at < 6; at += 1) {
      await opened.record(id);
      await dispatcher.drain();
      opened.clock.advance(2 * day);
    }
    expect((await read(id)).isActive).toBe(true);
  });
});

describe('a disabled endpoint that is enabled again', () => {
  it('resumes its deliveries with their attempts and times', async () => {
    const hook = await answering(503);
    const id = await opened.subscribe(hook.url);
    await opened.record(id);
    const dispatcher = opened.dispatcher();
    await dispatcher.drain();
    opened.clock.advance(30 * second);
    await dispatcher.drain();
    // The third attempt is due two minutes after the second.
    await opened.record(id);
    await dispatcher.drain();
    await disable(id);
    opened.clock.advance(minute);
    hook.status = 204;
    const webhook = await opened.change(id, { isActive: true });
    expect(webhook).toMatchObject({
      isActive: true,
      disabledAt: null,
      disabledReason: null,
      failingSince: null,
    });
    // The second delivery was due after 30 seconds, the first one is due in another minute.
    expect(await dispatcher.drain()).toBe(1);
    expect((await opened.states(id)).sort()).toEqual([
      'delivered 2 null',
      'pending 2 The receiver answered 503',
    ]);
    opened.clock.advance(minute);
    expect(await dispatcher.drain()).toBe(1);
    expect((await opened.states(id)).sort()).toEqual(['delivered 2 null', 'delivered 3 null']);
  });

  it('gets the events that were recorded while it was disabled', async () => {
    const hook = await answering(503);
    const id = await opened.subscribe(hook.url);
    await happen();
    const dispatcher = opened.dispatcher();
    await dispatcher.drain();
    await disable(id);
    opened.clock.advance(disabledRetentionMs - 1);
    await happen();
    expect(await dispatcher.drain()).toBe(0);
    hook.status = 204;
    await opened.change(id, { isActive: true });
    expect(await dispatcher.drain()).toBe(2);
    expect((await opened.states(id)).sort()).toEqual(['delivered 1 null', 'delivered 2 null']);
  });

  it('gets no event that was recorded while its owner had deactivated it', async () => {
    const hook = await answering(503);
    const id = await opened.subscribe(hook.url);
    await happen();
    await opened.dispatcher().drain();
    await disable(id);
    const webhook = await opened.change(id, { isActive: false });
    expect(webhook).toMatchObject({ disabledAt: null, disabledReason: null });
    await happen();
    expect(await opened.states(id)).toEqual(['pending 1 The receiver answered 503']);
  });
});

it('after 30 disabled days deliveries fail with the reason, and no event is recorded', async () => {
  const hook = await answering(503);
  const id = await opened.subscribe(hook.url);
  await happen();
  await opened.dispatcher().drain();
  await disable(id);
  await happen();
  const prune = () => pruneDeliveries(opened.stored.database, opened.clock());
  opened.clock.advance(disabledRetentionMs - 1);
  await prune();
  expect((await opened.states(id)).sort()).toEqual([
    'pending 0 null',
    'pending 1 The receiver answered 503',
  ]);
  opened.clock.advance(1);
  await happen();
  await prune();
  const failed = (attempts: number) => `failed ${attempts} The webhook was disabled for 30 days`;
  expect((await opened.states(id)).sort()).toEqual([failed(0), failed(1)]);
  opened.clock.advance(29 * day);
  await prune();
  expect(await opened.states(id)).toHaveLength(2);
  opened.clock.advance(day + 1);
  await prune();
  expect(await opened.states(id)).toEqual([]);
});

it('an endpoint whose secret cannot be decrypted pauses, and others get their deliveries', async () => {
  const hook = await answering(204);
  const [unreadable, readable] = [
    await opened.subscribe(hook.url),
    await opened.subscribe(hook.url),
  ];
  await opened.setWebhook(unreadable, { secret: 'enc:000000000000:AAAA' });
  await opened.record(unreadable, 100);
  await opened.record(readable, 3);
  const dispatcher = opened.dispatcher();
  await expect.poll(() => dispatcher.drain()).toBe(3);
  expect(hook.received).toHaveLength(3);
  expect(opened.errors).toHaveLength(1);
  expect((await opened.states(unreadable)).every((state) => state === 'pending 0 null')).toBe(true);
});
