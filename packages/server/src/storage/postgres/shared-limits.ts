import { type Kysely, sql } from 'kysely';
import type { Clock } from '../../ports.js';
import { batchReads } from '../batch-reads.js';
import type { Schema } from '../database.js';
import type { Keyring } from '../keyring.js';
import { type Grant, type Limit, type LimitStore, toGrant } from '../limits.js';

interface Request {
  readonly key: string;
  readonly asked: number;
}

type Row = Record<'used' | 'granted' | 'updated_at' | 'ends_at', number> & { readonly key: string };

// A statement at a time and limit leaves the connections to other requests, whatever arrives.
const batches = { concurrency: 1, maxKeys: 256 };

/**
 * Creates the table of what keys have used. It is unlogged: a count costs no write to the disk and no
 * wait for a standby, and after a crash or a failover of PostgreSQL, all counts begin again.
 */
export async function createLimitTable(db: Kysely<Schema>): Promise<void> {
  await sql`create unlogged table limit_usages (
    key text collate "C" primary key,
    used bigint not null,
    granted bigint not null,
    updated_at bigint not null,
    ends_at bigint not null
  )`.execute(db);
}

/** Deletes the rows whose units are all restored. */
export async function deleteRestoredUsages(db: Kysely<Schema>): Promise<void> {
  await sql`delete from limit_usages where ends_at < ${epochMs}`.execute(db);
}

const epochMs = sql`floor(extract(epoch from clock_timestamp()) * 1000)::bigint`;

/**
 * Counts in PostgreSQL, for all nodes. The rules are those of `grantUnits`, in SQL. Each row is locked
 * while it changes, so concurrent requests are granted no more units than there are.
 */
export class SharedLimits implements LimitStore {
  readonly isShared = true;
  readonly #db: Kysely<Schema>;
  readonly #keyring: Keyring;
  readonly #clock: Clock | undefined;
  readonly #batches = new Map<string, (request: Request) => Promise<Grant>>();

  /** Without a clock, PostgreSQL's is used, so that the clocks of the nodes do not matter. */
  constructor(db: Kysely<Schema>, keyring: Keyring, clock: Clock | undefined) {
    this.#db = db;
    this.#keyring = keyring;
    this.#clock = clock;
  }

  take(limit: Limit, key: string, asked: number): Promise<Grant> {
    let take = this.#batches.get(limit.name);
    if (!take) {
      take = batchReads<Request, Grant>({
        ...batches,
        readMany: (requests) => this.#takeAll(limit, requests),
      });
      this.#batches.set(limit.name, take);
    }
    return take({ key: this.#storedKey(limit, key), asked });
  }

  async refund(limit: Limit, key: string, { endsAt }: Grant): Promise<void> {
    await sql`update limit_usages set used = greatest(0, used - ${limit.windowMs})
      where key = ${this.#storedKey(limit, key)} and ends_at = ${endsAt}`.execute(this.#db);
  }

  /** The keys of clients have their addresses, which are not stored. */
  #storedKey({ name }: Limit, key: string): string {
    return this.#keyring.pseudonymOf(`${name} ${key}`);
  }

  async #takeAll(limit: Limit, requests: readonly Request[]): Promise<Grant[]> {
    const totals = new Map<string, number>();
    for (const { key, asked } of requests) totals.set(key, (totals.get(key) ?? 0) + asked);
    const grants = new Map<string, Grant>();
    for (const row of await this.#update(limit, totals)) {
      // The usage before the statement, from which the requests of a key are granted in turn.
      const used = row.used - row.granted * limit.windowMs;
      const usage = { used, updatedAt: row.updated_at, endsAt: row.ends_at };
      grants.set(row.key, toGrant(limit, usage, 0));
    }
    return requests.map(({ key, asked }) => {
      const before = grants.get(key) as Grant;
      const granted = Math.min(asked, before.left);
      const usage = { ...before, used: before.used + granted * limit.windowMs };
      const grant = toGrant(limit, usage, granted);
      grants.set(key, grant);
      return grant;
    });
  }

  async #update(limit: Limit, totals: ReadonlyMap<string, number>): Promise<Row[]> {
    const { units, windowMs, restores } = limit;
    // A batch changes its rows in this order, which prevents deadlock with those of other nodes.
    const keys = [...totals.keys()].sort();
    const asked = keys.map((key) => totals.get(key) as number);
    const [unitCount, window] = [sql`${units}::bigint`, sql`${windowMs}::bigint`];
    const isEven = restores === 'evenly';
    const restored = isEven
      ? sql`greatest(0, clock.now - stored.updated_at) * ${unitCount}`
      : sql`0`;
    const nextEnd = isEven
      ? sql`clock.now + (new.used + ${unitCount} - 1) / ${unitCount}`
      : sql`clock.now + ${window}`;
    const end = isEven
      ? nextEnd
      : sql`case when stored.ends_at <= clock.now then ${nextEnd} else stored.ends_at end`;
    // For an existing row, it is read after the row is locked.
    const clock = sql`(select coalesce(${this.#clock?.() ?? null}::bigint, ${epochMs}) as now) as clock`;
    // A row that is inserted has the granted units; \`excluded\` has those that an existing one is asked for.
    const { rows } = await sql<Row>`
      insert into limit_usages as stored (key, used, granted, updated_at, ends_at)
      select asked.key, new.used, new.granted, clock.now, ${nextEnd}
        from ${clock},
          unnest(${keys}::text[], ${asked}::bigint[]) as asked (key, units),
          lateral (select least(asked.units, ${unitCount}) as granted,
            least(asked.units, ${unitCount}) * ${window} as used) as new
        order by asked.key
      on conflict (key) do update set (used, granted, updated_at, ends_at) = (
        select new.used, new.granted, clock.now, ${end}
          from ${clock},
            lateral (select case when stored.ends_at <= clock.now then 0
              else greatest(0, stored.used - ${restored}) end as used) as before,
            lateral (select least(excluded.granted,
              greatest(0, (${unitCount} * ${window} - before.used) / ${window})) as granted) as given,
            lateral (select given.granted, before.used + given.granted * ${window} as used) as new
      )
      returning key, used, granted, updated_at, ends_at`.execute(this.#db);
    return rows;
  }
}
