import { type Kysely, type SqlBool, sql } from 'kysely';
import type { Schema, WriteTransaction } from '../storage/database.js';
import { fromRow, type ShortUrl, selectUrls, toRow } from './short-url.js';
import { maxComparedLinks } from './url-contract.js';

type UrlColumn = keyof Schema['urls'];

// What tells links apart or describes them. All other columns decide where and how a link redirects.
const ignoredColumns: ReadonlySet<string> = new Set<UrlColumn>([
  'id',
  'organization_id',
  'short_code',
  'custom_slug',
  'external_id',
  'target_url',
  'title',
  'description',
  'category',
  'tags',
  'source_domain',
  'click_thresholds',
  'imported_clicks',
  'preview_fetch',
  'preview_due_at',
  'search_text',
  'created_at',
  'updated_at',
]);

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
 * Returns the first link that redirects like a new link would: it is active, has the same target and
 * the same settings, and the slug and the external id of the new link if this has them. Only the first
 * `maxComparedLinks` links with the target are compared.
 */
export async function findEquivalent(
  transaction: WriteTransaction,
  url: ShortUrl,
): Promise<ShortUrl | undefined> {
  const withTarget = sql<number>`(select id from urls
    where (organization_id || ' ' || target_url) = ${`${url.organizationId} ${url.targetUrl}`}
    order by id limit ${sql.lit(maxComparedLinks)})`;
  const equal = comparedColumns(url).map(
    ([column, value]) => sql<SqlBool>`${sql.ref(`urls.${column}`)} is not distinct from ${value}`,
  );
  const row = await selectUrls(transaction)
    .where('urls.id', 'in', withTarget)
    .where('takedowns.id', 'is', null)
    .where(sql<SqlBool>`${sql.join(equal, sql` and `)}`)
    .orderBy('urls.id')
    .limit(1)
    .executeTakeFirst();
  return row && fromRow(row);
}

/** Returns whether `existing` can be used instead of the new link `url`. For links of one request. */
export function isEquivalent(existing: ShortUrl, url: ShortUrl): boolean {
  const row: Readonly<Record<string, unknown>> = toRow(existing);
  return (
    existing.targetUrl === url.targetUrl &&
    comparedColumns(url).every(([column, value]) => row[column] === value)
  );
}

function comparedColumns(url: ShortUrl): [column: string, value: string | number | null][] {
  const { customSlug, externalId } = url;
  return Object.entries(toRow(url)).filter(
    ([column]) =>
      !ignoredColumns.has(column) ||
      (column === 'custom_slug' && customSlug !== null) ||
      (column === 'external_id' && externalId !== null),
  );
}
