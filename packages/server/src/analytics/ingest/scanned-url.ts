import type { Kysely } from 'kysely';
import type { Schema } from '../../storage/schema.js';

/** A code's life, in which the visits that it brings are its scans. */
export interface QrSpan {
  readonly qrId: string;
  readonly from: number;
  /** Its deletion, which is not part of it; null while it lives. */
  readonly until: number | null;
}

/** A link that has, or had, QR codes. */
export interface ScannedUrl {
  readonly urlId: number;
  readonly hasSlug: boolean;
  readonly spans: readonly QrSpan[];
}

export interface SpanRow {
  readonly id: string;
  readonly url_id: number | null;
  readonly created_at: number;
  readonly deleted_at: number | null;
  readonly custom_slug: string | null;
}

/** Codes of links, deleted ones too, with all that `toScannedUrls` needs. */
export function selectSpans(db: Kysely<Schema>) {
  return db
    .selectFrom('qr_codes')
    .innerJoin('urls', 'urls.id', 'qr_codes.url_id')
    .select([
      'qr_codes.id',
      'qr_codes.url_id',
      'qr_codes.created_at',
      'qr_codes.deleted_at',
      'urls.custom_slug',
    ]);
}

/** By the ids of the links. */
export function toScannedUrls(rows: readonly SpanRow[]): ReadonlyMap<number, ScannedUrl> {
  const urls = new Map<number, ScannedUrl & { spans: QrSpan[] }>();
  for (const { id, url_id, created_at, deleted_at, custom_slug } of rows) {
    if (url_id === null) continue;
    const span = { qrId: id, from: created_at, until: deleted_at };
    const known = urls.get(url_id);
    if (known) known.spans.push(span);
    else urls.set(url_id, { urlId: url_id, hasSlug: custom_slug !== null, spans: [span] });
  }
  return urls;
}

export function isWithin({ from, until }: QrSpan, at: number): boolean {
  return from <= at && (until === null || at < until);
}
