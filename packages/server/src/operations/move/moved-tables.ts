import type { Schema } from '../../storage/database.js';

/**
 * The tables that are copied and their primary keys, referenced tables first. `journal_positions` is
 * left out, because all journals are moved into storage before.
 */
export const movedTables: { readonly [Table in MovedTable]: readonly (keyof Schema[Table])[] } = {
  organizations: ['id'],
  clients: ['id'],
  access_tokens: ['token_hash'],
  domains: ['id'],
  url_id_counter: ['last_id'],
  urls: ['id'],
  url_keys: ['domain_key', 'key'],
  url_clicks: ['url_id'],
  idempotency_keys: ['organization_id', 'key'],
  webhooks: ['id'],
  events: ['id'],
  deliveries: ['id'],
  delivery_attempts: ['delivery_id', 'number'],
  visit_batches: ['id'],
  visit_chunks: ['url_id', 'number'],
  visit_compactions: ['up_to_batch'],
  click_days: ['url_id', 'day'],
  qr_codes: ['id'],
  qr_pictures: ['qr_id'],
  qr_counts: ['qr_id'],
  scan_days: ['qr_id', 'day'],
  usage_meters: ['organization_id', 'month', 'meter'],
  plan_changes: ['organization_id', 'changed_at'],
};

export type MovedTable = Exclude<keyof Schema, 'journal_positions'>;

/** The sums that must agree after the copy, besides the numbers of rows. */
export const comparedSums = [
  ['organizations', 'active_urls'],
  ['url_clicks', 'clicks'],
  ['visit_batches', 'visit_count'],
  ['visit_chunks', 'visit_count'],
  ['click_days', 'clicks'],
  ['qr_counts', 'scans'],
  ['qr_counts', 'downloads'],
  ['usage_meters', 'used'],
  ['deliveries', 'attempts'],
] as const satisfies readonly (readonly [MovedTable, string])[];
