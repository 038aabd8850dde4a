import { describe, expect, it } from 'vitest';
import type { NewReplay } from '../../src/webhooks/replay-repository.js';
import { ReplayConflictError } from '../../src/webhooks/replay-repository.js';
import { maxDue, ReplayRunner } from '../../src/webhooks/replay-runner.js';
import type { Opened } from './open-dispatcher.js';
import { eventsOf, openReplays, recoverOutage } from './open-replays.js';

describe('a replay', () => {
  it('recovers the failed deliveries of an outage of an hour: each event once', () =>
    recoverOutage(1_000));

  it('waits while the webhook has many due deliveries, and continues after a crash', async () => {
    const opened = await openReplays();
    const { stored, subscribe, record, replays, start, newRunner, clock } = opened;
    const webhookId = await subscribe('https://receiver.example/');
    await record(webhookId, maxDue + 500);
    await setStatus(opened, webhookId, 'failed');
    clock.advance(1);
    const id = await start(webhookId);
    await newRunner().tick();
    const waiting = await replays.find(webhookId, id);
    expect(waiting?.state).toBe('running');
    expect(waiting?.created).toBeGreaterThanOrEqual(maxDue);
    expect(waiting?.created).toBeLessThan(maxDue + 128);
    expect(await newRunner().tick()).toBe(0);
    // A transaction that fails leaves neither deliveries nor a position.
    await setStatus(opened, webhookId, 'delivered', 'pending');
    const failing = new ReplayRunner({
      database: stored.database,
      clock,
      outbox: {
        async deliverAgain(...args) {
          await opened.outbox.deliverAgain(...args);
          throw new Error('killed');
        },
      },
    });
    await expect(failing.tick()).rejects.toThrow('killed');
    expect(await replays.find(webhookId, id)).toEqual(waiting);
    await newRunner().tick();
    expect(await replays.find(webhookId, id)).toMatchObject({
      state: 'completed',
      created: maxDue + 500,
    });
    const events = (await eventsOf(opened, webhookId)).map(({ event_id }) => event_id);
    expect(events).toHaveLength(2 * (maxDue + 500));
    expect(new Set(events).size).toBe(maxDue + 500);
  });

  it('delivers each event once, and not if it is pending or was delivered since', async () => {
    const opened = await openReplays();
    const { stored, outbox, subscribe, record, replays, start, newRunner, clock } = opened;
    const webhookId = await subscribe('https://receiver.example/');
    await record(webhookId, 3);
    await setStatus(opened, webhookId, 'failed');
    const first = await eventsOf(opened, webhookId);
    const again = async (at: number, status: string) => {
      clock.advance(1);
      const event_id = first[at]?.event_id ?? '';
      const events = [{ event_id, event_type: 'url.created', url_id: null }];
      await stored.database.writeDirectly((transaction) =>
        outbox.deliverAgain(transaction, events, webhookId, clock()),
      );
      await setStatus(opened, webhookId, status, 'pending');
    };
    await again(0, 'failed');
    await again(1, 'delivered');
    clock.advance(1);
    const until = clock();
    const run = async (more: Partial<NewReplay>) => {
      const id = await start(webhookId, { until, ...more });
      await newRunner().tick();
      const { processed, created } = (await replays.find(webhookId, id)) ?? {};
      const fresh = (await eventsOf(opened, webhookId)).filter(
        ({ status }) => status === 'pending',
      );
      return { processed, created, events: fresh.map(({ event_id }) => event_id) };
    };
    const eventIds = first.map(({ event_id }) => event_id);
    expect(await run({ eventTypes: ['qr.created'] })).toMatchObject({ processed: 0, created: 0 });
    expect(await run({ since: until - 2, eventTypes: ['url.created'] })).toMatchObject({
      processed: 1,
      created: 1,
      events: [eventIds[0]],
    });
    expect(await run({})).toMatchObject({
      processed: 4,
      created: 1,
      events: [eventIds[0], eventIds[2]],
    });
    expect(await run({ status: 'all' })).toMatchObject({ processed: 5, created: 1 });
    expect(await run({ status: 'all' })).toMatchObject({ processed: 5, created: 0 });
  });

  it('takes turns with those of other organizations, and stops when the webhook is deleted', async () => {
    const opened = await openReplays();
    const { stored, subscribe, record, replays, start, webhooks, clock, organizationId } = opened;
    const large = await subscribe('https://receiver.example/');
    await record(large, 600);
    const other = await stored.addOrganization('scale');
    const small = await subscribe('https://receiver.example/', other);
    await record(small, 1);
    for (const id of [large, small]) await setStatus(opened, id, 'failed');
    clock.advance(1);
    const largeId = await start(large);
    const smallId = await start(small, {}, other);
    await expect(start(large)).rejects.toThrow(ReplayConflictError);
    const order: string[] = [];
    const runner = new ReplayRunner({
      database: stored.database,
      clock,
      outbox: {
        deliverAgain(transaction, events, webhookId, now) {
          order.push(webhookId);
          return opened.outbox.deliverAgain(transaction, events, webhookId, now);
        },
      },
    });
    await runner.tick();
    expect(order.indexOf(small)).toBeLessThan(2);
    expect(await replays.find(small, smallId)).toMatchObject({ state: 'completed', created: 1 });
    expect(await replays.find(large, largeId)).toMatchObject({ state: 'completed', created: 600 });
    const deleted = await start(large, { since: 1 });
    await webhooks.delete(organizationId, large, { now: clock(), write: undefined });
    await runner.tick();
    expect(await replays.find(large, deleted)).toMatchObject({ state: 'cancelled' });
  });

  it('can be cancelled', async () => {
    const { subscribe, replays, start, newRunner, organizationId, clock } = await openReplays();
    const webhookId = await subscribe('https://receiver.example/');
    const id = await start(webhookId);
    const cancel = () => replays.cancel(organizationId, webhookId, id, clock(), undefined);
    expect((await cancel()).result).toMatchObject({ state: 'cancelled', finishedAt: clock() });
    expect(await newRunner().tick()).toBe(0);
    clock.advance(1);
    expect((await cancel()).result).toMatchObject({ finishedAt: clock() - 1 });
    await start(webhookId);
  });
});

/** Ends deliveries without an attempt. */
async function setStatus(
  { stored }: Opened,
  webhookId: string,
  status: string,
  before = 'pending',
): Promise<void> {
  await stored.database.writeDirectly((transaction) =>
    transaction
      .updateTable('deliveries')
      .set({ status, due_at: null, next_attempt_at: null })
      .where('webhook_id', '=', webhookId)
      .where('status', '=', before)
      .execute(),
  );
}
