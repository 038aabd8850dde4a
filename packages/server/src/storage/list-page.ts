import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Page, Position } from '../contract/fields.js';
import { yieldToEventLoop } from '../yield-to-event-loop.js';
import { type Database, ListTimeoutError } from './database.js';
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

/** Returns the `from` and `where` clauses for the indexed rows. */
export function rowsOf({ table, owner, indexed }: ListQuery): RawBuilder<unknown> {
  return sql`from ${sql.table(table)}
    where ${sql.ref(owner.column)} = ${owner.value} and ${indexed ?? sql`true`}`;
}

/** The order of a list. */
export const newestFirst = sql`order by created_at desc, id desc`;

/** Returns the condition of the rows that follow a position. */
export function isAfter({ table }: ListQuery, [key, id]: Position): RawBuilder<SqlBool> {
  return sql`(created_at, ${sql.ref(`${table}.id`)}) < (${key}, ${id})`;
}

/** A row of a list: what a position consists of. */
export interface ListRow {
  readonly key: number;
  readonly id: string | number;
}

/** Returns a page of up to `limit` rows. The last of `rows` shows whether another row follows. */
export function toListPage<Id extends string | number>(
  rows: readonly ListRow[],
  limit: number,
  total: number | undefined,
): ListPage<Id> {
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return { total, ids: page.map(({ id }) => id as Id), next: last && [last.key, last.id] };
}

/** Reads one page of a list. `find` returns the rows of some ids in any order. */
export async function readList<Id extends string | number, Row extends { readonly id: Id }>(
  database: Database,
  query: ListQuery,
  find: (ids: readonly Id[]) => Promise<readonly Row[]>,
): Promise<Page<Row>> {
  const { ids, total, next } = await database.readListPage<Id>(query);
  const rows = ids.length === 0 ? [] : await find(ids);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return { total, next, items: ids.flatMap((id) => byId.get(id) ?? []) };
}
