import { type Kysely, sql } from 'kysely';
import type { Engine, Schema } from '../database.js';
import { dialects } from './dialects.js';

/** Adds the queues of the visits that webhooks get in batches. */
export async function clickQueues(db: Kysely<Schema>, engine: Engine): Promise<void> {
  const { text } = dialects[engine].types;
  const statements = [
    'create table click_feed (up_to_batch bigint not null)',
    `create table click_queues (
      webhook_id ${text} primary key references webhooks (id),
      waiting bigint not null,
      omitted bigint not null,
      next_at bigint not null,
      last_delivery_id ${text}
    )`,
    `create table queued_clicks (
      webhook_id ${text} not null references webhooks (id),
      batch_id bigint not null,
      visit_count integer not null,
      visits ${text} not null,
      primary key (webhook_id, batch_id)
    )`,
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
