import type { ServerResponse } from 'node:http';
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { preferIndexes } from '../../src/webhooks/delivery-queue.js';
import { poll } from '../poll.js';
import { openDispatcher } from '../webhooks/open-dispatcher.js';
import { receiver } from '../webhooks/receiver.js';

it('reads only the first deliveries of a backlog without statistics, by their index', async () => {
  const { stored, subscribe, record, clock } = await openDispatcher();
  const { database } = stored;
  const webhookId = await subscribe('https://receiver.example/');
  await record(webhookId);
  await database.writeDirectly((transaction) =>
    sql`insert into deliveries
        (id, webhook_id, event_id, status, attempts, next_attempt_at, due_at, created_at)
      select 'delivery-' || n, webhook_id, event_id, status, attempts, next_attempt_at, due_at,
        created_at
      from deliveries cross join generate_series(1, 20000) as n`.execute(transaction),
  );
  const nodes = await database.writeDirectly(async (transaction) => {
    await preferIndexes(database, transaction);
    const { rows } = await sql<{ 'QUERY PLAN': readonly [{ Plan: Plan }] }>`
      explain (format json) select deliveries.id, body from deliveries
      join events on events.id = event_id
      where webhook_id = ${webhookId} and due_at is not null and due_at <= ${clock()}
      order by due_at limit 16`.execute(transaction);
    return rows.flatMap((row) => nodesOf(row['QUERY PLAN'][0].Plan));
  }, 'rows');
  expect(nodes).toContain('Index Scan');
  expect(nodes.filter((node) => /Sort|Seq|Bitmap|Hash/.test(node))).toEqual([]);
});

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

interface Plan {
  readonly 'Node Type': string;
  readonly Plans?: readonly Plan[];
}

function nodesOf({ 'Node Type': node, Plans: children = [] }: Plan): string[] {
  return [node, ...children.flatMap(nodesOf)];
}
