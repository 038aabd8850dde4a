import { type Kysely, sql } from 'kysely';
import type { Engine, Schema } from '../database.js';
import { dialects } from './dialects.js';

/** Adds what operators administrate: suspensions, and the names and the expiry of clients. */
export async function administration(db: Kysely<Schema>, engine: Engine): Promise<void> {
  const { text } = dialects[engine].types;
  const statements = [
    'alter table organizations add column suspended_at bigint',
    `alter table clients add column name ${text}`,
    'alter table clients add column expires_at bigint',
    'create index organizations_by_age on organizations (created_at, id)',
    'create index clients_by_organization on clients (organization_id, created_at, id)',
    'create table link_policy (version bigint not null)',
    'insert into link_policy (version) values (0)',
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
