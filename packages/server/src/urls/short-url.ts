import type { Kysely, Selectable } from 'kysely';
import type { Schema } from '../storage/database.js';
import { searchTextOf } from '../storage/search-text.js';
import { settingsHashOf } from '../storage/settings-hash.js';
import { formatTags, parseTags } from '../storage/tag-text.js';
import type { LinkPreview } from './link-preview.js';
import type { LinkRule } from './link-rules.js';

/** A stored link. Instants are milliseconds since 1970. */
export type ShortUrl = Readonly<ReturnType<typeof fromRow>>;

export type RedirectType = 301 | 302 | 307 | 308;

type UrlRow = Awaited<ReturnType<ReturnType<typeof selectUrls>['execute']>>[number];

/** Selects links with the hostnames of their custom domains and their clicks, for `fromRow`. */
export function selectUrls(db: Kysely<Schema>) {
  return db
    .selectFrom('urls')
    .leftJoin('domains', 'domains.id', 'urls.domain_id')
    .leftJoin('url_clicks', 'url_clicks.url_id', 'urls.id')
    .leftJoin('used_clicks', 'used_clicks.url_id', 'urls.id')
    .leftJoin('takedowns', 'takedowns.id', 'urls.id')
    .select(['urls.id', 'urls.organization_id as organizationId', 'domain_id as domainId'])
    .select(['hostname', 'short_code as shortCode', 'custom_slug as customSlug'])
    .select('external_id as externalId')
    .select(['target_url as targetUrl', 'title', 'description', 'category', 'tags'])
    .select(['redirect_type as redirectType', 'expires_at as expiresAt'])
    .select(['activates_at as activatesAt', 'urls.expired_url as expiredUrl'])
    .select(['urls.deleted_at as deletedAt', 'max_clicks as maxClicks'])
    .select(['erased_clicks as erasedClicks', 'excluded_visits as excludedClicks'])
    .select(['password_hash as passwordHash', 'source_domain as sourceDomain'])
    .select(['utm_source as utmSource', 'utm_medium as utmMedium', 'utm_campaign as utmCampaign'])
    .select(['utm_term as utmTerm', 'utm_content as utmContent'])
    .select(['custom_utm_params as customUtmParams', 'urls.is_active as isActive'])
    .select(['url_clicks.clicks', 'used_clicks.clicks as usedClicks'])
    .select(['last_clicked_at as lastClickAt', 'imported_clicks as importedClicks'])
    .select(['urls.forward_query as forwardQuery', 'urls.forward_path as forwardPath'])
    .select(['click_thresholds as clickThresholds', 'rules', 'preview'])
    .select(['takedowns.created_at as takenDownAt', 'takedowns.reason as takedownReason'])
    .select(['urls.created_at as createdAt', 'urls.updated_at as updatedAt']);
}

const noRules: readonly LinkRule[] = [];

/** Returns the rules of a row. */
export function parseRules(text: string | null): readonly LinkRule[] {
  return text === null ? noRules : JSON.parse(text);
}

// Lists the fields, because V8 takes 12 µs instead of 1 µs for a spread. A page has 100 links.
export function fromRow(row: UrlRow) {
  return {
    id: row.id,
    organizationId: row.organizationId,
    domainId: row.domainId,
    hostname: row.hostname,
    shortCode: row.shortCode,
    customSlug: row.customSlug,
    externalId: row.externalId,
    targetUrl: row.targetUrl,
    title: row.title,
    description: row.description,
    category: row.category,
    tags: parseTags(row.tags),
    redirectType: row.redirectType as RedirectType,
    activatesAt: row.activatesAt,
    expiresAt: row.expiresAt,
    expiredUrl: row.expiredUrl,
    passwordHash: row.passwordHash,
    sourceDomain: row.sourceDomain,
    utmSource: row.utmSource,
    utmMedium: row.utmMedium,
    utmCampaign: row.utmCampaign,
    utmTerm: row.utmTerm,
    utmContent: row.utmContent,
    customUtmParams: JSON.parse(row.customUtmParams) as Record<string, string>,
    isActive: row.isActive === 1,
    deletedAt: row.deletedAt,
    maxClicks: row.maxClicks,
    erasedClicks: row.erasedClicks ?? 0,
    usedClicks: row.usedClicks ?? 0,
    clickCount: row.clicks ?? 0,
    excludedClicks: row.excludedClicks ?? 0,
    importedClicks: row.importedClicks,
    clickThresholds:
      row.clickThresholds === null ? null : (JSON.parse(row.clickThresholds) as number[]),
    forwardQuery: toBoolean(row.forwardQuery),
    forwardPath: toBoolean(row.forwardPath),
    rules: parseRules(row.rules),
    preview: row.preview === null ? null : (JSON.parse(row.preview) as LinkPreview),
    lastClickAt: row.lastClickAt,
    takenDownAt: row.takenDownAt,
    takedownReason: row.takedownReason,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

// Lists the fields, because V8 takes 26 µs instead of 1 µs for a spread. A bulk request has 100 links.
export function toRow(url: ShortUrl): Selectable<Schema['urls']> {
  const tags = formatTags(url.tags);
  const row = {
    id: url.id,
    organization_id: url.organizationId,
    domain_id: url.domainId,
    short_code: url.shortCode,
    custom_slug: url.customSlug,
    external_id: url.externalId,
    target_url: url.targetUrl,
    title: url.title,
    description: url.description,
    category: url.category,
    tags,
    redirect_type: url.redirectType,
    activates_at: url.activatesAt,
    expires_at: url.expiresAt,
    expired_url: url.expiredUrl,
    password_hash: url.passwordHash,
    utm_source: url.utmSource,
    utm_medium: url.utmMedium,
    utm_campaign: url.utmCampaign,
    utm_term: url.utmTerm,
    utm_content: url.utmContent,
    custom_utm_params: JSON.stringify(url.customUtmParams),
    source_domain: url.sourceDomain,
    imported_clicks: url.importedClicks,
    click_thresholds: url.clickThresholds === null ? null : JSON.stringify(url.clickThresholds),
    forward_query: toInteger(url.forwardQuery),
    forward_path: toInteger(url.forwardPath),
    rules: url.rules.length === 0 ? null : JSON.stringify(url.rules),
    preview: url.preview === null ? null : JSON.stringify(url.preview),
    is_active: url.isActive ? 1 : 0,
    deleted_at: url.deletedAt,
    max_clicks: url.maxClicks,
    created_at: url.createdAt,
    updated_at: url.updatedAt,
    search_text: searchTextOf({
      title: url.title,
      target_url: url.targetUrl,
      custom_slug: url.customSlug,
      short_code: url.shortCode,
      description: url.description,
      tags,
    }),
    settings_hash: 0,
  };
  row.settings_hash = settingsHashOf(row);
  return row;
}

function toBoolean(value: number | null): boolean | null {
  return value === null ? null : value === 1;
}

function toInteger(value: boolean | null): number | null {
  return value === null ? null : Number(value);
}

/** Returns whether `expiresAt` has passed. Such a link never redirects, even while it is active. */
export function isExpired(url: { expiresAt: number | null }, now: number): boolean {
  return url.expiresAt !== null && url.expiresAt <= now;
}

/** Returns whether the link is active, and has not expired. */
export function isLive(url: Pick<ShortUrl, 'isActive' | 'expiresAt'>, now: number): boolean {
  return url.isActive && !isExpired(url, now);
}

/**
 * Returns how many clicks of a link with a limit are left; null without a limit. Clicks are in storage only
 * some time after visitors have taken them.
 */
export function clicksLeftOf({
  maxClicks,
  clickCount,
  erasedClicks,
  usedClicks,
}: Pick<ShortUrl, 'maxClicks' | 'clickCount' | 'erasedClicks' | 'usedClicks'>): number | null {
  if (maxClicks === null) return null;
  return Math.max(0, maxClicks - Math.max(clickCount + erasedClicks, usedClicks));
}
