import { type Kysely, sql } from 'kysely';
import type { Engine, Schema } from '../database.js';
import { dialects } from './dialects.js';

/** Adds replays of many deliveries. */
export async function webhookReplays(db: Kysely<Schema>, engine: Engine): Promise<void> {
  const { text } = dialects[engine].types;
  const statements = [
    `create table webhook_replays (
      id ${text} primary key,
      organization_id ${text} not null references organizations (id),
      webhook_id ${text} not null references webhooks (id),
      state ${text} not null,
      since bigint not null,
      until bigint not null,
      status ${text} not null,
      event_types ${text},
      total bigint not null,
      processed bigint not null,
      created bigint not null,
      last_created_at bigint not null,
      last_id ${text} not null,
      created_at bigint not null,
      finished_at bigint
    )`,
    'create index webhook_replays_by_webhook on webhook_replays (webhook_id, created_at, id)',
    `create unique index webhook_replays_running on webhook_replays (organization_id, webhook_id)
      where state = 'running'`,
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
