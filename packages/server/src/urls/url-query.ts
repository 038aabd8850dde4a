import { type Expression, type ExpressionBuilder, type Kysely, type SqlBool, sql } from 'kysely';
import type { Schema } from '../storage/database.js';
import { tagNeedle } from './url-row.js';

export interface ListFilter {
  readonly limit: number;
  readonly offset: number;
  readonly isActive?: boolean | undefined;
  readonly search?: string | undefined;
  readonly tag?: string | undefined;
  readonly category?: string | undefined;
  readonly domainId?: string | undefined;
}

/** Links with all that `fromRow` needs. */
export function selectUrls(db: Kysely<Schema>) {
  return db
    .selectFrom('urls')
    .leftJoin('domains', 'domains.id', 'urls.domain_id')
    .leftJoin('url_clicks', 'url_clicks.url_id', 'urls.id')
    .selectAll('urls')
    .select(['domains.hostname', 'url_clicks.clicks']);
}

const searchedColumns = [
  'urls.title',
  'urls.target_url',
  'urls.custom_slug',
  'urls.short_code',
] as const;

/** Whether a link of the organization passes every filter that is set. */
export function matches(
  expression: ExpressionBuilder<Schema, 'urls'>,
  organizationId: string,
  filter: ListFilter,
  now: number,
) {
  const { isActive, category, domainId, tag, search } = filter;
  const conditions: Expression<SqlBool>[] = [
    expression('urls.organization_id', '=', organizationId),
  ];
  if (isActive !== undefined) {
    const live = expression.and([
      expression('urls.is_active', '=', 1),
      expression.or([
        expression('urls.expires_at', 'is', null),
        expression('urls.expires_at', '>', now),
      ]),
    ]);
    conditions.push(isActive ? live : expression.not(live));
  }
  if (category !== undefined) conditions.push(expression('urls.category', '=', category));
  if (domainId !== undefined) conditions.push(expression('urls.domain_id', '=', domainId));
  if (tag !== undefined) {
    conditions.push(contains(expression.ref('urls.tags'), tagNeedle(tag)));
  }
  if (search !== undefined) {
    const needle = search.toLowerCase();
    conditions.push(
      expression.or(
        searchedColumns.map((column) =>
          contains(expression.fn('lower_unicode', [expression.ref(column)]), needle),
        ),
      ),
    );
  }
  return expression.and(conditions);
}

function contains(text: Expression<string | null>, needle: string): Expression<SqlBool> {
  const pattern = `%${needle.replace(/[\\%_]/g, '\\$&')}%`;
  return sql<SqlBool>`coalesce(${text} like ${pattern} escape '\\', false)`;
}
