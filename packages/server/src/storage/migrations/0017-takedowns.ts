import { type Kysely, sql } from 'kysely';
import type { Engine, Schema } from '../database.js';
import { dialects } from './dialects.js';

/** Adds links that the operator took down, and blocked hosts. */
export async function takedowns(db: Kysely<Schema>, engine: Engine): Promise<void> {
  const { text, rowId } = dialects[engine].types;
  const statements = [
    `create table takedowns (
      id ${rowId} primary key references urls (id),
      reason ${text} not null,
      created_at bigint not null
    )`,
    'create index takedowns_by_age on takedowns (created_at, id)',
    `create table blocked_hosts (
      id ${text} primary key,
      reason ${text} not null,
      created_at bigint not null
    )`,
    'create index blocked_hosts_by_age on blocked_hosts (created_at, id)',
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
