import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { visitShards } from '../../src/storage/migrations/0042-visit-shards.js';
import { storedVisits } from '../analytics/stored-visits.js';
import { makeVisit, openVisitStore, start } from '../analytics/visit-store.js';

it('the migration retains a running compaction, and the batches that are to be copied for webhooks', async () => {
  const stored = await openVisitStore();
  onTestFinished(() => stored.close());
  const { database, store, create, addOrganization } = stored;
  const outcomes = await create(await addOrganization('scale'), [{}, {}]);
  const urlIds = outcomes.map((each) => (each.status === 'created' ? each.id : 0));
  for (const visitedAt of [start, start + 1, start + 2]) {
    await store(urlIds.map((urlId) => makeVisit({ urlId, visitedAt })));
  }
  const before = await storedVisits(database);
  const batches = () =>
    database.read.selectFrom('visit_batches').select(['id', 'shard', 'to_copy']).execute();
  const ids = (await batches()).map(({ id }) => id).sort((a, b) => a - b);
  expect(ids).toHaveLength(3);
  await database.writeDirectly(async (transaction) => {
    for (const statement of [
      'drop index visit_batches_to_copy',
      'alter table visit_batches drop column shard',
      'alter table visit_batches drop column to_copy',
      'drop table deferred_visits',
      'drop table visit_compactions',
      `create table visit_compactions (up_to_batch bigint not null, next_url bigint not null,
        next_organization text not null default '', next_visit bigint not null default 0)`,
      `insert into visit_compactions (up_to_batch, next_url) values (${ids[1]}, 0)`,
      'drop table click_feed',
      'create table click_feed (up_to_batch bigint not null)',
      `insert into click_feed values (${ids[0]})`,
    ]) {
      await sql.raw(statement).execute(transaction);
    }
  });
  await database.writeDirectly((transaction) => visitShards(transaction, database.engine));
  expect((await batches()).sort((a, b) => a.id - b.id)).toEqual([
    { id: ids[0], shard: 0, to_copy: 0 },
    { id: ids[1], shard: 0, to_copy: 1 },
    { id: ids[2], shard: 0, to_copy: 1 },
  ]);
  const [compaction] = await database.read.selectFrom('visit_compactions').selectAll().execute();
  expect(JSON.parse(compaction?.batch_ids ?? '')).toEqual(ids.slice(0, 2));
  await stored.compact();
  // The last batch is still to be copied.
  expect((await batches()).map(({ id }) => id)).toEqual([ids[2]]);
  const byTime = (visits: typeof before) => visits.map((visit) => JSON.stringify(visit)).sort();
  expect(byTime(await storedVisits(database))).toEqual(byTime(before));
});
