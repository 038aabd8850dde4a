import { CompiledQuery, type KyselyPlugin, sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { RowDeletion } from '../../src/deletion/delete-rows.js';
import { eraseEvents } from '../../src/deletion/erase-events.js';
import { eraseLink } from '../../src/deletion/erase-links.js';
import type { Database } from '../../src/storage/database.js';
import { now, openRepository } from '../storage/temporary-database.js';

interface Plan {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly Plans?: readonly Plan[];
}

it('the events of an erased link are found by indexes of deliveries', async () => {
  const stored = await openRepository();
  onTestFinished(() => stored.close());
  const { database } = stored;
  const link = { urlId: 7, organizationId: await stored.addOrganization('enterprise') };
  await database.writeDirectly(async (transaction) => {
    await sql`insert into webhooks
        (id, organization_id, url, events, secret, is_active, created_at, updated_at)
      values ('webhook', ${link.organizationId}, 'https://receiver.example/', '["*"]', '', 1, 0, 0)`.execute(
      transaction,
    );
    await sql`insert into events (id, organization_id, type, body, created_at, url_id)
      select 'event-' || n, ${link.organizationId}, 'url.updated', '{}', 0, n
      from generate_series(1, 5000) as n`.execute(transaction);
    await sql`insert into deliveries
        (id, webhook_id, event_id, status, attempts, created_at, event_type, url_id)
      select id, 'webhook', id, 'delivered', 1, 0, type, url_id from events`.execute(transaction);
  });
  const statements: CompiledQuery[] = [];
  const recorder: KyselyPlugin = {
    transformQuery({ node, queryId }) {
      statements.push(database.read.getExecutor().compileQuery(node, queryId));
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  const observed = { ...database, read: database.read.withPlugin(recorder) };
  await eraseEvents(
    observed,
    link,
    new RowDeletion(observed, link.organizationId, link, undefined),
  );
  const plans = await database.writeDirectly(async (transaction) => {
    // The tables are small.
    await sql`set local enable_seqscan = off`.execute(transaction);
    const found: Plan[] = [];
    for (const { sql: text, parameters } of statements) {
      const { rows } = await transaction.executeQuery<{ 'QUERY PLAN': readonly [{ Plan: Plan }] }>(
        CompiledQuery.raw(`explain (format json) ${text}`, [...parameters]),
      );
      found.push(...rows.map((row) => row['QUERY PLAN'][0].Plan));
    }
    return found.flatMap(nodesOf);
  });
  expect(plans.map((node) => node['Node Type'])).not.toContain('Seq Scan');
  expect(new Set(plans.flatMap((node) => node['Index Name'] ?? []))).toEqual(
    new Set([
      'deliveries_by_event',
      'deliveries_by_type',
      'deliveries_by_url',
      'delivery_attempts_primary',
      'events_to_fan_out',
      'click_queues_pkey',
      'webhooks_by_owner',
    ]),
  );
  const left = await sql`select id from events where url_id = 7`.execute(database.read);
  expect(left.rows).toEqual([]);
});

it('an erased link takes the locks of all organizations as often with many events as with few', async () => {
  const stored = await openRepository();
  onTestFinished(() => stored.close());
  const { database } = stored;
  const locksOf = async (events: number) => {
    const organizationId = await stored.addOrganization('enterprise');
    const [created] = await stored.create(organizationId, [{}]);
    if (created?.status !== 'created') throw new Error('the link was not created');
    const webhookId = await stored.subscribe(organizationId, ['*']);
    await database.writeDirectly(async (transaction) => {
      const prefix = `${organizationId}-`;
      await sql`insert into events (id, organization_id, type, body, created_at, url_id)
        select ${prefix} || n, ${organizationId}, 'url.updated', '{}', 0, ${created.id}
        from generate_series(1, ${events}::int) as n`.execute(transaction);
      await sql`insert into deliveries
          (id, webhook_id, event_id, status, attempts, created_at, event_type, url_id)
        select id, ${webhookId}, id, 'delivered', 1, 0, type, url_id
        from events where organization_id = ${organizationId}`.execute(transaction);
      await sql`insert into audit_log
          (created_at, id, organization_id, actor_type, operation, resource_type, resource_id,
            item_count, fields)
        select 0, ${prefix} || n, ${organizationId}, 'client', 'updateUrl', 'url',
          ${String(created.id)}, 1, 'title'
        from generate_series(1, ${events}::int) as n`.execute(transaction);
    });
    const locks: unknown[] = [];
    const observed: Database = {
      ...database,
      writeDirectly(work, lock = 'records') {
        if (typeof lock === 'string') locks.push(lock);
        return database.writeDirectly(work, lock);
      },
    };
    await eraseLink(observed, () => now, { urlId: created.id, organizationId });
    const left = await sql`select id from deliveries where url_id = ${created.id}`.execute(
      database.read,
    );
    expect(left.rows).toEqual([]);
    return locks;
  };
  expect(await locksOf(60)).toEqual(await locksOf(1));
});

function nodesOf(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}
