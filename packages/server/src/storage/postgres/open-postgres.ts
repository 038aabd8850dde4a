import { Kysely, type PostgresPoolClient, type RawBuilder, sql } from 'kysely';
import {
  type Database,
  ListTimeoutError,
  mixedShard,
  operatorOwner,
  type RetryCause,
  type Schema,
  ShardLockedError,
  type StorageOptions,
  type WriteLock,
  type WriteTransaction,
} from '../database.js';
import { GroupCommit, noRetries } from '../group-commit.js';
import { Keyring } from '../keyring.js';
import { listTimeoutMs, readListPage } from '../list-page.js';
import type { ListPage, ListQuery } from '../list-query.js';
import { applyMigrations, findVersionProblem } from '../migrations/apply-migrations.js';
import { WriteQueues } from '../write-queues.js';
import { ArrayDialect } from './array-compiler.js';
import { watchChanges } from './change-feed.js';
import { checkServer, explainMissingRights } from './check-server.js';
import { dropEmptyPartitions } from './partitions.js';
import { findRetryCause, isStatementTimeout } from './postgres-error.js';
import type { PostgresAddress } from './postgres-url.js';
import { PreparedClient } from './prepared-client.js';
import { createSearchIndex, hasSearchIndex } from './search-index.js';
import { ServerPool, setLocalLimits } from './server-pool.js';
import { deleteRestoredUsages, SharedLimits } from './shared-limits.js';
import { visitShardOf } from './visit-shards.js';
import { bulkInsert, updateEach } from './write-rows.js';

type ShardLock = Extract<WriteLock, { readonly visitShard: number }>;

// The first keys of Shorty's advisory locks, so that they differ from other programs' locks. An
// organization's second key is a hash of its id, and that of a shard of visits its number.
const lockNamespace = 0x5_40_27;
const organizationNamespace = 0x5_40_28;
const visitShardNamespace = 0x5_40_29;

// The second keys of the other locks. All transactions take them in descending order, which prevents
// deadlock.
const recordsKey = 1;
const visitsKey = 2;
const compactionKey = 3;

// Those who wait for the lock of records let nobody pass, so they wait only this long at a time, and
// likewise an organization for its own lock.
const lockMs = 500;
// A transaction of several organizations waits for rows of one of them only this long, and likewise one
// that holds a lock of all organizations, or that others wait for in this process.
const sharedLockMs = 100;
// Visits wait for a row only this long. Another node's transaction usually ends within 100 ms.
const visitsLockMs = 1_000;
// A compaction waits for a row only this long, because erasures and deletions wait for compactions. More
// than the time after which PostgreSQL looks for a deadlock.
const shardLockMs = 2_000;
// How long a write is repeated while others hold its locks.
const maxLockedMs = 10_000;
// How many organizations whose locks others hold may fill the queue of writes before the rest waits.
const organizationsAtOnce = 8;

// Statements about deliveries read some rows by their index. Without statistics about a new backlog,
// the planner would sort all of it for each claim, or read the whole table for some outcomes.
const avoided = ['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin', 'sort'];
const useIndexes = sql`${sql.join(
  avoided.map((plan) => sql`set_config(${sql.lit(`enable_${plan}`)}, 'off', true)`),
)}`;

// Deletes changes older than an hour. A node that has not polled for 30 minutes evicts everything.
const deleteChangesEveryMs = 10 * 60_000;
// Each attempt with a secret inserts a row, which has no meaning after a minute or ten.
const deleteUsagesEveryMs = 60_000;

export function openPostgres(
  address: PostgresAddress,
  {
    databaseConnections: maxConnections = 4,
    withoutTimeout = false,
    ignoreCase,
    secretKeys,
  }: StorageOptions,
): Database {
  const db = connect(address, maxConnections, withoutTimeout);
  const retries = { ...noRetries };
  const common = {
    findRetryCause,
    lockTimeoutMs: withoutTimeout ? Number.POSITIVE_INFINITY : maxLockedMs,
    onRetry: (cause: RetryCause) => {
      retries[cause] += 1;
    },
  };
  const commitWith = (...statements: readonly RawBuilder<unknown>[]) => {
    const begin = async (transaction: WriteTransaction) => {
      for (const each of statements) await each.execute(transaction);
      return [];
    };
    return new GroupCommit(db, { ...common, begin });
  };
  const shards = new Map<string, GroupCommit>();
  const commitOfShard = ({ visitShard, isSkippedIfLocked = false }: ShardLock): GroupCommit => {
    if (visitShard === mixedShard) return commits.compaction;
    const name = `${visitShard} ${isSkippedIfLocked}`;
    const rowMs = withoutTimeout ? 0 : shardLockMs;
    const begin = (transaction: WriteTransaction) =>
      takeShardLock(transaction, visitShard, isSkippedIfLocked, rowMs);
    const commit = shards.get(name) ?? new GroupCommit(db, { ...common, begin });
    shards.set(name, commit);
    return commit;
  };
  const waitBriefly = sql`select ${setLockTimeout(sharedLockMs)}`;
  const locksOf = (keys: readonly number[]) => [...keys.map(takeLock), waitBriefly];
  const commits = {
    records: commitWith(...locksOf([recordsKey])),
    // Rows and journals have locks of their own. The ingester defers visits whose rows are locked.
    visits: new GroupCommit(db, {
      ...common,
      lockTimeoutMs: withoutTimeout ? Number.POSITIVE_INFINITY : 0,
      begin: async (transaction) => {
        const limit = setLockTimeout(withoutTimeout ? 0 : visitsLockMs);
        await sql`select ${shareLock(visitsKey)}, ${limit}`.execute(transaction);
        return [];
      },
    }),
    compaction: commitWith(...locksOf([compactionKey])),
    // The lock of records is last, because requests wait for its holder.
    exclusive: commitWith(...locksOf([compactionKey, visitsKey, recordsKey])),
    deliveries: commitWith(sql`${waitBriefly}, ${useIndexes}`),
    'slow deliveries': commitWith(sql`${waitBriefly}, ${useIndexes}`),
    claims: commitWith(sql`${waitBriefly}, ${useIndexes}`),
    rows: commitWith(waitBriefly),
    organization: new GroupCommit(db, {
      ...common,
      begin: takeOrganizationLocks,
      concurrency: Math.max(2, Math.floor(maxConnections / 4)),
    }),
  };
  const keyring = new Keyring(secretKeys);
  const queues = new WriteQueues(organizationsAtOnce);
  const writeDirectly: Database['writeDirectly'] = (work, lock = 'records') => {
    if (typeof lock === 'string') return commits[lock].write(work);
    return 'visitShard' in lock
      ? commitOfShard(lock).write(work)
      : commits.organization.write(work, lock.organizationId);
  };
  let changesDeletedAt = performance.now();
  let usagesDeletedAt = performance.now();
  return {
    engine: 'postgres',
    keyring,
    read: db,
    snapshot: (work) =>
      db
        .transaction()
        .setIsolationLevel('repeatable read')
        .setAccessMode('read only')
        .execute(work),
    readListPage: (query) => readWithin(db, query),
    // Lists and searches use a quarter of the connections each. The rest is for redirects and writes.
    maxConcurrentLists: Math.max(1, Math.floor(maxConnections / 4)),
    hasSearchIndex: () => hasSearchIndex(db),
    write: (organizationId, work, { isBulk } = {}) =>
      queues.run(
        organizationId,
        () =>
          writeDirectly(work, organizationId === operatorOwner ? 'records' : { organizationId }),
        isBulk,
      ),
    writeDirectly,
    writeQueues: queues.all,
    retries,
    bulkInsert,
    updateEach,
    visitShardOf,
    async migrate() {
      // Migrations of large tables take longer than the time limit of statements.
      await checkServer(address);
      const migrationDb = connect(address, 2, true);
      try {
        const applied = await applyMigrations(migrationDb, 'postgres', ignoreCase);
        // The extension may be newer than the database.
        if (!(await hasSearchIndex(migrationDb))) await createSearchIndex(migrationDb);
        return applied;
      } catch (error) {
        throw explainMissingRights(error, address);
      } finally {
        await migrationDb.destroy();
      }
    },
    openLimits: (clock) => new SharedLimits(db, keyring, clock),
    watchChanges: (caches, onError) => watchChanges(db, caches, onError),
    async findVersionProblem() {
      await checkServer(address);
      return findVersionProblem(db, 'postgres');
    },
    // Several servers share a database.
    lockForServer: () => {},
    async loadKey(fresh) {
      const statement =
        fresh === undefined
          ? sql<{ value: string }>`select value from installation_keys`
          : sql<{ value: string }>`
              insert into installation_keys (name, value) values ('secrets', ${fresh})
              on conflict (name) do update set name = excluded.name returning value`;
      const { rows } = await statement.execute(db);
      return rows[0]?.value ?? fresh;
    },
    dropEmptyPartitions: (before) =>
      writeDirectly((transaction) => dropEmptyPartitions(transaction, before), 'compaction'),
    // PostgreSQL itself runs autovacuum and checkpoints.
    async maintain() {
      if (performance.now() - usagesDeletedAt > deleteUsagesEveryMs) {
        usagesDeletedAt = performance.now();
        await deleteRestoredUsages(db);
      }
      if (performance.now() - changesDeletedAt < deleteChangesEveryMs) return;
      changesDeletedAt = performance.now();
      await sql`delete from cache_changes where changed_at < now() - interval '1 hour'`.execute(db);
    },
    size: () => undefined,
    async close() {
      queues.close();
      for (const commit of [...Object.values(commits), ...shards.values()]) {
        await commit.finish();
      }
      await db.destroy();
    },
  };
}

/** Takes an advisory lock until the end of the transaction. */
function takeLock(key: number): RawBuilder<unknown> {
  const take = sql`pg_advisory_xact_lock(${sql.lit(lockNamespace)}, ${sql.lit(key)})`;
  return key === recordsKey ? sql`select ${setLockTimeout(lockMs)}, ${take}` : sql`select ${take}`;
}

/**
 * Takes the lock of a shard until the end of the transaction, whose later statements wait for a row for
 * `rowMs`. Throws a ShardLockedError.
 */
async function takeShardLock(
  transaction: WriteTransaction,
  shard: number,
  isSkippedIfLocked: boolean,
  rowMs: number,
): Promise<readonly string[]> {
  const keys = sql`${sql.lit(visitShardNamespace)}, ${sql.lit(shard)}`;
  const isTaken = isSkippedIfLocked
    ? sql`pg_try_advisory_xact_lock(${keys})`
    : sql`pg_advisory_xact_lock(${keys}) is not null`;
  const { rows } = await sql<{ isTaken: boolean }>`
    select ${shareLock(compactionKey)}, ${isTaken} as "isTaken", ${setLockTimeout(rowMs)}`.execute(
    transaction,
  );
  if (rows[0]?.isTaken !== true) throw new ShardLockedError('the shard is locked');
  return [];
}

/** Shares an advisory lock until the end of the transaction. */
function shareLock(key: number): RawBuilder<unknown> {
  return sql`pg_advisory_xact_lock_shared(${sql.lit(lockNamespace)}, ${sql.lit(key)})`;
}

/**
 * Takes the locks of organizations until the end of the transaction. Waits for the lock of one
 * organization; of several, it returns those whose lock another transaction has.
 */
async function takeOrganizationLocks(
  transaction: WriteTransaction,
  ids: readonly string[],
): Promise<readonly string[]> {
  const isShared = ids.length > 1;
  const keys = sql`${sql.lit(organizationNamespace)}, hashtext(id)`;
  const isBlocked = isShared
    ? sql`not pg_try_advisory_xact_lock(${keys})`
    : sql`pg_advisory_xact_lock(${keys}) is null`;
  const { rows } = await sql<{ id: string }>`
    with begun as materialized (select ${setLockTimeout(isShared ? sharedLockMs : lockMs)},
      ${shareLock(recordsKey)})
    select id from begun, unnest(${ids}::text[]) as id where ${isBlocked}`.execute(transaction);
  return rows.map(({ id }) => id);
}

/** Reads a page of a list, which PostgreSQL cancels at its time limit. */
async function readWithin<Id extends string | number>(
  db: Kysely<Schema>,
  query: ListQuery,
): Promise<ListPage<Id>> {
  const { timeoutMs = listTimeoutMs } = query;
  try {
    const reader = db.transaction().setAccessMode('read only');
    return await reader.execute(async (transaction) => {
      await sql`set local statement_timeout = ${sql.lit(timeoutMs)}`.execute(transaction);
      return readListPage<Id>(transaction, 'postgres', query);
    });
  } catch (error) {
    throw isStatementTimeout(error) ? new ListTimeoutError(timeoutMs, { cause: error }) : error;
  }
}

function setLockTimeout(ms: number): RawBuilder<unknown> {
  return sql`set_config('lock_timeout', ${sql.lit(String(ms))}, true)`;
}

function connect(
  address: PostgresAddress,
  maxConnections: number,
  withoutTimeout: boolean,
): Kysely<Schema> {
  const pool = new ServerPool(address, maxConnections, withoutTimeout);
  const localSettings = address.poolsTransactions ? setLocalLimits(withoutTimeout) : undefined;
  return new Kysely<Schema>({
    dialect: new ArrayDialect({
      pool: {
        // The type requires an overload for cursors, which nothing uses.
        connect: async () =>
          new PreparedClient(await pool.acquire(), localSettings) as unknown as PostgresPoolClient,
        end: () => pool.end(),
      },
    }),
  });
}
