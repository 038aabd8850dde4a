import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../storage/database.js';
import type { ReportClock } from './report-limits.js';
import { type UrlFilter, urlCondition } from './url-filter.js';

/** The current counts of an organization's URLs. */
export interface UrlTotals {
  readonly totalUrls: number;
  /** Those that redirect now. */
  readonly activeUrls: number;
  readonly importedClicks: number;
}

const urlsPerPage = 4_096;

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
 * now, and their imported clicks. The database joins the ids of a page, which takes a fifth of the time of rows.
 */
export async function readUrlIds(
  { db, clock }: { readonly db: Kysely<Schema>; readonly clock: ReportClock },
  organizationId: string,
  now: number,
  filter: UrlFilter,
): Promise<UrlTotals & { readonly urlIds: Float64Array }> {
  const urlIds: number[] = [];
  let activeUrls = 0;
  let importedClicks = 0;
  let last = { createdAt: -1, id: 0 };
  for (;;) {
    // Reads the same number of rows for each page, however few of them the filter selects.
    const { rows } = await sql<UrlIdPage>`
      select string_agg(cast(case when is_selected = 1 then id else -id end as text), ','
          order by created_at, id) as ids,
        max(created_at) as "createdAt",
        sum(case when is_selected = 1 then imported_clicks else 0 end) as imported,
        sum(case when is_selected = 1 and is_active = 1
          and (expires_at is null or expires_at > ${now}) then 1 else 0 end) as active
      from (
        select id, created_at, is_active, expires_at, imported_clicks,
          case when ${urlCondition(filter)} then 1 else 0 end as is_selected
        from urls
        where organization_id = ${organizationId}
          and (created_at, id) > (${last.createdAt}, ${last.id})
        order by created_at, id limit ${urlsPerPage}
      ) as page`.execute(db);
    const page = rows[0] as UrlIdPage;
    const ids = JSON.parse(`[${page.ids ?? ''}]`) as number[];
    for (const id of ids) if (id > 0) urlIds.push(id);
    activeUrls += Number(page.active);
    importedClicks += Number(page.imported);
    await clock.pause();
    if (ids.length < urlsPerPage) break;
    last = { createdAt: page.createdAt, id: Math.abs(ids.at(-1) as number) };
  }
  return {
    urlIds: Float64Array.from(urlIds).sort(),
    totalUrls: urlIds.length,
    activeUrls,
    importedClicks,
  };
}

interface UrlIdPage {
  /** Separated by commas, negative if the filter does not select them; null if the page is empty. */
  readonly ids: string | null;
  /** Of the last URL. */
  readonly createdAt: number;
  readonly active: number | null;
  readonly imported: number | null;
}
