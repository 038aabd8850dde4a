import { type Kysely, type Migration, sql } from 'kysely';
import type { Engine, Schema } from '../database.js';
import { createNodeTables } from '../postgres/node-tables.js';
import { createSearchIndex } from './create-search-index.js';
import { dialects } from './dialects.js';

/** The schema of version 0.1.0. */
export function baseline(engine: Engine): Migration {
  return {
    async up(db: Kysely<Schema>): Promise<void> {
      for (const statement of statementsFor(engine)) await sql.raw(statement).execute(db);
      if (engine === 'postgres') await createNodeTables(db);
      await createSearchIndex(db, engine);
    },
  };
}

function statementsFor(engine: Engine): readonly string[] {
  const { text, bytes, integerKey, generatedKey, clustered, chunkKey, chunkStorage } =
    dialects[engine];
  return [
    `create table organizations (
      id ${text} primary key,
      name ${text} not null,
      plan ${text} not null,
      active_urls bigint not null default 0,
      created_at bigint not null
    )`,
    `create table plan_changes (
      organization_id ${text} not null references organizations (id),
      changed_at bigint not null,
      plan_before ${text} not null,
      constraint plan_changes_primary primary key (organization_id, changed_at)
    ) ${clustered}`,
    `create table usage_meters (
      organization_id ${text} not null references organizations (id),
      month ${text} not null,
      meter ${text} not null,
      used bigint not null,
      constraint usage_meters_primary primary key (organization_id, month, meter)
    ) ${clustered}`,

    `create table clients (
      id ${text} primary key,
      organization_id ${text} not null references organizations (id),
      secret_hash ${text} not null,
      scopes ${text} not null,
      created_at bigint not null,
      revoked_at bigint
    )`,
    `create table access_tokens (
      token_hash ${text} primary key,
      client_id ${text} not null references clients (id),
      scopes ${text} not null,
      created_at bigint not null,
      expires_at bigint not null
    )`,
    'create index access_tokens_by_expiry on access_tokens (expires_at)',
    `create table idempotency_keys (
      organization_id ${text} not null,
      key ${text} not null,
      fingerprint ${text} not null,
      result ${text} not null,
      created_at bigint not null,
      constraint idempotency_keys_primary primary key (organization_id, key)
    )`,
    'create index idempotency_keys_by_age on idempotency_keys (created_at)',

    `create table domains (
      id ${text} primary key,
      organization_id ${text} not null references organizations (id),
      hostname ${text} not null,
      is_active integer not null,
      created_at bigint not null,
      challenge ${text} not null default '',
      verified_at bigint,
      last_checked_at bigint,
      last_error ${text},
      deleted_at bigint
    )`,
    // Among several organizations that added a hostname, only one can have it active.
    'create unique index domains_active_hostname on domains (hostname) where is_active = 1',
    'create unique index domains_of_organization on domains (organization_id, hostname)',
    'create index domains_by_hostname on domains (hostname) where verified_at is not null',

    'create table url_id_counter (last_id bigint not null)',
    'insert into url_id_counter (last_id) values (0)',
    `create table urls (
      id ${integerKey},
      organization_id ${text} not null references organizations (id),
      domain_id ${text} references domains (id),
      short_code ${text} not null,
      custom_slug ${text},
      target_url ${text} not null,
      title ${text},
      description ${text},
      category ${text},
      tags ${text} not null,
      redirect_type integer not null,
      expires_at bigint,
      password_hash ${text},
      utm_source ${text},
      utm_medium ${text},
      utm_campaign ${text},
      utm_term ${text},
      utm_content ${text},
      custom_utm_params ${text} not null,
      source_domain ${text},
      is_active integer not null,
      created_at bigint not null,
      updated_at bigint not null,
      search_text ${text} not null default ''
    )`,
    'create index urls_by_organization on urls (organization_id, created_at, id)',
    // Counts the links of a domain without reading them.
    'create index urls_by_domain on urls (domain_id, is_active) where domain_id is not null',
    `create index urls_to_expire on urls (expires_at)
      where expires_at is not null and is_active = 1`,
    `create table url_keys (
      domain_key ${text} not null,
      key ${text} not null,
      url_id bigint not null references urls (id),
      constraint url_keys_primary primary key (domain_key, key)
    ) ${clustered}`,
    // Apart from urls, whose rows are wide: a count is written many times a second.
    `create table url_clicks (
      url_id ${integerKey},
      clicks bigint not null
    )`,

    // Each transaction that moves visits out of a journal also writes the journal's position.
    `create table journal_positions (
      writer_id ${text} primary key,
      segment integer not null,
      "offset" bigint not null
    )`,
    `create table visit_batches (
      id ${generatedKey},
      created_at bigint not null,
      visit_count integer not null,
      visits ${bytes} not null
    )`,
    `create table visit_compactions (
      up_to_batch bigint not null,
      next_url bigint not null
    )`,
    `create table visit_chunks (
      url_id bigint not null,
      number integer not null,
      first_at bigint not null,
      last_at bigint not null,
      visit_count integer not null,
      visits ${bytes} not null,
      constraint visit_chunks_primary primary key (${chunkKey})
    ) ${chunkStorage}`,
    `create table click_days (
      url_id bigint not null,
      day bigint not null,
      clicks bigint not null,
      summary ${text} not null,
      scans bigint not null default 0,
      constraint click_days_primary primary key (url_id, day)
    ) ${clustered}`,

    `create table qr_codes (
      id ${text} primary key,
      organization_id ${text} not null references organizations (id),
      url_id bigint references urls (id),
      qr_data ${text} not null,
      format ${text} not null,
      size integer not null,
      error_correction ${text} not null,
      foreground_color ${text} not null,
      background_color ${text} not null,
      logo_url ${text},
      style_preset ${text} not null,
      version integer not null,
      created_at bigint not null,
      updated_at bigint not null,
      deleted_at bigint
    )`,
    `create index qr_codes_by_organization on qr_codes (organization_id, created_at, id)
      where deleted_at is null`,
    `create index qr_codes_by_url on qr_codes (url_id, created_at, id)
      where url_id is not null`,
    // Apart from qr_codes, so that lists do not read images.
    `create table qr_pictures (
      qr_id ${text} primary key references qr_codes (id),
      picture ${bytes} not null,
      logo ${bytes},
      logo_width integer,
      logo_height integer
    )`,
    `create table qr_counts (
      qr_id ${text} primary key references qr_codes (id),
      scans bigint not null,
      downloads bigint not null
    ) ${clustered}`,
    `create table scan_days (
      qr_id ${text} not null,
      day bigint not null,
      scans bigint not null,
      summary ${text} not null,
      constraint scan_days_primary primary key (qr_id, day)
    ) ${clustered}`,

    `create table webhooks (
      id ${text} primary key,
      organization_id ${text} not null references organizations (id),
      url ${text} not null,
      events ${text} not null,
      secret ${text} not null,
      is_active integer not null,
      created_at bigint not null,
      updated_at bigint not null,
      previous_secret ${text},
      previous_secret_expires_at bigint,
      deleted_at bigint,
      last_success_at bigint,
      failing_since bigint,
      failure_rate double precision,
      disabled_at bigint,
      disabled_reason ${text}
    )`,
    'create index webhooks_by_organization on webhooks (organization_id, created_at, id)',
    `create table events (
      id ${text} primary key,
      organization_id ${text} not null,
      type ${text} not null,
      body ${text} not null,
      created_at bigint not null
    )`,
    `create table deliveries (
      id ${text} primary key,
      webhook_id ${text} not null references webhooks (id),
      event_id ${text} not null references events (id),
      status ${text} not null,
      attempts integer not null,
      next_attempt_at bigint,
      due_at bigint,
      last_status_code integer,
      last_error ${text},
      created_at bigint not null,
      delivered_at bigint,
      is_charged integer not null default 1
    ) ${clustered}`,
    // By webhook first: a claim for one webhook does not read the backlog of another.
    `create index deliveries_due on deliveries (webhook_id, due_at)
      where due_at is not null`,
    'create index deliveries_by_webhook on deliveries (webhook_id, created_at, id)',
    `create index deliveries_failed on deliveries (webhook_id, created_at, id)
      where status = 'failed'`,
    'create index deliveries_by_event on deliveries (event_id)',
    `create table delivery_attempts (
      delivery_id ${text} not null,
      number integer not null,
      attempted_at bigint not null,
      duration_ms integer not null,
      status_code integer,
      error ${text},
      response_body ${text},
      constraint delivery_attempts_primary primary key (delivery_id, number)
    ) ${clustered}`,
  ];
}
