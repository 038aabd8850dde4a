import { hash } from 'node:crypto';
import type { Kysely, Selectable } from 'kysely';
import type { Schema } from '../storage/database.js';
import { searchTextOf } from '../storage/search-text.js';
import {
  createsObjects,
  emptyValues,
  fieldSelections,
  type LinkValues,
  readFields,
  redirectColumns,
  writeFields,
} from './link-fields.js';

/** What other tables have of a link. */
const joinedFields = {
  /** The hostname of its custom domain; null on the platform's domain. */
  hostname: null as string | null,
  clickCount: 0,
  excludedClicks: 0,
  /** The clicks that erasures of visits removed from `clickCount`. */
  erasedClicks: 0,
  /** The clicks that visitors have taken of `maxClicks`. */
  usedClicks: 0,
  lastClickAt: null as number | null,
};
type JoinedFields = typeof joinedFields;

/** A stored link. Instants are milliseconds since 1970. */
export interface ShortUrl extends LinkValues, Readonly<JoinedFields> {}

export const emptyUrl: ShortUrl = { ...emptyValues, ...joinedFields };

type UrlRow = Awaited<ReturnType<ReturnType<typeof selectUrls>['execute']>>[number];

/** Selects links with the hostnames of their custom domains and their clicks, for `fromRow`. */
export function selectUrls(db: Kysely<Schema>) {
  return db
    .selectFrom('urls')
    .leftJoin('domains', 'domains.id', 'urls.domain_id')
    .leftJoin('url_clicks', 'url_clicks.url_id', 'urls.id')
    .leftJoin('used_clicks', 'used_clicks.url_id', 'urls.id')
    .select(fieldSelections)
    .select(['hostname', 'url_clicks.clicks as clickCount', 'excluded_visits as excludedClicks'])
    .select(['erased_clicks as erasedClicks', 'used_clicks.clicks as usedClicks'])
    .select('last_clicked_at as lastClickAt');
}

const newUrl = createsObjects(Object.keys(emptyUrl));
const joinedNames = Object.keys(joinedFields) as (keyof JoinedFields)[];

export function fromRow(row: UrlRow): ShortUrl {
  const url = newUrl() as { -readonly [Name in keyof ShortUrl]: unknown };
  readFields(row, url);
  for (const name of joinedNames) url[name] = row[name] ?? joinedFields[name];
  return url as ShortUrl;
}

export function toRow(url: ShortUrl): Selectable<Schema['urls']> {
  const row = writeFields(url);
  const computed = { search_text: searchTextOf(row), settings_hash: settingsHashOf(row) };
  // The row has both columns already. To copy it with others takes four times as long as the rest.
  return Object.assign(row, computed);
}

/**
 * Returns the hash of a link's organization, target and settings, stored in `urls.settings_hash`. It has 53
 * bits, so that it is an integer in JavaScript, too. Null is not hashed, so a new column changes no hash.
 */
export function settingsHashOf(row: Readonly<Record<string, unknown>>): number {
  const settings = redirectColumns.flatMap((column) =>
    row[column] == null ? [] : [column, String(row[column])],
  );
  return Number(hash('sha256', JSON.stringify(settings), 'buffer').readBigUInt64BE() >> 11n);
}

/** Returns whether `expiresAt` has passed. Such a link never redirects, even while it is active. */
export function isExpired(url: { expiresAt: number | null }, now: number): boolean {
  return url.expiresAt !== null && url.expiresAt <= now;
}

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
