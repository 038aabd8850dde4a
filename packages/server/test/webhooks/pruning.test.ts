import { beforeEach, describe, expect, it } from 'vitest';
import { deliveryRetentionMs, pruneDeliveries } from '../../src/webhooks/delivery-pruner.js';
import { type Opened, openDispatcher } from './open-dispatcher.js';

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
