import { type Kysely, sql } from 'kysely';
import type { Engine, Schema } from '../database.js';
import { dialects } from './dialects.js';

/** Lets the operator allow hosts, too. The blocked ones stay blocked. */
export async function hostRules(db: Kysely<Schema>, engine: Engine): Promise<void> {
  const { text } = dialects[engine].types;
  const statements = [
    'drop index blocked_hosts_by_age',
    'alter table blocked_hosts rename to host_rules',
    `alter table host_rules add column rule ${text} not null default 'block'`,
    'create index host_rules_by_age on host_rules (created_at, id)',
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
