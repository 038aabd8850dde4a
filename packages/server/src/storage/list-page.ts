import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import { yieldToEventLoop } from '../yield-to-event-loop.js';
import { type Database, ListTimeoutError, type Schema } from './database.js';

/** A list of one owner's rows, newest first: by `created_at`, then by `id`. */
export interface ListQuery {
  readonly table: 'urls' | 'qr_codes' | 'deliveries';
  /**
   * The owner's column and its value. The table has an index of (column, `created_at`, `id`) over the
   * rows for which `indexed` is true.
   */
  readonly owner: { readonly column: string; readonly value: string | number };
  readonly indexed?: RawBuilder<SqlBool> | undefined;
  /** Selects among the indexed rows; undefined lists all of them. */
  readonly condition?: RawBuilder<SqlBool> | undefined;
  readonly limit: number;
  readonly offset: number;
  /** `listTimeoutMs` by default. */
  readonly timeoutMs?: number | undefined;
}

export interface ListPage<Id> {
  readonly total: number;
  /** The ids of the page's rows, in order. */
  readonly ids: readonly Id[];
}

/** The time limit of a list, after which it fails with a ListTimeoutError. */
export const listTimeoutMs = 10_000;

/** Adds up the time of a list's slices and throws a ListTimeoutError at the limit. */
export class ListClock {
  readonly #timeoutMs: number;
  #usedMs = 0;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /** Runs a slice, then yields to other work of the thread. */
  async run<T>(slice: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    const result = await slice();
    this.#usedMs += performance.now() - startedAt;
    if (this.#usedMs > this.#timeoutMs) throw new ListTimeoutError(this.#timeoutMs);
    await yieldToEventLoop();
    return result;
  }
}

/** Reads one page and the total number of rows. */
export function readListPage<Id extends string | number>(
  database: Database,
  query: ListQuery,
): Promise<ListPage<Id>> {
  return database.engine === 'sqlite'
    ? walkSlices<Id>(database.read, query)
    : database.withReadTimeout(query.timeoutMs ?? listTimeoutMs, (db) => readAtOnce<Id>(db, query));
}

/** Joins conditions with `and`. */
export function allOf(...conditions: readonly RawBuilder<unknown>[]): RawBuilder<SqlBool> {
  return sql`(${sql.join(conditions, sql` and `)})`;
}

/** Returns the `from` and `where` clauses for the indexed rows. */
function rowsOf({ table, owner, indexed }: ListQuery): RawBuilder<unknown> {
  return sql`from ${sql.table(table)}
    where ${sql.ref(owner.column)} = ${owner.value} and ${indexed ?? sql`true`}`;
}

const newestFirst = sql`order by created_at desc, id desc`;

async function readAtOnce<Id>(db: Kysely<Schema>, query: ListQuery): Promise<ListPage<Id>> {
  const { condition = sql`true`, limit, offset } = query;
  // Materialized, so that the search runs once for both parts.
  const { rows } = await sql<{ total: number; id: Id | null }>`
    with found as materialized (select created_at, id ${rowsOf(query)} and ${condition}),
      page as (select created_at, id from found ${newestFirst} limit ${limit} offset ${offset})
    select total, id from (select count(*) as total from found) as counted
      left join page on true ${newestFirst}`.execute(db);
  const ids = rows.flatMap(({ id }) => (id === null ? [] : [id]));
  return { total: rows[0]?.total ?? 0, ids };
}

// Takes about 1 ms, or 5 ms if a condition reads the rows themselves.
const rowsAtOnce = 4_096;

interface Position {
  readonly created_at: number;
  readonly id: string | number;
}

/**
 * Walks the index from the newest row to the oldest in slices, so that other lists run between
 * them. Without a condition it reads only the index.
 */
async function walkSlices<Id>(db: Kysely<Schema>, query: ListQuery): Promise<ListPage<Id>> {
  const { condition, limit, offset, timeoutMs = listTimeoutMs } = query;
  const clock = new ListClock(timeoutMs);
  const ids: Id[] = [];
  let total = 0;
  let after: Position | undefined;
  do {
    const afterLast = after
      ? sql`and (created_at, id) < (${after.created_at}, ${after.id})`
      : sql``;
    after = await clock.run(async () => {
      const { rows: ends } = await sql<Position>`select created_at, id
        ${rowsOf(query)} ${afterLast} ${newestFirst} limit 1 offset ${rowsAtOnce - 1}`.execute(db);
      const [end] = ends;
      const isOnPage = total < offset + limit && total + rowsAtOnce > offset;
      if (end && !condition && !isOnPage) {
        total += rowsAtOnce;
        return end;
      }
      const until = end ? sql`and (created_at, id) >= (${end.created_at}, ${end.id})` : sql``;
      const { rows } = await sql<{ id: Id }>`select id
        ${rowsOf(query)} ${afterLast} ${until} and ${condition ?? sql`true`} ${newestFirst}`.execute(
        db,
      );
      const from = Math.max(0, offset - total);
      const to = Math.max(0, offset + limit - total);
      for (const { id } of rows.slice(from, to)) ids.push(id);
      total += rows.length;
      return end;
    });
  } while (after);
  return { total, ids };
}
