import type { InferResult, Kysely } from 'kysely';
import type { Schema } from '../../storage/schema.js';

/** The lifetime of a QR code. Only visits within it can be its scans. */
export interface QrSpan {
  readonly qrId: string;
  readonly from: number;
  /** The instant of the deletion (exclusive); null while the QR code exists. */
  readonly until: number | null;
}

/** A URL that has, or had, QR codes. */
export interface ScannedUrl {
  readonly urlId: number;
  readonly hasSlug: boolean;
  readonly spans: readonly QrSpan[];
}

/** URLs that have, or had, QR codes, by their ids. */
export type ScannedUrls = ReadonlyMap<number, ScannedUrl>;

/** Selects QR codes, deleted ones included. A standalone QR code has no URL. */
export function selectSpans(db: Kysely<Schema>) {
  return db
    .selectFrom('qr_codes')
    .leftJoin('urls', 'urls.id', 'qr_codes.url_id')
    .select([
      'qr_codes.id as qrId',
      'qr_codes.created_at as from',
      'qr_codes.deleted_at as until',
      'qr_codes.url_id as urlId',
      'urls.custom_slug as slug',
    ]);
}

/** Groups QR codes by the ids of their URLs. */
export function toScannedUrls(rows: InferResult<ReturnType<typeof selectSpans>>): ScannedUrls {
  const urls = new Map<number, ScannedUrl & { spans: QrSpan[] }>();
  for (const { urlId, slug, ...span } of rows) {
    if (urlId === null) continue;
    const known = urls.get(urlId);
    if (known) known.spans.push(span);
    else urls.set(urlId, { urlId, hasSlug: slug !== null, spans: [span] });
  }
  return urls;
}

export function isWithin({ from, until }: QrSpan, at: number): boolean {
  return from <= at && (until === null || at < until);
}
