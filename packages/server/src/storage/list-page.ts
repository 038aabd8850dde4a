import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Page, PageRange, Position } from '../contract/fields.js';
import type { Database, Engine, Schema } from './database.js';
import type { Table } from './schema.js';

type Condition = RawBuilder<SqlBool> | undefined;

/** A list of one owner's rows, or of all rows of a table without owners. */
export interface ListQuery extends PageRange {
  readonly table: Table;
  /**
   * The owner's column and its value. The table has an index of (column, `created_at`, `id`) over the
   * rows for which `indexed` is true. A table without owners has one of (`created_at`, `id`).
   */
  readonly owner?: { readonly column: string; readonly value: string | number };
  readonly indexed?: Condition;
  /**
   * The index of `owner` and `indexed`, if the table has several that begin with the owner's column.
   * SQLite has no statistics to select it by.
   */
  readonly index?: string | undefined;
  /** Selects among the indexed rows; undefined lists all of them. */
  readonly condition?: Condition;
  /** Newest first by default. */
  readonly order?: ListOrder | undefined;
}

/** The order of a list: by a value, then by `id`, both in the same direction. */
export interface ListOrder {
  /** Computes the value, which is never null. `created_at` by default, for which there is an index. */
  readonly key?: RawBuilder<number> | undefined;
  readonly direction: 'asc' | 'desc';
}

export interface ListPage<Id> {
  /** Undefined for a page that starts after a position, because the rows are not counted again. */
  readonly total: number | undefined;
  readonly ids: readonly Id[];
  /** The value that orders the list, for each of the ids. */
  readonly keys: readonly number[];
  /** The position of the last row; undefined when no row follows it. */
  readonly next: Position | undefined;
}

/** Returns the condition that all of the given ones hold; undefined without any. */
export function allOf(
  ...conditions: readonly (RawBuilder<unknown> | false | undefined)[]
): Condition {
  const given = conditions.filter((each) => each !== undefined && each !== false);
  return given.length === 0 ? undefined : sql`(${sql.join(given, sql` and `)})`;
}

/** Returns the condition that a row was created within the window of a filter. */
export function createdWithin(since: string | undefined, until: string | undefined): Condition {
  return allOf(
    since !== undefined && sql`created_at >= ${Date.parse(since)}`,
    until !== undefined && sql`created_at < ${Date.parse(until)}`,
  );
}

/** A row of a list, which is what a position consists of, with the number of all rows. */
interface CountedRow {
  readonly total?: number;
  readonly key: number;
  /** Null for the count of a page without rows. */
  readonly id: number | string | null;
}

/** Reads one page of a list, and the total number of its rows unless the page starts after a position. */
export async function readListPage<Id extends string | number>(
  { engine, read }: Pick<Database, 'engine' | 'read'>,
  query: ListQuery,
): Promise<ListPage<Id>> {
  const { limit, offset, after } = query;
  const direction = sql.raw(query.order?.direction ?? 'desc');
  // The row that follows the page is read, too.
  const page = sql`order by key ${direction}, id ${direction} limit ${limit + 1} offset ${offset}`;
  const statement = after
    ? sql<CountedRow>`select key, id from (${rowsAfter(engine, query, after)}) as rest ${page}`
    : sql<CountedRow>`with found as ${sql.raw(storageOf(engine, query))} (${rowsOf(engine, query)}),
        page as (select key, id from found ${page})
      select total, key, id from (select count(*) as total from found) as counted
        left join page on true order by key ${direction}, id ${direction}`;
  const { rows } = await statement.execute(read);
  const found = rows.flatMap(({ key, id }) => (id === null ? [] : [{ key, id }]));
  const items = found.slice(0, limit);
  const last = found.length > limit ? items.at(-1) : undefined;
  return {
    total: after ? undefined : Number(rows[0]?.total),
    ids: items.map(({ id }) => id as Id),
    keys: items.map(({ key }) => key),
    next: last && [last.key, last.id],
  };
}

/**
 * Whether the rows are found once for both the count and the page. A count by an index alone needs no
 * rows, and SQLite copies rows more slowly than it finds them again.
 */
function storageOf(engine: Engine, { condition, order }: ListQuery): string {
  const isStored = engine === 'postgres' && (condition || order?.key);
  return isStored ? 'materialized' : 'not materialized';
}

function rowsOf(
  engine: Engine,
  { table, owner, indexed, index, condition, order }: ListQuery,
): RawBuilder<unknown> {
  const hint = engine === 'sqlite' && index !== undefined && sql`indexed by ${sql.ref(index)}`;
  return sql`select ${order?.key ?? sql`created_at`} as key, ${sql.ref(`${table}.id`)} as id
    from ${sql.table(table)} ${hint || sql``}
    where ${owner ? sql`${sql.ref(owner.column)} = ${owner.value}` : sql`true`}
      and ${indexed ?? sql`true`} and ${condition ?? sql`true`}`;
}

function rowsAfter(engine: Engine, query: ListQuery, [key, id]: Position): RawBuilder<unknown> {
  const { table, order } = query;
  const rows = rowsOf(engine, query);
  const ordered = order?.key ?? sql`created_at`;
  const ownId = sql.ref(`${table}.id`);
  const comesAfter = sql.raw(order?.direction === 'asc' ? '>' : '<');
  if (engine === 'postgres' || order?.key) {
    return sql`${rows} and (${ordered}, ${ownId}) ${comesAfter} (${key}, ${id})`;
  }
  // SQLite looks up only the first column of a comparison of rows in the index, and would read all rows
  // of the position's millisecond for each page.
  return sql`${rows} and ${ordered} = ${key} and ${ownId} ${comesAfter} ${id}
    union all ${rows} and ${ordered} ${comesAfter} ${key}`;
}

/**
 * Reads one page of a list. `find` returns the rows of some ids in any order. `keys` are the values by which
 * the rows are ordered.
 */
export async function readList<Id extends string | number, Row extends { readonly id: Id }>(
  database: Database,
  query: ListQuery,
  find: (ids: readonly Id[], keys: ListPage<Id>['keys']) => Promise<readonly Row[]>,
): Promise<Page<Row>> {
  const { ids, keys, total, next } = await readListPage<Id>(database, query);
  const rows = ids.length === 0 ? [] : await find(ids, keys);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return { total, next, items: ids.flatMap((id) => byId.get(id) ?? []) };
}

/** Returns the function that reads one page of the rows that an organization has in a table. */
export function listOf<
  Row,
  Item extends { readonly id: string },
  Filter extends PageRange = PageRange,
>(
  table: ListQuery['table'],
  select: (db: Kysely<Schema>, organizationId: string) => Selection<Row>,
  fromRow: (row: Row, database: Database) => Item,
  indexed?: Condition,
  conditionOf: (filter: Filter) => Condition | undefined = () => undefined,
) {
  return (database: Database, organizationId: string, filter: Filter): Promise<Page<Item>> => {
    const { limit, offset, after } = filter;
    const owner = { column: 'organization_id', value: organizationId };
    const query = { table, owner, indexed, condition: conditionOf(filter), limit, offset, after };
    return readList(database, query, async (ids: readonly string[]) => {
      const rows = select(database.read, organizationId).where('id', 'in', ids);
      return (await rows.execute()).map((row) => fromRow(row, database));
    });
  };
}

/** A query of Kysely. */
interface Selection<Row> {
  where(column: 'id', operator: 'in', ids: readonly string[]): { execute(): Promise<Row[]> };
}
