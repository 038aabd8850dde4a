import { Kysely, PostgresDialect, type PostgresPoolClient, sql } from 'kysely';
import type { Database, Schema, StorageOptions, WriteLock, WriteTransaction } from '../database.js';
import { GroupCommit } from '../group-commit.js';
import { Keyring } from '../keyring.js';
import { applyMigrations, findVersionProblem } from '../migrations/apply-migrations.js';
import { WriteQueues } from '../write-queues.js';
import { watchChanges } from './change-feed.js';
import { checkServer, explainMissingRights } from './check-server.js';
import { readListPage } from './list-page.js';
import { dropEmptyPartitions } from './partitions.js';
import { isRetryable } from './postgres-error.js';
import type { PostgresAddress } from './postgres-url.js';
import { PreparedClient } from './prepared-client.js';
import { openSearchIndex } from './search-index.js';
import { ServerPool } from './server-pool.js';
import { bulkInsert, updateEach } from './write-rows.js';

// The first key of Shorty's advisory locks, so that they differ from other programs' locks.
const lockNamespace = 0x5_40_27;

// The advisory locks that a transaction takes. Dispatchers lease endpoints, so those of several nodes
// run concurrently.
const advisoryLocks: Record<WriteLock, readonly number[]> = {
  records: [1],
  visits: [2],
  compaction: [3],
  deliveries: [],
  'slow deliveries': [],
  claims: [],
  exclusive: [1, 2, 3],
};

// Statements about deliveries read some rows by their index. Without statistics about a new backlog,
// the planner would sort all of it for each claim, or read the whole table for some outcomes.
const avoided = ['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin', 'sort'];
const useIndexes = sql`select ${sql.join(
  avoided.map((plan) => sql`set_config(${sql.lit(`enable_${plan}`)}, 'off', true)`),
)}`;

// Deletes changes older than an hour. A node that has not polled for 30 minutes evicts everything.
const deleteChangesEveryMs = 10 * 60_000;

export function openPostgres(
  address: PostgresAddress,
  { databaseConnections: maxConnections = 4, withoutTimeout = false, secretKeys }: StorageOptions,
): Database {
  const db = connect(address, maxConnections, withoutTimeout);
  const commits = Object.fromEntries(
    Object.entries(advisoryLocks).map(([lock, keys]) => {
      // In ascending order, which prevents deadlock.
      const locks = keys.map(
        (key) => sql`select pg_advisory_xact_lock(${sql.lit(lockNamespace)}, ${sql.lit(key)})`,
      );
      const begin = locks.length === 0 ? [useIndexes] : locks;
      const prepareTransaction = async (transaction: WriteTransaction) => {
        for (const each of begin) await each.execute(transaction);
      };
      return [lock, new GroupCommit(db, bulkInsert, prepareTransaction, isRetryable)];
    }),
  ) as Record<WriteLock, GroupCommit>;
  const queues = new WriteQueues();
  const writeDirectly: Database['writeDirectly'] = (work, lock = 'records') =>
    commits[lock].write(work);
  let changesDeletedAt = performance.now();
  return {
    engine: 'postgres',
    keyring: new Keyring(secretKeys),
    read: db,
    snapshot: (work) =>
      db
        .transaction()
        .setIsolationLevel('repeatable read')
        .setAccessMode('read only')
        .execute(work),
    readListPage: (query) => readListPage(db, query),
    // Lists and searches use a quarter of the connections each. The rest is for redirects and writes.
    maxConcurrentLists: Math.max(1, Math.floor(maxConnections / 4)),
    searchIndex: openSearchIndex(db, writeDirectly),
    write: (organizationId, work, { isBulk } = {}) =>
      queues.run(organizationId, () => commits.records.write(work), isBulk),
    writeDirectly,
    writeQueues: queues.all,
    bulkInsert,
    updateEach,
    async migrate() {
      // Migrations of large tables take longer than the time limit of statements.
      await checkServer(address);
      const migrationDb = connect(address, 2, true);
      try {
        return await applyMigrations(migrationDb, 'postgres', updateEach);
      } catch (error) {
        throw explainMissingRights(error, address);
      } finally {
        await migrationDb.destroy();
      }
    },
    watchChanges: (caches, onError) => watchChanges(db, caches, onError),
    async findVersionProblem() {
      await checkServer(address);
      return findVersionProblem(db, 'postgres', updateEach);
    },
    // Several servers share a database.
    lockForServer: () => {},
    async loadKey(name, fresh) {
      const statement =
        fresh === undefined
          ? sql<{ value: string }>`select value from installation_keys where name = ${name}`
          : sql<{ value: string }>`
              insert into installation_keys (name, value) values (${name}, ${fresh})
              on conflict (name) do update set name = excluded.name returning value`;
      const { rows } = await statement.execute(db);
      return rows[0]?.value ?? fresh;
    },
    dropEmptyPartitions: (before) =>
      commits.compaction.write((transaction) => dropEmptyPartitions(transaction, before)),
    // PostgreSQL itself runs autovacuum and checkpoints.
    async maintain() {
      if (performance.now() - changesDeletedAt < deleteChangesEveryMs) return;
      changesDeletedAt = performance.now();
      await sql`delete from cache_changes where changed_at < now() - interval '1 hour'`.execute(db);
    },
    size: () => undefined,
    async close() {
      queues.close();
      for (const commit of Object.values(commits)) await commit.finish();
      await db.destroy();
    },
  };
}

function connect(
  address: PostgresAddress,
  maxConnections: number,
  withoutTimeout: boolean,
): Kysely<Schema> {
  const pool = new ServerPool(address, maxConnections, withoutTimeout);
  return new Kysely<Schema>({
    dialect: new PostgresDialect({
      pool: {
        // The type requires an overload for cursors, which nothing uses.
        connect: async () =>
          new PreparedClient(await pool.acquire()) as unknown as PostgresPoolClient,
        end: () => pool.end(),
      },
    }),
  });
}
