import { type Kysely, sql } from 'kysely';
import type { Engine, Schema } from '../database.js';
import { createNodeTables } from '../postgres/node-tables.js';
import { createSearchIndex } from '../postgres/search-index.js';
import { type BaselineTable, baselineTables, compositeKeys } from './baseline-tables.js';
import { dialects } from './dialects.js';

/** Creates the schema of version 0.1.0, except for SQLite's search index: 0002 creates the current one. */
export async function baseline(db: Kysely<Schema>, engine: Engine): Promise<void> {
  for (const table of Object.keys(baselineTables)) {
    await sql.raw(tableDefinition(table as BaselineTable, engine)).execute(db);
  }
  for (const statement of statements) await sql.raw(statement).execute(db);
  if (engine === 'sqlite') return;
  await createNodeTables(db);
  await createSearchIndex(db);
}

/** The tables with few columns that are read by ranges of their keys. */
const clustered: readonly BaselineTable[] = [
  'plan_changes',
  'usage_meters',
  'url_keys',
  'click_days',
  'qr_counts',
  'scan_days',
  'deliveries',
  'delivery_attempts',
];

function tableDefinition(table: BaselineTable, engine: Engine): string {
  const { chunkKey, chunkStorage, clustered: clusteredStorage } = dialects[engine];
  const types: Readonly<Record<string, string>> = dialects[engine].types;
  const isChunks = table === 'visit_chunks';
  const key = isChunks ? chunkKey : compositeKeys[table];
  const storage = isChunks ? chunkStorage : clustered.includes(table) ? clusteredStorage : '';
  const definitions = Object.entries(baselineTables[table]).map(
    ([name, definition]) =>
      `"${name}" ${definition.replace(/^\w+/, (type) => types[type] ?? type)}`,
  );
  if (key) definitions.push(`constraint ${table}_primary primary key (${key.join()})`);
  return `create table ${table} (${definitions.join()}) ${storage}`;
}

const statements = [
  'insert into url_id_counter (last_id) values (0)',

  'create index access_tokens_by_expiry on access_tokens (expires_at)',
  'create index idempotency_keys_by_age on idempotency_keys (created_at)',

  // Among several organizations that added a hostname, only one can have it active.
  'create unique index domains_active_hostname on domains (hostname) where is_active = 1',
  'create unique index domains_of_organization on domains (organization_id, hostname)',
  'create index domains_by_hostname on domains (hostname) where verified_at is not null',

  'create index urls_by_organization on urls (organization_id, created_at, id)',
  // Counts the links of a domain without reading them.
  'create index urls_by_domain on urls (domain_id, is_active) where domain_id is not null',
  'create index urls_to_expire on urls (expires_at) where expires_at is not null and is_active = 1',

  `create index qr_codes_by_organization on qr_codes (organization_id, created_at, id)
    where deleted_at is null`,
  'create index qr_codes_by_url on qr_codes (url_id, created_at, id) where url_id is not null',

  'create index webhooks_by_organization on webhooks (organization_id, created_at, id)',
  // By webhook first: a claim for one webhook does not read the backlog of another.
  'create index deliveries_due on deliveries (webhook_id, due_at) where due_at is not null',
  'create index deliveries_by_webhook on deliveries (webhook_id, created_at, id)',
  `create index deliveries_failed on deliveries (webhook_id, created_at, id)
    where status = 'failed'`,
  'create index deliveries_by_event on deliveries (event_id)',
];
