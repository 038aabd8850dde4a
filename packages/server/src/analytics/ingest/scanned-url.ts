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

export interface FoundQrCode {
  /** The URL that the QR code leads to; undefined for a standalone QR code. */
  readonly url: Pick<ScannedUrl, 'urlId' | 'hasSlug'> | undefined;
  readonly span: QrSpan;
}

/** Selects QR codes of URLs, deleted ones included, with the columns that `toScannedUrls` needs. */
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

/** Groups QR codes by the ids of their URLs. */
export function toScannedUrls(
  rows: InferResult<ReturnType<typeof selectSpans>>,
): ReadonlyMap<number, ScannedUrl> {
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

/** Finds a QR code of an organization, deleted ones included. */
export async function findQrCode(
  db: Kysely<Schema>,
  organizationId: string,
  qrId: string,
): Promise<FoundQrCode | undefined> {
  const row = await db
    .selectFrom('qr_codes')
    .leftJoin('urls', 'urls.id', 'qr_codes.url_id')
    .select(['qr_codes.url_id', 'qr_codes.created_at', 'qr_codes.deleted_at', 'custom_slug'])
    .where('qr_codes.id', '=', qrId)
    .where('qr_codes.organization_id', '=', organizationId)
    .executeTakeFirst();
  if (!row) return undefined;
  const { url_id: urlId, created_at: from, deleted_at: until, custom_slug } = row;
  return {
    url: urlId === null ? undefined : { urlId, hasSlug: custom_slug !== null },
    span: { qrId, from, until },
  };
}

export function isWithin({ from, until }: QrSpan, at: number): boolean {
  return from <= at && (until === null || at < until);
}
