import {
  bigint,
  bigintOrNull,
  bytes,
  bytesOrNull,
  doubleOrNull,
  generatedId,
  integer,
  integerOrNull,
  optional,
  references,
  rowId,
  text,
  textKey,
  textOrNull,
  withDefault,
} from '../columns.js';

/**
 * The tables of version 0.1.0, referenced tables first. Instants are milliseconds since 1970, flags
 * are 0 or 1, lists and maps are JSON text.
 */
export const baselineTables = {
  organizations: {
    id: textKey,
    name: text,
    plan: text,
    /** The number of active links, which the plan limits. */
    active_urls: withDefault(bigint, '0'),
    created_at: bigint,
  },
  /** The plan changes of the organizations. */
  plan_changes: {
    organization_id: references(text, 'organizations'),
    changed_at: bigint,
    plan_before: text,
  },
  usage_meters: {
    organization_id: references(text, 'organizations'),
    /** `2030-01`, in UTC. */
    month: text,
    meter: text,
    used: bigint,
  },

  clients: {
    id: textKey,
    organization_id: references(text, 'organizations'),
    secret_hash: text,
    /** Separated by spaces. */
    scopes: text,
    created_at: bigint,
    revoked_at: bigintOrNull,
  },
  access_tokens: {
    token_hash: textKey,
    client_id: references(text, 'clients'),
    scopes: text,
    created_at: bigint,
    expires_at: bigint,
  },
  idempotency_keys: {
    organization_id: text,
    key: text,
    /** A hash of the request's method, path and body. */
    fingerprint: text,
    result: text,
    created_at: bigint,
  },

  domains: {
    id: textKey,
    organization_id: references(text, 'organizations'),
    hostname: text,
    is_active: integer,
    created_at: bigint,
    /** The required text of the TXT record. */
    challenge: withDefault(text, "''"),
    /** The first verification. Once it is set, the hostname serves only this domain's links. */
    verified_at: bigintOrNull,
    last_checked_at: bigintOrNull,
    last_error: textOrNull,
    /** The row stays for its links, and is reused when the organization adds the hostname again. */
    deleted_at: bigintOrNull,
  },

  url_id_counter: { last_id: bigint },
  urls: {
    id: rowId,
    organization_id: references(text, 'organizations'),
    domain_id: references(textOrNull, 'domains'),
    short_code: text,
    custom_slug: textOrNull,
    target_url: text,
    title: textOrNull,
    description: textOrNull,
    category: textOrNull,
    tags: text,
    redirect_type: integer,
    expires_at: bigintOrNull,
    password_hash: textOrNull,
    utm_source: textOrNull,
    utm_medium: textOrNull,
    utm_campaign: textOrNull,
    utm_term: textOrNull,
    utm_content: textOrNull,
    custom_utm_params: text,
    source_domain: textOrNull,
    is_active: integer,
    created_at: bigint,
    updated_at: bigint,
    /** The result of `searchTextOf`, which searches read. */
    search_text: withDefault(text, "''"),
  },
  /**
   * Every short code and custom slug that was ever used: one namespace for both, per domain. A row is
   * never deleted, so that a key never leads to another organization's target.
   */
  url_keys: {
    /** The id of a custom domain, or '' for the platform's domain. */
    domain_key: text,
    key: text,
    url_id: references(bigint, 'urls'),
  },
  /**
   * The click counters, apart from urls, whose rows are wide: a count is written many times a second.
   * A link without clicks has no row.
   */
  url_clicks: {
    url_id: rowId,
    clicks: bigint,
  },

  /** Each transaction that moves visits out of a journal also writes the journal's position. */
  journal_positions: {
    writer_id: textKey,
    segment: integer,
    offset: bigint,
  },
  /** Visits of all links in the order of arrival: a row for each transfer from a journal. */
  visit_batches: {
    /** Never reused. */
    id: generatedId,
    created_at: bigint,
    visit_count: integer,
    /** Encoded columns. */
    visits: bytes,
  },
  /** The progress of the current compaction; no row if none is running. */
  visit_compactions: {
    /** The last batch that is being compacted. */
    up_to_batch: bigint,
    /** The visits of links with smaller ids are already in chunks. The batches still contain them. */
    next_url: bigint,
  },
  /** The visits of one link, ordered by `number`. All chunks but the last are full. */
  visit_chunks: {
    url_id: bigint,
    number: integer,
    /** The times of the earliest and the latest visit. */
    first_at: bigint,
    last_at: bigint,
    visit_count: integer,
    /** Encoded columns. */
    visits: bytes,
  },
  /** The daily summary of a link's pruned visits. */
  click_days: {
    url_id: bigint,
    /** The start of the day in UTC. */
    day: bigint,
    clicks: bigint,
    /** The other figures, as JSON. */
    summary: text,
    /** The clicks that came from a QR code. */
    scans: optional(bigint, '0'),
  },

  qr_codes: {
    id: textKey,
    organization_id: references(text, 'organizations'),
    url_id: references(bigintOrNull, 'urls'),
    /** Never changes. */
    qr_data: text,
    format: text,
    size: integer,
    error_correction: text,
    foreground_color: text,
    background_color: text,
    logo_url: textOrNull,
    style_preset: text,
    /** Increases by one with each change. */
    version: integer,
    created_at: bigint,
    updated_at: bigint,
    deleted_at: bigintOrNull,
  },
  /**
   * The image of a code, apart from qr_codes, so that lists do not read images. The row is removed
   * when the code is deleted.
   */
  qr_pictures: {
    qr_id: references(textKey, 'qr_codes'),
    /** The verified image file in the code's format. */
    picture: bytes,
    /** PNG. */
    logo: bytesOrNull,
    logo_width: integerOrNull,
    logo_height: integerOrNull,
  },
  /** The counters of each code. Every code has a row. */
  qr_counts: {
    qr_id: references(textKey, 'qr_codes'),
    scans: bigint,
    downloads: bigint,
  },
  /** The daily summary of a code's pruned scans. */
  scan_days: {
    qr_id: text,
    /** The start of the day in UTC. */
    day: bigint,
    scans: bigint,
    /** The other figures, as JSON. */
    summary: text,
  },

  webhooks: {
    id: textKey,
    organization_id: references(text, 'organizations'),
    url: text,
    events: text,
    secret: text,
    is_active: integer,
    created_at: bigint,
    updated_at: bigint,
    /** Also signs deliveries until `previous_secret_expires_at`. */
    previous_secret: textOrNull,
    previous_secret_expires_at: bigintOrNull,
    /** The row stays until its deliveries have been removed. */
    deleted_at: bigintOrNull,
    last_success_at: bigintOrNull,
    /** The first failed attempt since the last success; null after a success. */
    failing_since: bigintOrNull,
    /** From 0 to 1, weighted towards the newest attempts; null before the first attempt. */
    failure_rate: doubleOrNull,
    /** Set when the server disabled the webhook. */
    disabled_at: bigintOrNull,
    disabled_reason: textOrNull,
  },
  events: {
    id: textKey,
    organization_id: text,
    type: text,
    /** The body of every attempt of every delivery. */
    body: text,
    created_at: bigint,
  },
  deliveries: {
    id: textKey,
    webhook_id: references(text, 'webhooks'),
    event_id: references(text, 'events'),
    status: text,
    attempts: integer,
    next_attempt_at: bigintOrNull,
    /** When the delivery can be claimed: at its next attempt, or when the current lease ends. */
    due_at: bigintOrNull,
    last_status_code: integerOrNull,
    last_error: textOrNull,
    created_at: bigint,
    delivered_at: bigintOrNull,
    /** 0 for tests and replays, which are not metered. */
    is_charged: optional(integer, '1'),
  },
  delivery_attempts: {
    delivery_id: text,
    /** From 1. */
    number: integer,
    attempted_at: bigint,
    duration_ms: integer,
    status_code: integerOrNull,
    error: textOrNull,
    response_body: textOrNull,
  },
};

export type BaselineTable = keyof typeof baselineTables;

/** The primary keys of several columns. Other tables have one column, their first, or none. */
export const compositeKeys: { readonly [table: string]: readonly string[] } = {
  plan_changes: ['organization_id', 'changed_at'],
  usage_meters: ['organization_id', 'month', 'meter'],
  idempotency_keys: ['organization_id', 'key'],
  url_keys: ['domain_key', 'key'],
  visit_chunks: ['url_id', 'number'],
  click_days: ['url_id', 'day'],
  scan_days: ['qr_id', 'day'],
  delivery_attempts: ['delivery_id', 'number'],
};
