import { beforeEach, describe, expect, it } from 'vitest';
import { createOrganizationRepository } from '../../src/organizations/organization-repository.js';
import { urlCreated } from '../../src/urls/url-events.js';
import { deliveryRetentionMs, pruneDeliveries } from '../../src/webhooks/delivery-pruner.js';
import { eventExamples } from '../../src/webhooks/event-examples.js';
import { type Opened, openDispatcher } from './open-dispatcher.js';
import { receiver } from './receiver.js';

const second = 1_000;
const day = 24 * 60 * 60 * second;

let opened: Opened;
beforeEach(async () => {
  opened = await openDispatcher();
});

const prune = (signal?: AbortSignal) =>
  pruneDeliveries(opened.stored.database, opened.clock(), signal);

async function rows(): Promise<number[]> {
  const { read } = opened.stored.database;
  const tables = ['webhooks', 'events', 'deliveries', 'delivery_attempts'] as const;
  return Promise.all(
    tables.map(async (table) => (await read.selectFrom(table).selectAll().execute()).length),
  );
}

describe('finished deliveries', () => {
  it('are removed after 30 days with their attempts and events, unlike pending deliveries', async () => {
    const hook = await opened.hook();
    await opened.record(hook.id, 150);
    await opened.dispatcher().drain();
    opened.clock.advance(deliveryRetentionMs);
    await opened.record(hook.id, 1);
    expect(await prune()).toBe(0);
    opened.clock.advance(1);
    expect(await prune()).toBe(150);
    expect(await rows()).toEqual([1, 1, 1, 0]);
    opened.clock.advance(deliveryRetentionMs * 2);
    expect(await prune()).toBe(0);
  });

  it('retain their event until the last of them is removed', async () => {
    const hook = await opened.hook();
    await opened.record(hook.id);
    const dispatcher = opened.dispatcher();
    await dispatcher.drain();
    opened.clock.advance(deliveryRetentionMs);
    await opened.replay(hook.id);
    await dispatcher.drain();
    opened.clock.advance(1);
    expect(await prune()).toBe(1);
    expect(await rows()).toEqual([1, 1, 1, 1]);
  });

  it('are removed at once if their webhook is deleted', async () => {
    const id = await opened.subscribe('http://receiver.example/');
    await opened.record(id, 150);
    await opened.setWebhook(id, { deleted_at: 1 });
    expect(await opened.dispatcher().drain()).toBe(0);
    expect(await prune()).toBe(150);
    // Events are listed for 30 days.
    expect(await rows()).toEqual([0, 150, 0, 0]);
  });
});

/** Records events about links with these ids. */
const happen = (urlIds: readonly number[]) =>
  opened.stored.database.writeDirectly(async (transaction) => {
    const { outbox, organizationId, clock } = opened;
    const event = { organizationId, now: clock(), data: eventExamples['url.created'] };
    for (const urlId of urlIds) {
      const subject = { urlId, domainId: null, tags: '' };
      outbox.record(transaction, urlCreated, { ...event, subject });
    }
  });

const countByStatus = async (id: string) => {
  const rows = await opened.stored.database.read
    .selectFrom('deliveries')
    .select(['status', 'last_error', ({ fn }) => fn.countAll<number>().as('count')])
    .where('webhook_id', '=', id)
    .groupBy(['status', 'last_error'])
    .execute();
  return Object.fromEntries(
    rows.map(({ status, last_error, count }) => [`${status} ${last_error}`, Number(count)]),
  );
};

const dropped = 'failed The webhook no longer subscribes to this event';

describe('pending deliveries that a webhook no longer wants', () => {
  it('fail when they are due, those of another webhook do not, and nothing of them is sent', async () => {
    const hook = await opened.hook();
    const other = await opened.subscribe(`${hook.url}/other`);
    const ids = Array.from({ length: 200 }, (_, at) => at + 1);
    await happen(ids);
    await opened.change(hook.id, { filters: { urlIds: ids.slice(150) } });
    await opened.dispatcher().drain();
    expect(hook.received.filter(({ path }) => path === '/')).toHaveLength(50);
    const counts = await countByStatus(hook.id);
    expect(counts['delivered null']).toBe(50);
    expect(counts['pending null']).toBeUndefined();
    expect(await countByStatus(other)).toEqual({ 'delivered null': 200 });
  });

  it('fail although retries were due, and not those of tests', async () => {
    const hook = await opened.hook((response, count) => {
      response.writeHead(count === 1 ? 500 : 204).end();
    });
    await happen([1]);
    const dispatcher = opened.dispatcher();
    await dispatcher.drain();
    await opened.change(hook.id, { events: ['qr.created'] });
    await opened.record(hook.id);
    opened.clock.advance(60_000);
    await dispatcher.drain();
    expect(await countByStatus(hook.id)).toEqual({ [dropped]: 1, 'delivered null': 1 });
    expect(hook.received).toHaveLength(2);
  });
});

it('a delivery of a suspended organization waits, and is sent when the organization is resumed', async () => {
  const hook = await receiver();
  const own = await opened.subscribe(hook.url);
  const other = await opened.subscribe(hook.url, await opened.stored.addOrganization('scale'));
  const organizations = createOrganizationRepository(opened.stored.database);
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
  const hook = await opened.hook((response) => response.writeHead(500).end());
  const organizations = createOrganizationRepository(opened.stored.database);
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

const makeLink = () => opened.stored.create(opened.organizationId, [{}]);
/** Returns `2030-01: 1` for each month with a count. */
const metered = async () =>
  (
    await opened.stored.database.read
      .selectFrom('usage_meters')
      .select(['month', 'used'])
      .where('organization_id', '=', opened.organizationId)
      .where('meter', '=', 'webhook_delivery')
      .orderBy('month')
      .execute()
  ).map(({ month, used }) => `${month}: ${used}`);

describe('webhook_delivery', () => {
  it('counts a delivery once, in the month of its success, whatever the number of attempts', async () => {
    const hook = await receiver((response, count) =>
      response.writeHead(count < 3 ? 500 : 204).end(),
    );
    await opened.subscribe(hook.url);
    await makeLink();
    opened.clock.advance(31 * day - 60 * second);
    const dispatcher = opened.dispatcher();
    await dispatcher.drain();
    opened.clock.advance(30 * second);
    await dispatcher.drain();
    expect(await metered()).toEqual([]);
    opened.clock.advance(120 * second);
    await dispatcher.drain();
    expect(hook.received).toHaveLength(3);
    expect(await metered()).toEqual(['2030-02: 1']);
  });

  it('does not count deliveries that failed', async () => {
    const hook = await opened.hook((response) => response.writeHead(500).end());
    await makeLink();
    const dispatcher = opened.dispatcher({ schedule: [second] });
    await dispatcher.drain();
    opened.clock.advance(second);
    await dispatcher.drain();
    expect(await opened.states(hook.id)).toEqual(['failed 2 The receiver answered 500']);
    expect(await metered()).toEqual([]);
  });

  it('does not count tests and replays', async () => {
    const hook = await opened.hook();
    await makeLink();
    const dispatcher = opened.dispatcher();
    await dispatcher.drain();
    await opened.replay(hook.id);
    await opened.record(hook.id);
    await dispatcher.drain();
    expect(hook.received).toHaveLength(3);
    expect(await metered()).toEqual(['2030-01: 1']);
  });

  it('counts a delivery of two dispatchers once', async () => {
    const id = await opened.subscribe('http://receiver.example/');
    await makeLink();
    const [slow] = await opened.claim([id]);
    await opened.endLeases();
    const [fast] = await opened.claim([id]);
    if (!slow || !fast) throw new Error('nothing was claimed');
    const common = {
      url: 'http://receiver.example/',
      attemptedAt: opened.clock(),
      durationMs: 1,
      responseBody: '',
      nextAttemptAt: null,
    };
    const delivered = { ...common, statusCode: 204, cause: null, error: null };
    const failed = { ...common, statusCode: 500, cause: 'status_5xx', error: 'no' } as const;
    await opened.recordOutcome({ ...delivered, delivery: fast });
    await opened.recordOutcome({ ...delivered, delivery: slow });
    await opened.recordOutcome({ ...failed, delivery: slow });
    expect(await metered()).toEqual(['2030-01: 1']);
    expect(await opened.states(id)).toEqual(['delivered 1 null']);
  });
});
