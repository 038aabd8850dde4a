import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { openDispatcher } from '../webhooks/open-dispatcher.js';

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
    const { rows } = await sql<{ 'QUERY PLAN': readonly [{ Plan: Plan }] }>`
      explain (format json) select deliveries.id, body from deliveries
      join events on events.id = event_id
      where webhook_id = ${webhookId} and due_at is not null and due_at <= ${clock()}
      order by due_at limit 16`.execute(transaction);
    return rows.flatMap((row) => nodesOf(row['QUERY PLAN'][0].Plan));
  }, 'deliveries');
  expect(nodes).toContain('Index Scan');
  expect(nodes.filter((node) => /Sort|Seq|Bitmap|Hash/.test(node))).toEqual([]);
});

interface Plan {
  readonly 'Node Type': string;
  readonly Plans?: readonly Plan[];
}

function nodesOf({ 'Node Type': node, Plans: children = [] }: Plan): string[] {
  return [node, ...children.flatMap(nodesOf)];
}
