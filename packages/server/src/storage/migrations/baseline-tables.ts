/**
 * The tables of version 0.1.0, referenced tables first. Columns are defined in SQL, with the types of
 * `dialects.ts`. Instants are milliseconds since 1970, flags are 0 or 1, lists and maps are JSON text.
 */
export const baselineTables = {
  organizations: {
    id: 'text primary key',
    name: 'text not null',
    plan: 'text not null',
    /** The number of active links, which the plan limits. */
    active_urls: 'bigint not null default 0',
    created_at: 'bigint not null',
  },
  /** The plan changes of the organizations. */
  plan_changes: {
    organization_id: 'text not null references organizations (id)',
    changed_at: 'bigint not null',
    plan_before: 'text not null',
  },
  usage_meters: {
    organization_id: 'text not null references organizations (id)',
    /** `2030-01`, in UTC. */
    month: 'text not null',
    meter: 'text not null',
    used: 'bigint not null',
  },

  clients: {
    id: 'text primary key',
    organization_id: 'text not null references organizations (id)',
    secret_hash: 'text not null',
    /** Separated by spaces. */
    scopes: 'text not null',
    created_at: 'bigint not null',
    revoked_at: 'bigint',
  },
  access_tokens: {
    token_hash: 'text primary key',
    client_id: 'text not null references clients (id)',
    scopes: 'text not null',
    created_at: 'bigint not null',
    expires_at: 'bigint not null',
  },
  idempotency_keys: {
    organization_id: 'text not null',
    key: 'text not null',
    /** A hash of the request's method, path and body. */
    fingerprint: 'text not null',
    result: 'text not null',
    created_at: 'bigint not null',
  },

  domains: {
    id: 'text primary key',
    organization_id: 'text not null references organizations (id)',
    hostname: 'text not null',
    is_active: 'integer not null',
    created_at: 'bigint not null',
    /** The required text of the TXT record. */
    challenge: "text not null default ''",
    /** The first verification. Once it is set, the hostname serves only this domain's links. */
    verified_at: 'bigint',
    last_checked_at: 'bigint',
    last_error: 'text',
    /** The row stays for its links, and is reused when the organization adds the hostname again. */
    deleted_at: 'bigint',
  },

  url_id_counter: { last_id: 'bigint not null' },
  urls: {
    id: 'rowId primary key',
    organization_id: 'text not null references organizations (id)',
    domain_id: 'text references domains (id)',
    short_code: 'text not null',
    custom_slug: 'text',
    target_url: 'text not null',
    title: 'text',
    description: 'text',
    category: 'text',
    tags: 'text not null',
    redirect_type: 'integer not null',
    expires_at: 'bigint',
    password_hash: 'text',
    utm_source: 'text',
    utm_medium: 'text',
    utm_campaign: 'text',
    utm_term: 'text',
    utm_content: 'text',
    custom_utm_params: 'text not null',
    source_domain: 'text',
    is_active: 'integer not null',
    created_at: 'bigint not null',
    updated_at: 'bigint not null',
    /** The result of `searchTextOf`, which searches read. */
    search_text: "text not null default ''",
  },
  /**
   * Every short code and custom slug that was ever used: one namespace for both, per domain. Rows
   * are deleted with their organization or an erased link, and `retired_keys` then reserves the keys, so that a key
   * never leads to another organization's target.
   */
  url_keys: {
    /** The id of a custom domain, or '' for the platform's domain. */
    domain_key: 'text not null',
    key: 'text not null',
    url_id: 'bigint not null references urls (id)',
  },
  /**
   * The click counters, apart from urls, whose rows are wide: a count is written many times a second.
   * A link without clicks has no row.
   */
  url_clicks: {
    url_id: 'rowId primary key',
    clicks: 'bigint not null',
  },

  /** Each transaction that moves visits out of a journal also writes the journal's position. */
  journal_positions: {
    writer_id: 'text primary key',
    segment: 'integer not null',
    offset: 'bigint not null',
  },
  /** Visits of all links in the order of arrival: a row for each transfer from a journal. */
  visit_batches: {
    /** Never reused. */
    id: 'generatedId',
    created_at: 'bigint not null',
    visit_count: 'integer not null',
    /** Encoded columns. */
    visits: 'bytes not null',
  },
  /** The progress of the current compaction; no row if none is running. */
  visit_compactions: {
    /** The last batch that is being compacted. */
    up_to_batch: 'bigint not null',
    /** The visits of links with smaller ids are already in chunks. The batches still contain them. */
    next_url: 'bigint not null',
  },
  /** The visits of one link, ordered by `number`. All chunks but the last are full. */
  visit_chunks: {
    url_id: 'bigint not null',
    number: 'integer not null',
    /** The times of the earliest and the latest visit. */
    first_at: 'bigint not null',
    last_at: 'bigint not null',
    visit_count: 'integer not null',
    /** Encoded columns. */
    visits: 'bytes not null',
  },
  /** The daily summary of a link's pruned visits. */
  click_days: {
    url_id: 'bigint not null',
    /** The start of the day in UTC. */
    day: 'bigint not null',
    clicks: 'bigint not null',
    /** The other figures, as JSON. */
    summary: 'text not null',
    /** The clicks that came from a QR code. */
    scans: 'bigint not null default 0',
  },

  qr_codes: {
    id: 'text primary key',
    organization_id: 'text not null references organizations (id)',
    url_id: 'bigint references urls (id)',
    /** Never changes. */
    qr_data: 'text not null',
    format: 'text not null',
    size: 'integer not null',
    error_correction: 'text not null',
    foreground_color: 'text not null',
    background_color: 'text not null',
    logo_url: 'text',
    style_preset: 'text not null',
    /** Increases by one with each change. */
    version: 'integer not null',
    created_at: 'bigint not null',
    updated_at: 'bigint not null',
    deleted_at: 'bigint',
  },
  /**
   * The image of a code, apart from qr_codes, so that lists do not read images. The row is removed
   * when the code is deleted.
   */
  qr_pictures: {
    qr_id: 'text primary key references qr_codes (id)',
    /** The verified image file in the code's format. */
    picture: 'bytes not null',
    /** PNG. */
    logo: 'bytes',
    logo_width: 'integer',
    logo_height: 'integer',
  },
  /** The counters of each code. Every code has a row. */
  qr_counts: {
    qr_id: 'text primary key references qr_codes (id)',
    scans: 'bigint not null',
    downloads: 'bigint not null',
  },
  /** The daily summary of a code's pruned scans. */
  scan_days: {
    qr_id: 'text not null',
    /** The start of the day in UTC. */
    day: 'bigint not null',
    scans: 'bigint not null',
    /** The other figures, as JSON. */
    summary: 'text not null',
  },

  webhooks: {
    id: 'text primary key',
    organization_id: 'text not null references organizations (id)',
    url: 'text not null',
    events: 'text not null',
    secret: 'text not null',
    is_active: 'integer not null',
    created_at: 'bigint not null',
    updated_at: 'bigint not null',
    /** Also signs deliveries until `previous_secret_expires_at`. */
    previous_secret: 'text',
    previous_secret_expires_at: 'bigint',
    /** The row stays until its deliveries have been removed. */
    deleted_at: 'bigint',
    last_success_at: 'bigint',
    /** The first failed attempt since the last success; null after a success. */
    failing_since: 'bigint',
    /** From 0 to 1, weighted towards the newest attempts; null before the first attempt. */
    failure_rate: 'double precision',
    /** Set when the server disabled the webhook. */
    disabled_at: 'bigint',
    disabled_reason: 'text',
  },
  events: {
    id: 'text primary key',
    organization_id: 'text not null',
    type: 'text not null',
    /** The body of every attempt of every delivery. */
    body: 'text not null',
    created_at: 'bigint not null',
  },
  deliveries: {
    id: 'text primary key',
    webhook_id: 'text not null references webhooks (id)',
    event_id: 'text not null references events (id)',
    status: 'text not null',
    attempts: 'integer not null',
    next_attempt_at: 'bigint',
    /** When the delivery can be claimed: at its next attempt, or when the current lease ends. */
    due_at: 'bigint',
    last_status_code: 'integer',
    last_error: 'text',
    created_at: 'bigint not null',
    delivered_at: 'bigint',
    /** 0 for tests and replays, which are not metered. */
    is_charged: 'integer not null default 1',
  },
  delivery_attempts: {
    delivery_id: 'text not null',
    /** From 1. */
    number: 'integer not null',
    attempted_at: 'bigint not null',
    duration_ms: 'integer not null',
    status_code: 'integer',
    error: 'text',
    response_body: 'text',
  },
} as const;

export type BaselineTable = keyof typeof baselineTables;

/** The primary keys of several columns. Other tables have one column, their first, or none. */
export const compositeKeys: { readonly [table: string]: readonly string[] } = {
  plan_changes: ['organization_id', 'changed_at'],
  usage_meters: ['organization_id', 'month', 'meter'],
  idempotency_keys: ['organization_id', 'key'],
  url_keys: ['domain_key', 'key'],
  visit_chunks: ['url_id', 'number'],
  organization_chunks: ['organization_id', 'number'],
  overview_counts: ['organization_id', 'counts_key', 'generation', 'part'],
  click_days: ['url_id', 'day'],
  scan_days: ['qr_id', 'day'],
  delivery_attempts: ['delivery_id', 'number'],
  queued_clicks: ['webhook_id', 'batch_id'],
  attempt_counts: ['webhook_id', 'hour', 'outcome', 'duration_ms'],
  audit_log: ['created_at', 'id'],
  click_leases: ['url_id', 'writer_id'],
};
