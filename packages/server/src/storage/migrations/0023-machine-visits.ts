import { type Kysely, sql } from 'kysely';
import type { Schema } from '../database.js';

/** Adds the time of the earliest visit of each chunk that does not count, by which these are pruned. */
export async function machineVisits(db: Kysely<Schema>): Promise<void> {
  for (const table of ['visit_chunks', 'organization_chunks']) {
    const column = 'add column machines_from bigint not null default 0';
    await sql.raw(`alter table ${table} ${column}`).execute(db);
    // The instant is `noMachines`.
    await sql
      .raw(
        `create index ${table}_with_machines on ${table} (machines_from)
          where machines_from < 8640000000000000`,
      )
      .execute(db);
  }
}
