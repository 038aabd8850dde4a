import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { tagTextOf } from '../../storage/tag-text.js';

/** Selects URLs that match each field that is set, by one of its values. */
export interface UrlFilter {
  readonly tag?: readonly string[] | undefined;
  readonly domainId?: readonly string[] | undefined;
  readonly urlId?: readonly number[] | undefined;
}

export function hasFilter({ tag, domainId, urlId }: UrlFilter): boolean {
  return tag !== undefined || domainId !== undefined || urlId !== undefined;
}

/** Returns the condition on the table `urls`. */
export function urlCondition({ tag, domainId, urlId }: UrlFilter): RawBuilder<SqlBool> {
  const conditions: RawBuilder<SqlBool>[] = [sql`true`];
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
