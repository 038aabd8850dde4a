import type { Database } from '../../storage/database.js';
import type { QrSpan, ScannedUrl } from '../ingest/scanned-url.js';

export interface FoundCode {
  /** The link that the code leads to; undefined for a standalone code. */
  readonly url: Pick<ScannedUrl, 'urlId' | 'hasSlug'> | undefined;
  readonly span: QrSpan;
}

/** What reports on scans need to know of codes. */
export class ScanRepository {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** A code of an organization, a deleted one too. */
  async findCode(organizationId: string, qrId: string): Promise<FoundCode | undefined> {
    const row = await this.#database.read
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
}
