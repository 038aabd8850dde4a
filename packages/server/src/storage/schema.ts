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
  url_id_counter: { last_id: number };
  visits: VisitTable;
  journal_positions: JournalPositionTable;
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
  is_active: number;
  created_at: number;
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
  click_count: number;
  created_at: number;
  updated_at: number;
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
  is_active: number;
  created_at: number;
  updated_at: number;
}

export interface EventTable {
  id: string;
  organization_id: string;
  type: string;
  data: string;
  created_at: number;
}

export interface DeliveryTable {
  id: string;
  webhook_id: string;
  event_id: string;
  status: string;
  attempts: number;
  next_attempt_at: number | null;
  created_at: number;
}

/** One answered redirect, of people and of machines. */
export interface VisitTable {
  id: Generated<number>;
  url_id: number;
  visited_at: number;
  /** Only 'human' is a click. */
  kind: string;
  /** The rule that decided the kind. */
  reason: string;
  /** By the short code, and not by the slug. */
  is_by_code: number;
  country: string;
  device_type: string;
  browser: string;
  os: string;
  referrer_domain: string;
  referrer_type: string;
  /** A keyed hash of address and agent; null where the visitor asked not to be followed. */
  visitor_key: string | null;
  /** A keyed hash of the address. */
  address_key: string;
  scanner_app: string | null;
  /** Bits of what speaks for a scan. */
  scan_evidence: number;
}

export interface JournalPositionTable {
  writer_id: string;
  segment: number;
  offset: number;
}
