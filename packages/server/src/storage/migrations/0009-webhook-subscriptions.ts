import { type Kysely, sql } from 'kysely';
import type { Engine, Schema } from '../database.js';
import { dialects } from './dialects.js';

/** Adds descriptions, filters and headers of webhooks, and what each event is about. */
export async function webhookSubscriptions(db: Kysely<Schema>, engine: Engine): Promise<void> {
  const { text } = dialects[engine].types;
  const columns = {
    webhooks: [
      `description ${text}`,
      `filters ${text}`,
      `headers ${text}`,
      'unsubscribed_at bigint',
    ],
    events: ['url_id bigint', `domain_id ${text}`, `tags ${text}`],
  };
  for (const [table, definitions] of Object.entries(columns)) {
    for (const definition of definitions) {
      await sql.raw(`alter table ${table} add column ${definition}`).execute(db);
    }
  }
  await sql`create index webhooks_unsubscribed on webhooks (id)
    where unsubscribed_at is not null`.execute(db);
}
