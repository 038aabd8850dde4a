import { type Kysely, sql } from 'kysely';
import type { Engine, Schema } from '../database.js';
import { dialects } from './dialects.js';

/**
 * Divides stored visits into shards, which several nodes compact at once. The stored batches are those
 * of shard 0, which has visits of any organizations.
 */
export async function visitShards(db: Kysely<Schema>, engine: Engine): Promise<void> {
  const { text, rowId } = dialects[engine].types;
  const [compaction] = await read<{ up_to_batch: number; next_url: number }>(
    db,
    'select * from visit_compactions',
  );
  const batches = await read<{ id: number }>(db, 'select id from visit_batches order by id');
  const [feed] = await read<{ up_to_batch: number }>(db, 'select * from click_feed');
  const statements = [
    'alter table visit_batches add column shard integer not null default 0',
    'alter table visit_batches add column to_copy integer not null default 0',
    // Nodes that store visits at the same time commit batches in any order, so positions and ranges of
    // ids are replaced by lists of ids and by marks.
    'create index visit_batches_to_copy on visit_batches (id) where to_copy = 1',
    'drop table visit_compactions',
    `create table visit_compactions (
      shard ${rowId} primary key,
      batch_ids ${text} not null,
      next_url bigint not null,
      next_organization ${text} not null,
      next_visit bigint not null
    )`,
    'drop table click_feed',
    `create table click_feed (id ${rowId} primary key)`,
    `create table deferred_visits (
      id ${text} primary key,
      writer_id ${text} not null,
      organization_id ${text} not null,
      created_at bigint not null,
      lines ${text} not null
    )`,
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
  if (feed) {
    await sql`update visit_batches set to_copy = 1 where id > ${feed.up_to_batch}`.execute(db);
    await sql`insert into click_feed (id) values (1)`.execute(db);
  }
  if (!compaction) return;
  const { up_to_batch: upToBatch, ...progress } = compaction;
  const ids = batches.map(({ id }) => Number(id)).filter((id) => id <= upToBatch);
  const row = { shard: 0, batch_ids: JSON.stringify(ids), ...progress };
  await db
    .insertInto('visit_compactions')
    .values(row as unknown as Schema['visit_compactions'])
    .execute();
}

async function read<Row>(db: Kysely<Schema>, statement: string): Promise<readonly Row[]> {
  return (await sql.raw<Row>(statement).execute(db)).rows;
}
