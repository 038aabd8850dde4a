import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { yieldToEventLoop } from '../yield-to-event-loop.js';
import { ListTimeoutError } from './database.js';
import type { ListQuery } from './list-query.js';

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
