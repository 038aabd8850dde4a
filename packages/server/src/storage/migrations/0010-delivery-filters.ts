import { type Kysely, sql } from 'kysely';
import type { Engine, Schema } from '../database.js';
import { dialects } from './dialects.js';

/** Stores the event type and the link of each delivery, by which lists find deliveries. */
export async function deliveryFilters(db: Kysely<Schema>, engine: Engine): Promise<void> {
  const statements = [
    `alter table deliveries add column event_type ${dialects[engine].types.text} not null default ''`,
    'alter table deliveries add column url_id bigint',
    `update deliveries set event_type = events.type, url_id = coalesce(events.url_id, ${urlIdOf[engine]})
      from events where events.id = deliveries.event_id`,
    'create index deliveries_by_type on deliveries (webhook_id, event_type, created_at, id)',
    `create index deliveries_by_url on deliveries (webhook_id, url_id, created_at, id)
      where url_id is not null`,
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}

/** The link of an event that was written before `events.url_id` existed. */
const urlIdOf = {
  sqlite: `nullif(cast(json_extract(events.body,
    case when events.type like 'url.%' then '$.data.id' else '$.data.urlId' end) as integer), 0)`,
  postgres: `nullif(substring(events.body::json #>>
    case when events.type like 'url.%' then '{data,id}' else '{data,urlId}' end::text[]
    from '^[0-9]{1,15}$'), '0')::bigint`,
};
