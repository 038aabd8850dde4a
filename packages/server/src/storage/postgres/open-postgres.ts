import {
  CompiledQuery,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';
import {
  type Database,
  type Lane,
  ListTimeoutError,
  type Schema,
  type WriteTransaction,
} from '../database.js';
import { GroupCommit } from '../group-commit.js';
import { applyMigrations, findPendingMigrations } from '../migrations/apply-migrations.js';
import { bulkInserter } from './bulk-insert.js';
import { ChangeFeed } from './change-feed.js';
import { ColumnTypes } from './column-types.js';
import { dropEmptyMonths } from './partitions.js';
import { PostgresDriver } from './postgres-driver.js';
import { isCollision, isStatementTimeout } from './postgres-error.js';
import type { PostgresAddress } from './postgres-url.js';
import { ServerPool } from './server-pool.js';
import { eachUpdater } from './update-each.js';

export interface PostgresOptions {
  readonly address: PostgresAddress;
  /** Connections that may be open at once. */
  readonly maxConnections: number;
  /** True for an operator's command, whose statements may take as long as they need. */
  readonly isUnhurried: boolean;
}

// The locks of this program begin with its own number, so that they meet nobody else's.
const lockSpace = 0x5_40_27;

/**
 * Who writes records or visits is alone in its lane among all nodes, as everybody is in SQLite.
 * Deliveries are claimed row by row, so that many dispatchers go on side by side.
 */
const locks: Record<Lane, readonly number[]> = {
  records: [1],
  visits: [2],
  sorting: [3],
  deliveries: [],
  everything: [1, 2, 3],
};

// Who has not looked for longer than changes are kept forgets everything.
const forgetEveryMs = 10 * 60_000;

const countUp = 'update url_id_counter set last_id = last_id + $1 returning last_id';

export function openPostgres({ address, maxConnections, isUnhurried }: PostgresOptions): Database {
  const pool = new ServerPool(address, { maxConnections, isUnhurried });
  const db = kyselyOn(pool);
  const lanes = Object.fromEntries(
    Object.entries(locks).map(([lane, own]) => [
      lane,
      new GroupCommit(db, { begin: (transaction) => takeLocks(transaction, own), isCollision }),
    ]),
  ) as Record<Lane, GroupCommit>;
  const types = new ColumnTypes();
  const updateEach = eachUpdater(types);
  let forgotAt = performance.now();
  // A transaction belongs to one lane; the others know nothing of it.
  const laneOf = new WeakMap<WriteTransaction, GroupCommit>();
  return {
    engine: 'postgres',
    read: db,
    snapshot: (work) =>
      db
        .transaction()
        .setIsolationLevel('repeatable read')
        .setAccessMode('read only')
        .execute(work),
    withReadTimeout: (timeoutMs, work) =>
      db
        .transaction()
        .setAccessMode('read only')
        .execute(async (transaction) => {
          await transaction.executeQuery(
            CompiledQuery.raw(`set local statement_timeout = ${timeoutMs}`),
          );
          return work(transaction);
        })
        .catch((error) => {
          throw isStatementTimeout(error)
            ? new ListTimeoutError(timeoutMs, { cause: error })
            : error;
        }),
    write: (work, lane = 'records') =>
      lanes[lane].write((transaction) => {
        laneOf.set(transaction, lanes[lane]);
        return work(transaction);
      }),
    afterCommit: (transaction, callback) =>
      laneOf.get(transaction)?.afterCommit(transaction, callback),
    bulkInsert: bulkInserter(types),
    updateEach,
    async allocateUrlIds(transaction, count) {
      const { rows } = await transaction.executeQuery<{ last_id: number }>(
        CompiledQuery.raw(countUp, [count]),
      );
      return (rows[0]?.last_id as number) - count + 1;
    },
    async migrate() {
      // An index on a large table takes its time.
      const patient = kyselyOn(new ServerPool(address, { maxConnections: 2, isUnhurried: true }));
      try {
        return await applyMigrations(patient, 'postgres', updateEach);
      } finally {
        await patient.destroy();
      }
    },
    async resumeIds(transaction) {
      await transaction.executeQuery(
        CompiledQuery.raw(
          "select setval(pg_get_serial_sequence('visit_batches', 'id'), (select coalesce(max(id), 0) + 1 from visit_batches), false)",
        ),
      );
    },
    watchChanges: (watcher) => ChangeFeed.watch(db, address, watcher),
    pendingMigrations: () => findPendingMigrations(db, 'postgres'),
    async loadKey(name, fresh) {
      await db.executeQuery(
        CompiledQuery.raw(
          'insert into installation_keys (name, value) values ($1, $2) on conflict do nothing',
          [name, fresh],
        ),
      );
      const { rows } = await db.executeQuery<{ value: string }>(
        CompiledQuery.raw('select value from installation_keys where name = $1', [name]),
      );
      return rows[0]?.value ?? fresh;
    },
    dropEmptyMonths: (before) =>
      lanes.sorting.write((transaction) => dropEmptyMonths(transaction, before)),
    // Autovacuum and checkpoints are the server's own.
    async maintain() {
      if (performance.now() - forgotAt < forgetEveryMs) return;
      forgotAt = performance.now();
      await db.executeQuery(
        CompiledQuery.raw("delete from cache_changes where changed_at < now() - interval '1 hour'"),
      );
    },
    size: () => undefined,
    async close() {
      for (const lane of Object.values(lanes)) await lane.finish();
      await db.destroy();
    },
  };
}

/** In ascending order, so that nobody waits for who waits for him. */
async function takeLocks(transaction: WriteTransaction, own: readonly number[]): Promise<void> {
  for (const lock of own) {
    await transaction.executeQuery(
      CompiledQuery.raw(`select pg_advisory_xact_lock(${lockSpace}, ${lock})`),
    );
  }
}

function kyselyOn(pool: ServerPool): Kysely<Schema> {
  return new Kysely<Schema>({
    dialect: {
      createDriver: () => new PostgresDriver(pool),
      createAdapter: () => new PostgresAdapter(),
      createQueryCompiler: () => new PostgresQueryCompiler(),
      createIntrospector: (db) => new PostgresIntrospector(db),
    },
  });
}
