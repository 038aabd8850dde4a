import { expect } from 'vitest';
import type { NewReplay } from '../../src/webhooks/replay-repository.js';
import { ReplayRepository } from '../../src/webhooks/replay-repository.js';
import { ReplayRunner } from '../../src/webhooks/replay-runner.js';
import { type Opened, openDispatcher } from './open-dispatcher.js';
import { receiver } from './receiver.js';

const hour = 60 * 60 * 1000;
let ids = 0;

/** Opens storage for replays. */
export async function openReplays() {
  const opened = await openDispatcher();
  const { stored, outbox, clock, organizationId } = opened;
  const { database } = stored;
  const replays = new ReplayRepository(database);
  const newRunner = () => new ReplayRunner({ database, outbox, clock });
  return {
    ...opened,
    replays,
    newRunner,
    async start(webhookId: string, more: Partial<NewReplay> = {}, owner = organizationId) {
      ids += 1;
      const id = `00000000-0000-7000-9000-${String(ids).padStart(12, '0')}`;
      const range = { since: 0, until: clock(), status: 'failed', eventTypes: null } as const;
      const replay = { id, webhookId, ...range, total: 0, createdAt: clock(), ...more };
      await replays.create(owner, replay, undefined);
      return id;
    },
  };
}

/** Returns the event and the status of each delivery, oldest first. */
export const eventsOf = ({ stored }: Opened, webhookId: string) =>
  stored.database.read
    .selectFrom('deliveries')
    .select(['event_id', 'status', 'is_charged'])
    .where('webhook_id', '=', webhookId)
    .orderBy('id')
    .execute();

/**
 * Lets all deliveries fail in an outage of an hour, replays them, and expects that each event arrives
 * once.
 */
export async function recoverOutage(count: number): Promise<void> {
  let isDown = true;
  const hook = await receiver((response) => response.writeHead(isDown ? 503 : 204).end());
  const opened = await openReplays();
  const { clock, dispatcher, subscribe, record, replays, start, newRunner } = opened;
  const webhookId = await subscribe(hook.url);
  const running = dispatcher({ schedule: [10 * 60_000] });
  for (let batch = 0; batch < 10; batch += 1) {
    await record(webhookId, count / 10);
    await running.drain();
    clock.advance(hour / 10);
  }
  clock.advance(10 * 60_000);
  await running.drain();
  const failed = await eventsOf(opened, webhookId);
  expect(failed.every(({ status }) => status === 'failed')).toBe(true);
  isDown = false;
  const before = hook.received.length;
  const id = await start(webhookId, { total: count });
  // Each round is another process: nothing is in memory but the row.
  for (let rounds = 0; (await replays.find(webhookId, id))?.state === 'running'; rounds += 1) {
    expect(rounds).toBeLessThan(100);
    await newRunner().tick();
    await running.drain();
  }
  expect(await replays.find(webhookId, id)).toMatchObject({
    state: 'completed',
    total: count,
    processed: count,
    created: count,
    finishedAt: clock(),
  });
  const again = (await eventsOf(opened, webhookId)).slice(count);
  expect(again.every(({ status, is_charged }) => status === 'delivered' && !is_charged)).toBe(true);
  const received = hook.received.slice(before).map(({ event }) => event.id);
  const distinct = new Set(received);
  expect([distinct.size, received.length - distinct.size]).toEqual([count, 0]);
  expect([...distinct].sort()).toEqual(failed.map(({ event_id }) => event_id).sort());
  // A second replay finds nothing that is still failed.
  const second = await start(webhookId);
  await newRunner().tick();
  expect(await replays.find(webhookId, second)).toMatchObject({ state: 'completed', created: 0 });
}
