import type { Kysely } from 'kysely';
import type { Schema } from '../../storage/database.js';
import { type ScannedUrl, selectSpans, toScannedUrls } from '../ingest/scanned-url.js';

/** The URLs that have, or had, QR codes, by their ids. */
export type ScannedUrls = ReadonlyMap<number, ScannedUrl>;

/** Returns all URLs of an organization that have, or had, QR codes. */
export async function findScannedUrls(
  db: Kysely<Schema>,
  organizationId: string,
): Promise<ScannedUrls> {
  const spans = selectSpans(db).where('qr_codes.organization_id', '=', organizationId);
  // Each condition has an index.
  const existing = await spans.where('qr_codes.deleted_at', 'is', null).execute();
  const deleted = await spans.where('qr_codes.deleted_at', 'is not', null).execute();
  return toScannedUrls([...existing, ...deleted]);
}
