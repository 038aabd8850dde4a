import { type Kysely, type SqlBool, sql } from 'kysely';
import type { LinkRestriction } from '../contract/caller.js';
import type { Schema, WriteTransaction } from '../storage/database.js';
import { isWithin } from '../storage/link-restriction.js';
import { redirectColumns } from './link-fields.js';
import { fromRow, type ShortUrl, selectUrls, type toRow } from './short-url.js';
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

/** A new link, its row, and its short code if the request has it. */
export interface Candidate {
  readonly url: ShortUrl;
  readonly row: ReturnType<typeof toRow>;
  readonly importedCode: string | null;
}

/**
 * Returns the first link that redirects like a new link would: it is active if this is, has the same target
 * and the same settings, and the slug, imported code and external id of the new link if this has them.
 * Reads the link with one of these, or else links with the same hash, within the restriction.
 */
export async function findEquivalent(
  transaction: WriteTransaction,
  { url, row, importedCode }: Candidate,
  restriction: LinkRestriction | undefined,
): Promise<ShortUrl | undefined> {
  const { customSlug, externalId, organizationId } = url;
  const ownerOf = (key: string) =>
    transaction
      .selectFrom('url_keys')
      .select('url_id')
      .where('domain_key', '=', domainKeyOf(url.domainId))
      .where('key', '=', key);
  let query = selectUrls(transaction);
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
      .where('urls.organization_id', '=', organizationId)
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
    .where(isWithin(restriction))
    .where(sql<SqlBool>`${sql.join(equal, sql` and `)}`)
    .orderBy('urls.id')
    .limit(1)
    .executeTakeFirst();
  return found && fromRow(found);
}

/** Returns whether another new link can be used instead of this one, as `findEquivalent` decides it. */
export function isEquivalent(other: Candidate, { url, row, importedCode }: Candidate): boolean {
  return (
    other.row.settings_hash === row.settings_hash &&
    other.row.is_active === row.is_active &&
    redirectColumns.every((column) => other.row[column] === row[column]) &&
    (url.customSlug === null || other.url.customSlug === url.customSlug) &&
    (url.externalId === null || other.url.externalId === url.externalId) &&
    (importedCode === null || other.importedCode === importedCode)
  );
}
