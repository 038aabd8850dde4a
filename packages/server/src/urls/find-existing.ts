import { type Kysely, type SqlBool, sql } from 'kysely';
import type { Schema, WriteTransaction } from '../storage/database.js';
import { redirectColumns } from './link-fields.js';
import { fromRow, type ShortUrl, selectUrls, toRow } from './short-url.js';
import { domainKeyOf } from './url-keys.js';

/** Returns the ids of an organization's links by their external ids. Omits those that no link has. */
export async function findExternalIds(
  db: Kysely<Schema>,
  organizationId: string,
  externalIds: readonly (string | null)[],
): Promise<Map<string, number>> {
  const wanted = externalIds.filter((externalId) => externalId !== null);
  if (wanted.length === 0) return new Map();
  const rows = await db
    .selectFrom('urls')
    .select(['id', 'external_id'])
    .where('organization_id', '=', organizationId)
    .where('external_id', 'in', wanted)
    .execute();
  return new Map(rows.map(({ id, external_id }) => [external_id as string, id]));
}

/**
 * Returns the first link that redirects like a new link would: it is active if this is, has the same target
 * and the same settings, and the slug and the external id of the new link if this has them. Reads the link
 * with the slug or the external id, or else links with the same hash.
 */
export async function findEquivalent(
  transaction: WriteTransaction,
  url: ShortUrl,
  importedCode: string | null,
): Promise<ShortUrl | undefined> {
  const row = toRow(url);
  const { customSlug, externalId } = url;
  let query = selectUrls(transaction);
  const ownerOf = (key: string) =>
    transaction
      .selectFrom('url_keys')
      .select('url_id')
      .where('domain_key', '=', domainKeyOf(url.domainId))
      .where('key', '=', key);
  if (customSlug !== null) {
    query = query.where('urls.id', 'in', ownerOf(customSlug)).where('custom_slug', '=', customSlug);
  }
  if (importedCode !== null) {
    query = query
      .where('urls.id', 'in', ownerOf(importedCode))
      .where('short_code', '=', importedCode);
  }
  if (externalId !== null) {
    query = query
      .where('urls.organization_id', '=', url.organizationId)
      .where('external_id', '=', externalId);
  }
  if (customSlug === null && externalId === null && importedCode === null) {
    query = query.where('settings_hash', '=', row.settings_hash);
  }
  // Links with the same hash may differ.
  const equal = redirectColumns.map(
    (column) => sql<SqlBool>`${sql.ref(`urls.${column}`)} is not distinct from ${row[column]}`,
  );
  const found = await query
    .where('urls.is_active', '=', row.is_active)
    .where('urls.deleted_at', 'is', null)
    .where('takedowns.id', 'is', null)
    .where(sql<SqlBool>`${sql.join(equal, sql` and `)}`)
    .orderBy('urls.id')
    .limit(1)
    .executeTakeFirst();
  return found && fromRow(found);
}

/** The new links of one request, by what an equal link must have. */
export class EqualLinks {
  readonly #byKey = new Map<string, ShortUrl>();

  add(url: ShortUrl, importedCode: string | null): void {
    const settings = settingsOf(url);
    for (const customSlug of new Set([url.customSlug, null])) {
      for (const externalId of new Set([url.externalId, null])) {
        for (const code of new Set([importedCode, null])) {
          const key = JSON.stringify([settings, customSlug, externalId, code]);
          if (!this.#byKey.has(key)) this.#byKey.set(key, url);
        }
      }
    }
  }

  /** Returns the first link that can be used instead of the new link `url`. */
  find(url: ShortUrl, importedCode: string | null): ShortUrl | undefined {
    const { customSlug, externalId } = url;
    return this.#byKey.get(JSON.stringify([settingsOf(url), customSlug, externalId, importedCode]));
  }
}

function settingsOf(url: ShortUrl) {
  const row = toRow(url);
  return [row.is_active, ...redirectColumns.map((column) => row[column])];
}
