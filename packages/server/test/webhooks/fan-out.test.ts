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

async function eventCount(): Promise<number> {
  return (await opened.stored.database.read.selectFrom('events').select('id').execute()).length;
}

describe('a change with many deliveries', () => {
  it('writes its events and all their deliveries, each once', async () => {
    const webhooks = await subscribeMany(50);
    await createLinks(100);
    expect(await eventCount()).toBe(100);
    expect(await countDeliveries()).toBe(5_000);
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
    await opened.change(paused, { isActive: false });
    await subscribeMany(1);
    const rows = await opened.stored.database.read
      .selectFrom('deliveries')
      .select('webhook_id')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .groupBy('webhook_id')
      .execute();
    const counts = Object.fromEntries(rows.map((row) => [row.webhook_id, Number(row.count)]));
    expect(counts).toEqual(Object.fromEntries([paused, ...others].map((id) => [id, 50])));
  });
});

it('events without a webhook are written, and a later webhook does not get them', async () => {
  await createLinks(3);
  expect(await eventCount()).toBe(3);
  const [id] = await subscribeMany(1);
  await createLinks(1);
  const rows = await opened.stored.database.read
    .selectFrom('deliveries')
    .innerJoin('events', 'events.id', 'event_id')
    .select(['webhook_id', 'sequence'])
    .execute();
  expect(rows).toEqual([{ webhook_id: id, sequence: 4 }]);
});
