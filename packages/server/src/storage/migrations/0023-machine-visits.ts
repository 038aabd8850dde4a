import { type Kysely, sql } from 'kysely';
import type { Schema } from '../database.js';

/** Adds the time of the earliest visit of each chunk that does not count, by which these are pruned. */
export async function machineVisits(db: Kysely<Schema>): Promise<void> {
  for (const [table, owner] of [
    ['visit_chunks', 'url_id'],
    ['organization_chunks', 'organization_id'],
  ]) {
    const column = 'add column machines_from bigint not null default 0';
    await sql.raw(`alter table ${table} ${column}`).execute(db);
    // All chunks of an earlier version have the instant 0, so the key continues a list among them. The
    // instant of the condition is `noMachines`.
    await sql
      .raw(
        `create index ${table}_with_machines on ${table} (machines_from, ${owner}, number)
          where machines_from < 8640000000000000`,
      )
      .execute(db);
  }
}
