import { describe, expect, it } from 'vitest';
import { bulkInsert } from '../../src/storage/statements.js';
import { findFailed } from '../../src/webhooks/delivery-repository.js';
import { maxRecovered } from '../../src/webhooks/webhook-contract.js';
import { type Opened, openDispatcher } from './open-dispatcher.js';

/** Ends deliveries without an attempt. */
async function setStatus({ stored }: Opened, webhookId: string, status: string): Promise<void> {
  await stored.database.writeDirectly((transaction) =>
    transaction
      .updateTable('deliveries')
      .set({ status, due_at: null })
      .where('webhook_id', '=', webhookId)
      .where('status', '=', 'pending')
      .execute(),
  );
}

/** Stores failed deliveries. */
async function fail(opened: Opened, webhookId: string, count: number): Promise<void> {
  const { stored, organizationId, clock } = opened;
  const ids = Array.from({ length: count }, (_, at) => String(at));
  const created_at = clock();
  await stored.database.writeDirectly(async (transaction) => {
    const event = { organization_id: organizationId, type: 'url.created', body: '{}', created_at };
    const events = ids.map((id) => ({ id, ...event }));
    await bulkInsert(transaction, 'events', events);
    const delivery = { webhook_id: webhookId, status: 'failed', attempts: 1, created_at };
    const deliveries = ids.map((id) => ({
      id,
      event_id: id,
      event_type: 'url.created',
      ...delivery,
    }));
    await bulkInsert(transaction, 'deliveries', deliveries);
  });
  clock.advance(1);
}

const since = new Date(0).toISOString();
const recover = async (
  { deliveries, organizationId, clock, stored }: Opened,
  id: string,
  range: object = {},
) => {
  const context = { organizationId, now: clock(), write: undefined };
  const failed = await findFailed(stored.database, id, { since, ...range });
  return (await deliveries.recover(id, failed, context)).result;
};

describe('a recovery', () => {
  it('delivers at most 1,000 failed events again, each once, and says whether more remain', async () => {
    const opened = await openDispatcher();
    const id = await opened.subscribe('https://receiver.example/');
    await fail(opened, id, maxRecovered + 1);
    expect(await recover(opened, id)).toEqual({ created: maxRecovered, hasMore: true });
    expect(await recover(opened, id)).toEqual({ created: 1, hasMore: false });
    expect(await recover(opened, id)).toEqual({ created: 0, hasMore: false });
    const rows = await opened.stored.database.read
      .selectFrom('deliveries')
      .select(['event_id', 'is_charged'])
      .where('status', '=', 'pending')
      .execute();
    expect(new Set(rows.map(({ event_id }) => event_id)).size).toBe(maxRecovered + 1);
    expect(rows).toHaveLength(maxRecovered + 1);
  });

  it('does not deliver an event that is pending, or was delivered since', async () => {
    const opened = await openDispatcher();
    const hook = await opened.hook();
    await opened.record(hook.id, 2);
    await setStatus(opened, hook.id, 'failed');
    opened.clock.advance(1);
    const until = new Date(opened.clock()).toISOString();
    await opened.record(hook.id, 1);
    await setStatus(opened, hook.id, 'failed');
    opened.clock.advance(1);
    expect((await recover(opened, hook.id, { until })).created).toBe(2);
    expect((await recover(opened, hook.id, { eventType: 'qr.created' })).created).toBe(0);
    await opened.dispatcher().drain();
    expect(hook.received).toHaveLength(2);
    expect((await recover(opened, hook.id)).created).toBe(1);
  });

  it('is not doubled by one at the same time', async () => {
    const opened = await openDispatcher();
    const id = await opened.subscribe('https://receiver.example/');
    await opened.record(id, 300);
    await setStatus(opened, id, 'failed');
    opened.clock.advance(1);
    const both = await Promise.all([recover(opened, id), recover(opened, id)]);
    expect(both.map(({ created }) => created).sort()).toEqual([0, 300]);
  });
});
