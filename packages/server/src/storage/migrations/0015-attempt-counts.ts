import { type Kysely, sql } from 'kysely';
import type { Engine, Schema } from '../database.js';
import { dialects } from './dialects.js';

/** Adds the hourly sums of attempts. They begin with the next attempt. */
export async function attemptCounts(db: Kysely<Schema>, engine: Engine): Promise<void> {
  const { types, clustered } = dialects[engine];
  const statement = `create table attempt_counts (
    webhook_id ${types.text} not null references webhooks (id),
    hour bigint not null,
    outcome ${types.text} not null,
    duration_ms bigint not null,
    attempts bigint not null,
    exhausted bigint not null,
    last_at bigint not null,
    constraint attempt_counts_primary primary key (webhook_id, hour, outcome, duration_ms)
  ) ${clustered}`;
  await sql.raw(statement).execute(db);
}
