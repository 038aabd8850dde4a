import type { Generated } from 'kysely';

/**
 * The tables for queries, the same on every engine. Instants are milliseconds since 1970, flags are 0
 * or 1, lists and maps are JSON text.
 */
export interface Schema {
  organizations: OrganizationTable;
  clients: ClientTable;
  access_tokens: AccessTokenTable;
  domains: DomainTable;
  urls: UrlTable;
  url_keys: UrlKeyTable;
  idempotency_keys: IdempotencyKeyTable;
  webhooks: WebhookTable;
  events: EventTable;
  deliveries: DeliveryTable;
  delivery_attempts: DeliveryAttemptTable;
  url_id_counter: { last_id: number };
  url_clicks: UrlClicksTable;
  visit_batches: VisitBatchTable;
  visit_chunks: VisitChunkTable;
  visit_compactions: VisitCompactionTable;
  click_days: ClickDayTable;
  journal_positions: JournalPositionTable;
  qr_codes: QrCodeTable;
  qr_pictures: QrPictureTable;
  qr_counts: QrCountTable;
  scan_days: ScanDayTable;
  usage_meters: UsageMeterTable;
  plan_changes: PlanChangeTable;
}

export interface OrganizationTable {
  id: string;
  name: string;
  plan: string;
  /** The number of active links, which the plan limits. */
  active_urls: number;
  created_at: number;
}

export interface ClientTable {
  id: string;
  organization_id: string;
  secret_hash: string;
  /** Separated by spaces. */
  scopes: string;
  created_at: number;
  revoked_at: number | null;
}

export interface AccessTokenTable {
  token_hash: string;
  client_id: string;
  scopes: string;
  created_at: number;
  expires_at: number;
}

export interface DomainTable {
  id: string;
  organization_id: string;
  hostname: string;
  /** The required text of the TXT record. */
  challenge: string;
  is_active: number;
  created_at: number;
  /** The first verification. Once it is set, the hostname serves only this domain's links. */
  verified_at: number | null;
  last_checked_at: number | null;
  last_error: string | null;
  /** The row stays for its links, and is reused when the organization adds the hostname again. */
  deleted_at: number | null;
}

export interface UrlTable {
  id: number;
  organization_id: string;
  domain_id: string | null;
  short_code: string;
  custom_slug: string | null;
  target_url: string;
  title: string | null;
  description: string | null;
  category: string | null;
  tags: string;
  redirect_type: number;
  expires_at: number | null;
  password_hash: string | null;
  utm_source: string | null;
  utm_medium: string | null;
  utm_campaign: string | null;
  utm_term: string | null;
  utm_content: string | null;
  custom_utm_params: string;
  source_domain: string | null;
  is_active: number;
  created_at: number;
  updated_at: number;
  /** The result of `searchTextOf`, which searches read. */
  search_text: string;
}

/**
 * Every short code and custom slug that was ever used: one namespace for both, per domain. A row is
 * never deleted, so that a key never leads to another organization's target.
 */
export interface UrlKeyTable {
  /** The id of a custom domain, or '' for the platform's domain. */
  domain_key: string;
  key: string;
  url_id: number;
}

export interface IdempotencyKeyTable {
  organization_id: string;
  key: string;
  /** A hash of the request's method, path and body. */
  fingerprint: string;
  result: string;
  created_at: number;
}

export interface WebhookTable {
  id: string;
  organization_id: string;
  url: string;
  events: string;
  secret: string;
  /** Signs beside `secret` until `previous_secret_expires_at`. */
  previous_secret: string | null;
  previous_secret_expires_at: number | null;
  is_active: number;
  created_at: number;
  updated_at: number;
  /** The row stays until its deliveries have been removed. */
  deleted_at: number | null;
  last_success_at: number | null;
  /** The first failed attempt since the last success; null after a success. */
  failing_since: number | null;
  /** From 0 to 1, weighted towards the newest attempts; null before the first attempt. */
  failure_rate: number | null;
  /** Set when the server disabled the webhook. */
  disabled_at: number | null;
  disabled_reason: string | null;
}

export interface EventTable {
  id: string;
  organization_id: string;
  type: string;
  /** The body of every attempt of every delivery. */
  body: string;
  created_at: number;
  /** The webhooks, as JSON, whose deliveries are still to be written. */
  webhook_ids: string | null;
}

export interface DeliveryTable {
  id: string;
  webhook_id: string;
  event_id: string;
  status: string;
  attempts: number;
  next_attempt_at: number | null;
  /** When the delivery can be claimed: at its next attempt, or when the current lease ends. */
  due_at: number | null;
  last_status_code: number | null;
  last_error: string | null;
  created_at: number;
  delivered_at: number | null;
  /** 0 for tests and replays, which are not metered. */
  is_charged: Generated<number>;
}

export interface DeliveryAttemptTable {
  delivery_id: string;
  /** From 1. */
  number: number;
  attempted_at: number;
  duration_ms: number;
  status_code: number | null;
  error: string | null;
  response_body: string | null;
}

/** The click counters. A link without clicks has no row. */
export interface UrlClicksTable {
  url_id: number;
  clicks: number;
}

/** Visits of all links in the order of arrival: a row for each transfer from a journal. */
export interface VisitBatchTable {
  /** Never reused. */
  id: Generated<number>;
  created_at: number;
  visit_count: number;
  /** Encoded columns. */
  visits: Uint8Array;
}

/** The visits of one link, ordered by `number`. All chunks but the last are full. */
export interface VisitChunkTable {
  url_id: number;
  number: number;
  /** The times of the earliest and the latest visit. */
  first_at: number;
  last_at: number;
  visit_count: number;
  /** Encoded columns. */
  visits: Uint8Array;
}

/** The progress of the current compaction; no row if none is running. */
export interface VisitCompactionTable {
  /** The last batch that is being compacted. */
  up_to_batch: number;
  /** The visits of links with smaller ids are in chunks already, and in their batches still. */
  next_url: number;
}

/** The daily summary of a link's pruned visits. */
export interface ClickDayTable {
  url_id: number;
  /** The start of the day in UTC. */
  day: number;
  clicks: number;
  /** The clicks that came from a QR code. */
  scans: Generated<number>;
  /** The other figures, as JSON. */
  summary: string;
}

export interface JournalPositionTable {
  writer_id: string;
  segment: number;
  offset: number;
}

export interface QrCodeTable {
  id: string;
  organization_id: string;
  url_id: number | null;
  /** Never changes. */
  qr_data: string;
  format: string;
  size: number;
  error_correction: string;
  foreground_color: string;
  background_color: string;
  logo_url: string | null;
  style_preset: string;
  /** Increases by one with each change. */
  version: number;
  created_at: number;
  updated_at: number;
  deleted_at: number | null;
}

/** The image of a code. The row is removed when the code is deleted. */
export interface QrPictureTable {
  qr_id: string;
  /** The verified image file in the code's format. */
  picture: Uint8Array;
  /** PNG. */
  logo: Uint8Array | null;
  logo_width: number | null;
  logo_height: number | null;
}

/** The counters of each code. Every code has a row. */
export interface QrCountTable {
  qr_id: string;
  scans: number;
  downloads: number;
}

/** The daily summary of a code's pruned scans. */
export interface ScanDayTable {
  qr_id: string;
  /** The start of the day in UTC. */
  day: number;
  scans: number;
  /** The other figures, as JSON. */
  summary: string;
}

export interface UsageMeterTable {
  organization_id: string;
  /** `2030-01`, in UTC. */
  month: string;
  meter: string;
  used: number;
}

/** The plan changes of the organizations. */
export interface PlanChangeTable {
  organization_id: string;
  changed_at: number;
  plan_before: string;
}
