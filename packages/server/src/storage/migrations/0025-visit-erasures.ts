import { type Kysely, sql } from 'kysely';
import type { Schema } from '../database.js';

/** Adds the erasure of a link's visits, and the counts that thresholds were sent for before. */
export async function visitErasures(db: Kysely<Schema>): Promise<void> {
  const statements = [
    'alter table url_clicks add column erased_until bigint not null default 0',
    'alter table url_clicks add column erasure_pending integer not null default 0',
    'alter table url_clicks add column peak_clicks bigint not null default 0',
    'alter table qr_counts add column peak_scans bigint not null default 0',
    // The key is an expression, so that only the ingest of visits uses this index.
    'create index url_clicks_erased on url_clicks ((url_id + 0)) where erased_until > 0',
    'create index url_clicks_to_erase on url_clicks (url_id) where erasure_pending = 1',
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
