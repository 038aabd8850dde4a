import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { LinkRestriction } from '../../contract/caller.js';
import type { Schema } from '../../storage/database.js';
import { isWithin } from '../../storage/link-restriction.js';
import { tagTextOf } from '../../storage/tag-text.js';

/** Selects URLs that match each field that is set, by one of its values. */
export interface UrlFilter {
  readonly tag?: readonly string[] | undefined;
  readonly domainId?: readonly string[] | undefined;
  readonly urlId?: readonly number[] | undefined;
  readonly restriction?: LinkRestriction | undefined;
}

export function hasFilter(filter: UrlFilter): boolean {
  return Object.values(filter).some((value) => value !== undefined);
}

export function urlCondition(filter: UrlFilter): RawBuilder<SqlBool> {
  const { tag, domainId, urlId, restriction } = filter;
  const conditions: RawBuilder<SqlBool>[] = [isWithin(restriction)];
  if (tag !== undefined) {
    const hasTag = tag.map(
      // Unlike `like`, it has no special characters.
      (each) => sql`replace(urls.tags, ${tagTextOf(each)}, '') <> urls.tags`,
    );
    conditions.push(sql`(${sql.join(hasTag, sql` or `)})`);
  }
  if (domainId !== undefined) conditions.push(sql`urls.domain_id in (${sql.join(domainId)})`);
  if (urlId !== undefined) conditions.push(sql`urls.id in (${sql.join(urlId)})`);
  return sql`${sql.join(conditions, sql` and `)}`;
}

export interface UrlTotals {
  readonly totalUrls: number;
  readonly activeUrls: number;
  readonly importedClicks: number;
}

/** Counts all URLs of an organization without reading them. */
export async function countUrls(
  db: Kysely<Schema>,
  organizationId: string,
  now: number,
): Promise<UrlTotals> {
  // The indexes of these counts have the key `organization_id || ''`.
  const isOwn = sql`organization_id || '' = ${organizationId}`;
  const { rows } = await sql<Record<'active' | 'inactive' | 'expired' | 'imported', number>>`
    select active_urls as active,
      (select count(*) from urls where ${isOwn} and is_active = 0) as inactive,
      (select count(*) from urls where ${isOwn} and is_active = 1
        and expires_at is not null and expires_at <= ${now}) as expired,
      (select coalesce(sum(imported_clicks), 0) from urls
        where ${isOwn} and imported_clicks > 0) as imported
    from organizations where id = ${organizationId}`.execute(db);
  const { active = 0, inactive = 0, expired = 0, imported = 0 } = rows[0] ?? {};
  return {
    totalUrls: Number(active) + Number(inactive),
    activeUrls: Number(active) - Number(expired),
    importedClicks: Number(imported),
  };
}

/**
 * Reads the ids of an organization's selected URLs in ascending order, and counts those that redirect
 * now, and their imported clicks. The database joins the ids, which takes a fifth of the time of rows.
 */
export async function readUrlIds(
  db: Kysely<Schema>,
  organizationId: string,
  now: number,
  filter: UrlFilter,
): Promise<UrlTotals & { readonly urlIds: Float64Array }> {
  const { rows } = await sql<{ ids: string | null; active: number; imported: number }>`
    select string_agg(cast(id as text), ',') as ids, count(case when is_active = 1
        and (expires_at is null or expires_at > ${now}) then 1 end) as active,
      coalesce(sum(imported_clicks), 0) as imported
    from urls where organization_id = ${organizationId} and ${urlCondition(filter)}`.execute(db);
  const { ids = null, active = 0, imported = 0 } = rows[0] ?? {};
  const urlIds = Float64Array.from(JSON.parse(`[${ids ?? ''}]`) as number[]).sort();
  return {
    urlIds,
    totalUrls: urlIds.length,
    activeUrls: Number(active),
    importedClicks: Number(imported),
  };
}
