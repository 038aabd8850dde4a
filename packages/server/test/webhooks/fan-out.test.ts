import { beforeEach, describe, expect, it } from 'vitest';
import { type Opened, openDispatcher } from './open-dispatcher.js';

let opened: Opened;
beforeEach(async () => {
  opened = await openDispatcher();
});

async function subscribeMany(count: number, owner = opened.organizationId): Promise<string[]> {
  const ids: string[] = [];
  for (let made = 0; made < count; made += 1) {
    ids.push(await opened.stored.subscribe(owner, ['url.created', 'url.click_threshold']));
  }
  return ids;
}

const createLinks = (count: number, owner = opened.organizationId) =>
  opened.stored.create(owner, Array<object>(count).fill({}));

/** Returns the number of deliveries of an organization. */
async function countDeliveries(owner = opened.organizationId): Promise<number> {
  const { count } = await opened.stored.database.read
    .selectFrom('deliveries')
    .innerJoin('events', 'events.id', 'event_id')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('organization_id', '=', owner)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Fans out all events. Returns the number of deliveries after each transaction. */
async function fanOutAll(outbox = opened.outbox): Promise<number[]> {
  const counts: number[] = [];
  while (await outbox.fanOut()) counts.push(await countDeliveries());
  return counts;
}

async function eventCount(): Promise<number> {
  return (await opened.stored.database.read.selectFrom('events').select('id').execute()).length;
}

describe('a change with many deliveries', () => {
  it('writes its events and the first deliveries, and each is written once, at most 305 at a time', async () => {
    const webhooks = await subscribeMany(50);
    await createLinks(100);
    expect(await eventCount()).toBe(100);
    expect(await countDeliveries()).toBe(300);
    const counts = [300, ...(await fanOutAll())];
    expect(counts.at(-1)).toBe(5_000);
    const steps = counts.map((count, at) => count - (counts[at - 1] ?? 0));
    expect(Math.max(...steps)).toBeLessThanOrEqual(305);
    const rows = await opened.stored.database.read
      .selectFrom('deliveries')
      .innerJoin('events', 'events.id', 'event_id')
      .select(['event_id', 'webhook_id', 'status', 'attempts', 'is_charged', 'due_at'])
      .select(['deliveries.created_at', 'events.created_at as event_created_at'])
      .execute();
    expect(new Set(rows.map((row) => `${row.event_id} ${row.webhook_id}`)).size).toBe(5_000);
    expect(new Set(rows.map((row) => row.webhook_id))).toEqual(new Set(webhooks));
    for (const { created_at, event_created_at, due_at, status, attempts, is_charged } of rows) {
      expect([created_at, due_at]).toEqual([event_created_at, event_created_at]);
      expect([status, attempts, is_charged]).toEqual(['pending', 0, 1]);
    }
  });

  it('reaches the webhooks that were active when it happened, and no later ones', async () => {
    const [paused = '', ...others] = await subscribeMany(6);
    await createLinks(50);
    // As the handlers do before a change of webhooks.
    await opened.outbox.finishFanOut(opened.organizationId);
    await opened.change(paused, { isActive: false });
    await subscribeMany(1);
    await fanOutAll();
    const rows = await opened.stored.database.read
      .selectFrom('deliveries')
      .select('webhook_id')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .groupBy('webhook_id')
      .execute();
    const counts = Object.fromEntries(rows.map((row) => [row.webhook_id, Number(row.count)]));
    expect(counts).toEqual(Object.fromEntries([paused, ...others].map((id) => [id, 50])));
  });

  it('does not delay the events of another organization until its own are done', async () => {
    await subscribeMany(50);
    await createLinks(100);
    const other = await opened.stored.addOrganization('scale');
    await subscribeMany(10, other);
    await createLinks(30, other);
    await opened.outbox.fanOut();
    await opened.outbox.fanOut();
    expect(await countDeliveries(other)).toBeGreaterThan(0);
    expect(await countDeliveries()).toBeGreaterThan(0);
  });
});

it('events without a webhook are written, and a later webhook does not get them', async () => {
  await createLinks(3);
  expect(await eventCount()).toBe(3);
  const [id] = await subscribeMany(1);
  await createLinks(1);
  expect(await opened.outbox.fanOut()).toBe(false);
  const rows = await opened.stored.database.read
    .selectFrom('deliveries')
    .innerJoin('events', 'events.id', 'event_id')
    .select(['webhook_id', 'sequence'])
    .execute();
  expect(rows).toEqual([{ webhook_id: id, sequence: 4 }]);
});
