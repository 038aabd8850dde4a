import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { openDispatcher } from '../webhooks/open-dispatcher.js';

it('reads only the first deliveries of a backlog without statistics, by their index', async () => {
  const { stored, subscribe, record, clock } = await openDispatcher();
  const { database } = stored;
  const webhookId = await subscribe('https://receiver.example/');
  await record(webhookId, 2_000);
  const nodes = await database.writeDirectly(async (transaction) => {
    const { rows } = await sql<{ 'QUERY PLAN': readonly [{ Plan: Plan }] }>`
      explain (format json) select deliveries.id, body from deliveries
      join events on events.id = event_id
      where webhook_id = ${webhookId} and due_at is not null and due_at <= ${clock()}
      order by due_at limit 16`.execute(transaction);
    return rows.flatMap((row) => nodesOf(row['QUERY PLAN'][0].Plan));
  }, 'deliveries');
  expect(nodes).toEqual(['Limit', 'Nested Loop', 'Index Scan', 'Index Scan']);
});

interface Plan {
  readonly 'Node Type': string;
  readonly Plans?: readonly Plan[];
}

function nodesOf({ 'Node Type': node, Plans: children = [] }: Plan): string[] {
  return [node, ...children.flatMap(nodesOf)];
}
