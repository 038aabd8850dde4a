import type { ServerResponse } from 'node:http';
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { poll } from '../poll.js';
import { openDispatcher } from '../webhooks/open-dispatcher.js';
import { receiver } from '../webhooks/receiver.js';

it('delivers while a transaction of failing endpoints waits for a lock', async () => {
  const { stored, subscribe, record, dispatcher, errors } = await openDispatcher();
  const { database } = stored;
  const healthy = await receiver();
  const hung: ServerResponse[] = [];
  const failing = await receiver((response) => hung.push(response));
  const [healthyId, failingId] = [await subscribe(healthy.url), await subscribe(failing.url)];
  const sender = dispatcher();
  await record(healthyId);
  await sender.drain();
  await record(failingId);
  sender.start();
  await failing.arrived(1);
  const releases: (() => void)[] = [];
  const released = new Promise<void>((resolve) => releases.push(resolve));
  const holding = database.writeDirectly(async (transaction) => {
    await sql`select from webhooks where id = ${failingId} for no key update`.execute(transaction);
    for (const { socket } of hung) socket?.destroy();
    await released;
  }, 'rows');
  onTestFinished(async () => {
    for (const release of releases) release();
    await holding;
  });
  await poll(
    'the outcome that waits for the lock',
    () =>
      sql`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(database.read),
    ({ rows }) => rows.length > 0,
  );
  await record(healthyId);
  sender.wake([healthyId]);
  await healthy.arrived(2);
  // The time limit of the lock has not ended the other transaction.
  expect(errors).toEqual([]);
});
