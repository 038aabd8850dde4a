import { type Kysely, sql } from 'kysely';
import type { Engine, Schema } from '../database.js';

/** Prepares the tables for write transactions that run concurrently. */
export async function concurrentWrites(db: Kysely<Schema>, engine: Engine): Promise<void> {
  // Always true, so the table has at most one row.
  await sql`create unique index click_feed_row on click_feed ((up_to_batch is not null))`.execute(
    db,
  );
  if (engine === 'sqlite') return;
  await sql`alter table cache_changes
    add column transaction_id xid8 not null default pg_current_xact_id()`.execute(db);
  await sql`create index cache_changes_by_transaction on cache_changes (transaction_id)`.execute(
    db,
  );
}
