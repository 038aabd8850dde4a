import type { Kysely } from 'kysely';
import type { Schema } from '../../storage/database.js';
import { type ScannedUrl, selectSpans, toScannedUrls } from '../ingest/scanned-url.js';
import type { UrlPage } from './read-url-rows.js';

// About 15 MB.
const maxKnownCodes = 50_000;

/** Returns the URLs that have, or had, QR codes. */
export async function findScannedUrls(
  db: Kysely<Schema>,
  pages: Iterable<UrlPage>,
): Promise<ReadonlyMap<number, ScannedUrl>> {
  const found: (readonly [number, ScannedUrl])[] = [];
  for (const { urlIds, isRange } of pages) {
    const [first = 0, last = first] = [urlIds[0], urlIds.at(-1)];
    const spans = isRange
      ? selectSpans(db).where((each) => each.between('qr_codes.url_id', first, last))
      : selectSpans(db).where('qr_codes.url_id', 'in', urlIds);
    found.push(...toScannedUrls(await spans.execute()));
  }
  return new Map(found);
}

/** Returns all URLs of an organization that have, or had, QR codes; undefined if there are too many. */
export async function findScannedUrlsOf(
  db: Kysely<Schema>,
  organizationId: string,
): Promise<ReadonlyMap<number, ScannedUrl> | undefined> {
  const ofOrganization = selectSpans(db)
    .where('qr_codes.organization_id', '=', organizationId)
    .limit(maxKnownCodes);
  // Each condition has an index.
  const existing = await ofOrganization.where('qr_codes.deleted_at', 'is', null).execute();
  const deleted = await ofOrganization.where('qr_codes.deleted_at', 'is not', null).execute();
  if (Math.max(existing.length, deleted.length) === maxKnownCodes) return undefined;
  return toScannedUrls([...existing, ...deleted]);
}
