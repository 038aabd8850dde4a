import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Page, Position } from '../contract/fields.js';
import { yieldToEventLoop } from '../yield-to-event-loop.js';
import { type Database, ListTimeoutError, type Schema } from './database.js';
import type { ListPage, ListQuery } from './list-query.js';

/** The time limit of a list, after which it fails with a ListTimeoutError. */
export const listTimeoutMs = 10_000;

// Rows in memory take about a microsecond each, and rows on a disk a thousand times as long.
const fewestRows = 32;
const mostRows = 4_096;
const sliceMs = 10;

/** Limits the time of a list, and adapts the size of its slices to the time that they take. */
export class ListClock {
  /** The number of rows that the next slice should read. */
  rowsAtOnce = 256;
  readonly #timeoutMs: number;
  readonly #now: () => number;
  #usedMs = 0;

  constructor(timeoutMs: number, now = () => performance.now()) {
    this.#timeoutMs = timeoutMs;
    this.#now = now;
  }

  /**
   * Runs a slice, then yields to other work of the thread. Throws a ListTimeoutError when the slices
   * together have taken too long.
   */
  async run<T>(slice: () => Promise<T>): Promise<T> {
    const startedAt = this.#now();
    const result = await slice();
    const tookMs = this.#now() - startedAt;
    this.#usedMs += tookMs;
    if (this.#usedMs > this.#timeoutMs) throw new ListTimeoutError(this.#timeoutMs);
    if (tookMs > sliceMs) this.rowsAtOnce = Math.max(fewestRows, this.rowsAtOnce / 4);
    else if (tookMs < sliceMs / 2) this.rowsAtOnce = Math.min(mostRows, this.rowsAtOnce * 2);
    await yieldToEventLoop();
    return result;
  }
}

/** Joins conditions with `and`. */
export function allOf(...conditions: readonly RawBuilder<unknown>[]): RawBuilder<SqlBool> {
  return sql`(${sql.join(conditions, sql` and `)})`;
}

/** Returns the `from` and `where` clauses for the indexed rows. `hint` follows the name of the table. */
export function rowsOf(
  { table, owner, indexed }: ListQuery,
  hint: RawBuilder<unknown> = sql``,
): RawBuilder<unknown> {
  return sql`from ${sql.table(table)} ${hint}
    where ${owner ? sql`${sql.ref(owner.column)} = ${owner.value}` : sql`true`} and ${indexed ?? sql`true`}`;
}

/** Returns the value by which a list is ordered. */
export function keyOf({ order }: ListQuery): RawBuilder<unknown> {
  return order?.key ?? sql`created_at`;
}

/** Returns the `order by` clause. */
export function sortedBy(query: ListQuery): RawBuilder<unknown> {
  const direction = sql.raw(directionOf(query));
  return sql`order by ${keyOf(query)} ${direction}, ${idOf(query)} ${direction}`;
}

/** Returns the condition of the rows that follow a position. */
export function isAfter(query: ListQuery, position: Position): RawBuilder<SqlBool> {
  return compare(query, directionOf(query) === 'asc' ? '>' : '<', position);
}

/** Returns the condition of the rows up to a position, its own row included. */
export function isUntil(query: ListQuery, position: Position): RawBuilder<SqlBool> {
  return compare(query, directionOf(query) === 'asc' ? '<=' : '>=', position);
}

/**
 * Returns the `from` and `where` clauses of the next rows of the index, and the position of the last of
 * them; undefined for the last slice.
 */
export async function findSlice(
  db: Kysely<Schema>,
  query: ListQuery,
  last: Position | undefined,
  rowsAtOnce: number,
) {
  const hint = query.index === undefined ? sql`` : sql`indexed by ${sql.ref(query.index)}`;
  const all = rowsOf(query, hint);
  const rest = last ? sql`${all} and ${isAfter(query, last)}` : all;
  const { rows } = await sql<ListRow>`select created_at as key, id
    ${rest} ${sortedBy(query)} limit 1 offset ${rowsAtOnce - 1}`.execute(db);
  const [row] = rows;
  const end: Position | undefined = row && [row.key, row.id];
  return { end, slice: end ? sql`${rest} and ${isUntil(query, end)}` : rest };
}

function compare(query: ListQuery, operator: string, [key, id]: Position): RawBuilder<SqlBool> {
  return sql`(${keyOf(query)}, ${idOf(query)}) ${sql.raw(operator)} (${key}, ${id})`;
}

function idOf({ table }: ListQuery): RawBuilder<unknown> {
  return sql.ref(`${table}.id`);
}

function directionOf({ order }: ListQuery): 'asc' | 'desc' {
  return order?.direction ?? 'desc';
}

/** A row of a list: what a position consists of. */
export interface ListRow {
  readonly key: number | string;
  readonly id: number | string;
}

/** Returns a page of up to `limit` rows. The last of `rows` shows whether another row follows. */
export function toListPage<Id extends string | number>(
  rows: readonly ListRow[],
  limit: number,
  total: number | undefined,
): ListPage<Id> {
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return {
    total,
    ids: page.map(({ id }) => id as Id),
    keys: page.map(({ key }) => key),
    next: last && [last.key, last.id],
  };
}

/** Reads one page of a list. `find` returns the rows of some ids in any order. */
export async function readList<Id extends string | number, Row extends { readonly id: Id }>(
  database: Database,
  query: ListQuery,
  find: (ids: readonly Id[]) => Promise<readonly Row[]>,
): Promise<Page<Row>> {
  const { ids, total, next } = await database.readListPage<Id>(query);
  return { total, next, items: await findInOrder(ids, find) };
}

async function findInOrder<Id extends string | number, Row extends { readonly id: Id }>(
  ids: readonly Id[],
  find: (ids: readonly Id[]) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const rows = ids.length === 0 ? [] : await find(ids);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** Lines of text about the rows of one page. */
export interface LinePage extends Omit<Page<never>, 'items'> {
  readonly count: number;
  readonly text: string;
}

// Few enough that other lists do not wait for them.
const rowsInSlice = 100;
const maxTextLength = 500_000;

/**
 * Reads one page of a list as lines of text, in slices, between which other lists run. Ends the page
 * early when the text is long, so that its memory is bounded.
 */
export async function readLines<Id extends string | number, Row extends { readonly id: Id }>(
  database: Database,
  query: ListQuery,
  find: (ids: readonly Id[]) => Promise<readonly Row[]>,
  toLine: (row: Row) => string,
): Promise<LinePage> {
  const { ids, keys, total, next } = await database.readListPage<Id>(query);
  const slices: string[] = [];
  let length = 0;
  let count = 0;
  let end = 0;
  while (end < ids.length && length < maxTextLength) {
    if (end > 0) await yieldToEventLoop();
    const rows = await findInOrder(ids.slice(end, end + rowsInSlice), find);
    const slice = rows.map(toLine).join('');
    slices.push(slice);
    length += slice.length;
    count += rows.length;
    end += rowsInSlice;
  }
  const [key, id] = [keys[end - 1], ids[end - 1]];
  const isCut = end < ids.length && key !== undefined && id !== undefined;
  return { total, count, text: slices.join(''), next: isCut ? [key, id] : next };
}

// Rows in memory beyond those that the page needs. When there are more, the rows are sorted and cut.
const maxSuperfluousRows = 4_096;

/** Sorts rows that arrive in any order, and retains those of one page and before. */
export class SortedRows {
  readonly #query: ListQuery;
  #rows: ListRow[] = [];
  #total = 0;

  constructor(query: ListQuery) {
    this.#query = query;
  }

  add(rows: readonly ListRow[]): void {
    for (const row of rows) this.#rows.push(row);
    this.#total += rows.length;
    if (this.#rows.length > this.#wanted + maxSuperfluousRows) this.#sort();
  }

  toPage<Id extends string | number>(): ListPage<Id> {
    const { limit, offset, after } = this.#query;
    this.#sort();
    return toListPage(this.#rows.slice(offset), limit, after ? undefined : this.#total);
  }

  /** The number of rows up to the end of the page, and the row that follows it. */
  get #wanted(): number {
    const { limit, offset } = this.#query;
    return offset + limit + 1;
  }

  #sort(): void {
    const sign = directionOf(this.#query) === 'asc' ? 1 : -1;
    this.#rows.sort((a, b) => sign * (compareValues(a.key, b.key) || compareValues(a.id, b.id)));
    this.#rows.length = Math.min(this.#rows.length, this.#wanted);
  }
}

function compareValues(a: number | string, b: number | string): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)));
}
