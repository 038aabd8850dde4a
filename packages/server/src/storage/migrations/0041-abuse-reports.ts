import { type Kysely, sql } from 'kysely';
import type { Engine, Schema } from '../database.js';
import { dialects } from './dialects.js';

/** Adds the reports of links by visitors. */
export async function abuseReports(db: Kysely<Schema>, engine: Engine): Promise<void> {
  const { text } = dialects[engine].types;
  const statements = [
    `create table abuse_reports (
      id ${text} primary key,
      short_url ${text} not null,
      domain_key ${text} not null,
      key ${text} not null,
      reason ${text} not null,
      comment ${text},
      email ${text},
      reporter ${text} not null,
      created_at bigint not null,
      resolved_at bigint,
      resolution ${text}
    )`,
    'create index abuse_reports_by_age on abuse_reports (created_at, id)',
    // One address cannot fill the queue with reports of one link.
    `create unique index abuse_reports_open on abuse_reports (domain_key, key, reporter)
      where resolved_at is null`,
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
