import type { Generated } from 'kysely';

/**
 * The tables, as queries see them. Instants are milliseconds since 1970, flags are 0 or 1, lists
 * and maps are JSON text: the same in every engine.
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
  /** Links that are active now: what the plan's bundle counts. */
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
  /** What its TXT record must say. */
  challenge: string;
  is_active: number;
  created_at: number;
  /** For the first time; once it is set, visitors by the hostname meet this domain's links alone. */
  verified_at: number | null;
  last_checked_at: number | null;
  last_error: string | null;
  /** Since then it is there for the sake of its links, until its organization adds it again. */
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
  /** By `searchTextOf`: what searches compare with. */
  search_text: string;
}

/**
 * Every short code and custom slug that was ever taken: one namespace for both, per domain. A row
 * is never deleted once its link exists, so a key never leads to somebody else's target.
 */
export interface UrlKeyTable {
  /** The id of a custom domain, or '' for the platform's. */
  domain_key: string;
  key: string;
  url_id: number;
}

export interface IdempotencyKeyTable {
  organization_id: string;
  key: string;
  /** Of the method, the path and the body that came with the key. */
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
  /** Signs beside the secret until its time has come. */
  previous_secret: string | null;
  previous_secret_expires_at: number | null;
  is_active: number;
  created_at: number;
  updated_at: number;
  /** Since then it is only there until its deliveries have been removed. */
  deleted_at: number | null;
  last_success_at: number | null;
  /** The first failed attempt since the last success; null while it succeeds. */
  failing_since: number | null;
  /** Between 0 and 1, the newest attempts weighted most; null before the first attempt. */
  failure_rate: number | null;
  /** When the server turned it off by itself, and why. */
  disabled_at: number | null;
  disabled_reason: string | null;
}

export interface EventTable {
  id: string;
  organization_id: string;
  type: string;
  /** What is sent, byte by byte, at every attempt of every delivery. */
  body: string;
  created_at: number;
}

export interface DeliveryTable {
  id: string;
  webhook_id: string;
  event_id: string;
  status: string;
  attempts: number;
  next_attempt_at: number | null;
  /** When it may be claimed: at its next attempt, or when the lease of who makes that has ended. */
  due_at: number | null;
  last_status_code: number | null;
  last_error: string | null;
  created_at: number;
  delivered_at: number | null;
  /** 0 for tests and replays, which the meter passes over. */
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

/** The clicks of each link that has any. */
export interface UrlClicksTable {
  url_id: number;
  clicks: number;
}

/** Visits as they arrived, of all links: a row for each move out of a journal. */
export interface VisitBatchTable {
  /** Never given twice. */
  id: Generated<number>;
  created_at: number;
  visit_count: number;
  /** Columns, encoded. */
  visits: Uint8Array;
}

/** Visits of one link, in the order of their numbers; all chunks but the last are full. */
export interface VisitChunkTable {
  url_id: number;
  number: number;
  /** Of its earliest and its latest visit. */
  first_at: number;
  last_at: number;
  visit_count: number;
  /** Columns, encoded. */
  visits: Uint8Array;
}

/** At most one row, while batches are being sorted into chunks. */
export interface VisitCompactionTable {
  /** The batches up to this one are being sorted. */
  up_to_batch: number;
  /** The visits of links below this one are in chunks, although their batches are still there. */
  next_url: number;
}

/** What is left of a link's day whose visits were pruned. */
export interface ClickDayTable {
  url_id: number;
  /** When it begins, in UTC. */
  day: number;
  clicks: number;
  /** Those of them that a QR code of the link has brought. */
  scans: Generated<number>;
  /** The rest, as JSON. */
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
  /** Goes up by one with each change. */
  version: number;
  created_at: number;
  updated_at: number;
  deleted_at: number | null;
}

/** What a code looks like; gone when the code is deleted. */
export interface QrPictureTable {
  qr_id: string;
  /** In the code's format, as it was decoded. */
  picture: Uint8Array;
  /** PNG. */
  logo: Uint8Array | null;
  logo_width: number | null;
  logo_height: number | null;
}

/** A row for each code. */
export interface QrCountTable {
  qr_id: string;
  scans: number;
  downloads: number;
}

/** What is left of a code's day whose visits were pruned. */
export interface ScanDayTable {
  qr_id: string;
  /** When it begins, in UTC. */
  day: number;
  scans: number;
  /** The rest, as JSON. */
  summary: string;
}

export interface UsageMeterTable {
  organization_id: string;
  /** `2030-01`, in UTC. */
  month: string;
  meter: string;
  used: number;
}

/** A row each time that an organization was given another plan. */
export interface PlanChangeTable {
  organization_id: string;
  changed_at: number;
  plan_before: string;
}
