import { Kysely, type PostgresPool, sql } from 'kysely';
import type { Database, Schema, StorageOptions } from '../database.js';
import { type GroupCommitOptions, openWriter } from '../group-commit.js';
import { Keyring } from '../keyring.js';
import { isShared, takeLocks } from '../locks.js';
import { applyMigrations, findVersionProblem } from '../migrations/apply-migrations.js';
import { watchChanges } from './change-feed.js';
import { checkServer, explainMissingRights } from './check-server.js';
import { createSearchIndex } from './node-tables.js';
import { mayRepeat } from './postgres-error.js';
import type { PostgresAddress } from './postgres-url.js';
import { ArrayDialect } from './prepared-client.js';
import { openServerPool } from './server-pool.js';

// How long a write is repeated while others hold its locks.
const maxLockedMs = 10_000;

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
  const options: GroupCommitOptions = {
    // The writes of an organization wait for its row, so they run one after another. Those of several
    // share transactions, which costs a third of the statements.
    keyOf: (lock) => (typeof lock === 'string' ? Symbol(lock) : lock.organizationId),
    isShared,
    takeLocks,
    mayRepeat,
    // While it pauses, others use its connection.
    maxPauseMs: 200,
    maxRetryMs: withoutTimeout ? Number.POSITIVE_INFINITY : maxLockedMs,
    // The rest is for reads.
    concurrency: Math.max(2, Math.floor(maxConnections / 2)),
    // The locks of all its organizations are held until the commit.
    maxGroupSize: 16,
    maxTurns: 1,
  };
  const writer = openWriter(db, options);
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
    // Lists and searches use a quarter of the connections each. The rest is for redirects and writes.
    maxConcurrentLists: Math.max(1, Math.floor(maxConnections / 4)),
    ...writer.methods,
    async migrate() {
      // Migrations of large tables take longer than the time limit of statements.
      await checkServer(address);
      const migrationDb = connect(address, 2, true);
      try {
        const applied = await applyMigrations(migrationDb, 'postgres', ignoreCase);
        // The extension may be newer than the database.
        await createSearchIndex(migrationDb);
        return applied;
      } catch (error) {
        throw explainMissingRights(error, address);
      } finally {
        await migrationDb.destroy();
      }
    },
    watchChanges: (listener) => watchChanges(db, listener),
    async findVersionProblem() {
      await checkServer(address);
      return findVersionProblem(db);
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
    maintain: undefined,
    size: () => undefined,
    async close() {
      await writer.close();
      await db.destroy();
    },
  };
}

function connect(
  address: PostgresAddress,
  maxConnections: number,
  withoutTimeout: boolean,
): Kysely<Schema> {
  const pool = openServerPool(address, maxConnections, withoutTimeout);
  // The type requires an overload for cursors, which nothing uses.
  return new Kysely<Schema>({
    dialect: new ArrayDialect({ pool: pool as unknown as PostgresPool }),
  });
}
