import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import { yieldToEventLoop } from '../yield-to-event-loop.js';
import { type Database, ListTimeoutError, type Schema } from './database.js';

/** Rows of one owner, newest first: by `created_at`, and by `id` where that is equal. */
export interface ListQuery {
  readonly table: 'urls' | 'qr_codes' | 'deliveries';
  /** Its index has this column, `created_at` and `id`, and the rows for which `indexed` holds. */
  readonly owner: { readonly column: string; readonly value: string | number };
  readonly indexed?: RawBuilder<SqlBool> | undefined;
  /** Which of these rows are listed; undefined for all of them. */
  readonly condition?: RawBuilder<SqlBool> | undefined;
  readonly limit: number;
  readonly offset: number;
  /** `listTimeoutMs` when left out. */
  readonly timeoutMs?: number | undefined;
}

export interface ListPage<Id> {
  readonly total: number;
  /** Of the page's rows, in its order. */
  readonly ids: readonly Id[];
}

/** What a list may cost; beyond that it fails with a ListTimeoutError. */
export const listTimeoutMs = 10_000;

/** Adds up the time that the slices of one list take, and throws when it is too much. */
export class ListClock {
  readonly #timeoutMs: number;
  #usedMs = 0;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /** Runs a slice, and lets other work of the thread go first afterwards. */
  async run<T>(slice: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    const result = await slice();
    this.#usedMs += performance.now() - startedAt;
    if (this.#usedMs > this.#timeoutMs) throw new ListTimeoutError(this.#timeoutMs);
    await yieldToEventLoop();
    return result;
  }
}

/** One page, and how many rows there are in all. */
export function readListPage<Id extends string | number>(
  database: Database,
  query: ListQuery,
): Promise<ListPage<Id>> {
  return database.engine === 'sqlite'
    ? walkSlices<Id>(database.read, query)
    : database.withReadTimeout(query.timeoutMs ?? listTimeoutMs, (db) => readAtOnce<Id>(db, query));
}

/** The condition that holds where each of these does. */
export function allOf(...conditions: readonly RawBuilder<unknown>[]): RawBuilder<SqlBool> {
  return sql`(${sql.join(conditions, sql` and `)})`;
}

/** What `readListPage` reads, as the conditions of a statement. */
function rowsOf({ table, owner, indexed }: ListQuery): RawBuilder<unknown> {
  return sql`from ${sql.table(table)}
    where ${sql.ref(owner.column)} = ${owner.value} and ${indexed ?? sql`true`}`;
}

const newestFirst = sql`order by created_at desc, id desc`;

async function readAtOnce<Id>(db: Kysely<Schema>, query: ListQuery): Promise<ListPage<Id>> {
  const { condition = sql`true`, limit, offset } = query;
  // Materialized, so that both parts take the same plan and a search is made once.
  const { rows } = await sql<{ total: number; id: Id | null }>`
    with found as materialized (select created_at, id ${rowsOf(query)} and ${condition}),
      page as (select created_at, id from found ${newestFirst} limit ${limit} offset ${offset})
    select total, id from (select count(*) as total from found) as counted
      left join page on true ${newestFirst}`.execute(db);
  const ids = rows.flatMap(({ id }) => (id === null ? [] : [id]));
  return { total: rows[0]?.total ?? 0, ids };
}

// About a millisecond, or five where a condition reads the rows themselves.
const rowsAtOnce = 4_096;

interface Position {
  readonly created_at: number;
  readonly id: string | number;
}

/**
 * Walks the index from the newest row to the oldest, a slice at a time, so that no other list waits
 * for this one. Without a condition the index alone is read.
 */
async function walkSlices<Id>(db: Kysely<Schema>, query: ListQuery): Promise<ListPage<Id>> {
  const { condition, limit, offset, timeoutMs = listTimeoutMs } = query;
  const clock = new ListClock(timeoutMs);
  const ids: Id[] = [];
  let total = 0;
  let after: Position | undefined;
  do {
    const behind = after ? sql`and (created_at, id) < (${after.created_at}, ${after.id})` : sql``;
    after = await clock.run(async () => {
      const { rows: ends } = await sql<Position>`select created_at, id
        ${rowsOf(query)} ${behind} ${newestFirst} limit 1 offset ${rowsAtOnce - 1}`.execute(db);
      const [end] = ends;
      const isOnPage = total < offset + limit && total + rowsAtOnce > offset;
      if (end && !condition && !isOnPage) {
        total += rowsAtOnce;
        return end;
      }
      const until = end ? sql`and (created_at, id) >= (${end.created_at}, ${end.id})` : sql``;
      const { rows } = await sql<{ id: Id }>`select id
        ${rowsOf(query)} ${behind} ${until} and ${condition ?? sql`true`} ${newestFirst}`.execute(
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
