import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import SqliteHandle from 'better-sqlite3';
import {
  CompiledQuery,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { Database, Schema, StorageOptions } from '../database.js';
import { type GroupCommitOptions, openWriter } from '../group-commit.js';
import { Keyring } from '../keyring.js';
import { applyMigrations, findVersionProblem } from '../migrations/apply-migrations.js';
import { lockForServer } from './server-lock.js';
import { driverOf, isLocked } from './sqlite-driver.js';
import {
  checkAccess,
  createFile,
  loadKeyFile,
  refuseForeignTables,
  useWriteAheadLog,
} from './sqlite-file.js';

// Pages between checkpoints. Random short codes touch many pages; with a large interval, each page is
// written back once for several transactions.
const checkpointPages = 8_000;
const pageBytes = 4_096;
// Under constant writes, passive checkpoints never reset the log.
const maxLogBytes = 4 * checkpointPages * pageBytes;
const maxCheckpointWaitMs = 5_000;
// For the end of other transactions, which take some milliseconds.
const truncationTimeoutMs = 100;
// After a truncation has failed, because somebody reads the log.
const maxPausedPeriods = 15;
const checkpointPollMs = 50;
// How long a write waits for the lock of another process.
const lockWaitMs = 5_000;
// While another process opens, migrates or recovers the file.
const busyTimeoutMs = 5_000;

// The writer's cache is small: after a B-tree was balanced, SQLite's next commit walks through the
// whole cache, which takes 1 ms with 64 MB.
// Each thread has a reader. The operating system's cache serves the pages that a reader's cache lacks.
const cacheKilobytes = { write: 8_192, read: 16_384 } as const;
// Handles of snapshots that stay open for the next one. Opening a handle and preparing its statements
// takes longer than a typical report.
const maxIdleReaders = 2;

/** Opens a file, or a database in memory if the path is `:memory:`. */
export function openSqlite(path: string, settings: StorageOptions): Database {
  const isMemory = path === ':memory:';
  if (!isMemory) {
    checkAccess(path);
    createFile(path);
  }
  const writeHandle = openHandle(path, settings, 'write');
  const write = kyselyOn(writeHandle);
  // A second handle, so that a read never queues behind a writer that waits for a lock.
  const readHandle = isMemory ? writeHandle : openHandle(path, settings, 'read');
  const read = isMemory ? write : kyselyOn(readHandle);
  const options: GroupCommitOptions = {
    // SQLite has one writer at a time.
    keyOf: () => 'all',
    // The other threads of this server hold the lock for some milliseconds, another process for longer.
    // A wait inside SQLite would block the event loop, and redirects with it.
    mayRepeat: isLocked,
    maxRetryMs: lockWaitMs,
    // Short, because the lock is free for a moment only while requests write all the time.
    maxPauseMs: 4,
    concurrency: 1,
    // Each work takes about 0.2 ms, for which redirects wait, and a commit takes several of them.
    maxGroupSize: 64,
    // Works do not gather during a commit, because it blocks the event loop.
    maxTurns: 4,
  };
  const writer = openWriter(write, options);
  let maintainer: SqliteHandle.Database | undefined;
  const truncation = { failures: 0, pausedPeriods: 0 };
  const idleReaders: Kysely<Schema>[] = [];
  let isClosed = false;
  let unlock: (() => void) | undefined;
  let keyInMemory: string | undefined;
  return {
    engine: 'sqlite',
    keyring: new Keyring(settings.secretKeys),
    read,
    async snapshot(work) {
      if (isMemory) return read.connection().execute((db) => inReadTransaction(db, work));
      await waitForCheckpoint(path);
      // Concurrent snapshots need a handle each.
      const handle = idleReaders.pop() ?? kyselyOn(openHandle(path, settings, 'read'));
      let isReusable = false;
      try {
        const result = await handle.connection().execute((db) => inReadTransaction(db, work));
        isReusable = !isClosed && idleReaders.length < maxIdleReaders;
        return result;
      } finally {
        if (isReusable) idleReaders.push(handle);
        else await handle.destroy();
      }
    },
    // They read one after another, in the thread of lists.
    maxConcurrentLists: 4,
    ...writer.methods,
    async migrate() {
      // Several processes may start at once, and the driver does not retry the statements that the
      // migrator runs outside a transaction.
      writeHandle.pragma(`busy_timeout = ${busyTimeoutMs}`);
      try {
        return await applyMigrations(write, 'sqlite', settings.ignoreCase);
      } finally {
        writeHandle.pragma('busy_timeout = 0');
      }
    },
    watchChanges: undefined,
    findVersionProblem: () => findVersionProblem(read),
    lockForServer(now) {
      if (!isMemory) unlock ??= lockForServer(path, now);
    },
    async loadKey(fresh) {
      if (!isMemory) return loadKeyFile(`${path}.key`, fresh);
      keyInMemory ??= fresh;
      return keyInMemory ?? fresh;
    },
    size: () => ({ dataBytes: bytesOf(path), logBytes: logBytes(path) }),
    maintain() {
      if (isMemory || logBytes(path) < checkpointPages * pageBytes) return;
      // A separate handle: SQLite cannot checkpoint on one that is within a transaction.
      maintainer ??= openHandle(path, settings, 'write');
      const { log, checkpointed } = checkpoint(maintainer, 'PASSIVE');
      // TRUNCATE would wait for a reader, with the write lock, and fail.
      if (log - checkpointed >= checkpointPages) return;
      if (truncation.pausedPeriods > 0 && logBytes(path) < maxLogBytes) {
        truncation.pausedPeriods -= 1;
        return;
      }
      // Waits for the transactions of other threads, which write meanwhile or wait without blocking.
      maintainer.pragma(`busy_timeout = ${truncationTimeoutMs}`);
      const { busy } = checkpoint(maintainer, 'TRUNCATE');
      maintainer.pragma('busy_timeout = 0');
      truncation.failures = busy ? truncation.failures + 1 : 0;
      truncation.pausedPeriods = Math.min(2 ** truncation.failures - 1, maxPausedPeriods);
    },
    async close() {
      isClosed = true;
      await writer.close();
      maintainer?.close();
      for (const handle of idleReaders.splice(0)) await handle.destroy();
      if (read !== write) await read.destroy();
      await write.destroy();
      // Kysely leaves a handle open that it has not used, and then the log stays beside the file.
      readHandle.close();
      writeHandle.close();
      unlock?.();
    },
  };
}

/**
 * Runs a checkpoint. Returns whether others kept it from its end, the pages in the log, and how many of
 * these are in the database file.
 */
function checkpoint(handle: SqliteHandle.Database, mode: 'PASSIVE' | 'TRUNCATE') {
  const [result] = handle.pragma(`wal_checkpoint(${mode})`) as [
    { busy: 0 | 1; log: number; checkpointed: number },
  ];
  return result;
}

/**
 * Waits while the log is too large. Without the wait, overlapping snapshots could keep checkpoints
 * from ever resetting it.
 */
async function waitForCheckpoint(path: string): Promise<void> {
  for (let waitedMs = 0; logBytes(path) > maxLogBytes; waitedMs += checkpointPollMs) {
    if (waitedMs >= maxCheckpointWaitMs) return;
    await sleep(checkpointPollMs);
  }
}

async function inReadTransaction<T>(
  db: Kysely<Schema>,
  work: (db: Kysely<Schema>) => Promise<T>,
): Promise<T> {
  await db.executeQuery(CompiledQuery.raw('begin'));
  try {
    return await work(db);
  } finally {
    await db.executeQuery(CompiledQuery.raw('rollback'));
  }
}

function logBytes(path: string): number {
  return bytesOf(`${path}-wal`);
}

function bytesOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function openHandle(
  path: string,
  { durability, withoutCheckpoints }: StorageOptions,
  use: keyof typeof cacheKilobytes,
): SqliteHandle.Database {
  const handle = new SqliteHandle(path, { timeout: 0 });
  // Another process may be switching the file to WAL.
  handle.pragma(`busy_timeout = ${busyTimeoutMs}`);
  // Before the first change of the file, which is the switch to WAL.
  refuseForeignTables(handle);
  useWriteAheadLog(handle);
  handle.pragma(`synchronous = ${durability === 'power' ? 'FULL' : 'NORMAL'}`);
  handle.pragma('foreign_keys = ON');
  handle.pragma(`wal_autocheckpoint = ${withoutCheckpoints ? 0 : checkpointPages}`);
  // Truncates the log at each reset, so that its size shows how much of it is in use. A truncation takes
  // 30 ms for 128 MB: the handle of the thread that serves redirects leaves it to that of checkpoints.
  handle.pragma(`journal_size_limit = ${withoutCheckpoints ? -1 : 0}`);
  handle.pragma(`cache_size = -${cacheKilobytes[use]}`);
  handle.pragma('busy_timeout = 0');
  // PostgreSQL's LIKE is case-sensitive, too.
  handle.pragma('case_sensitive_like = ON');
  return handle;
}

function kyselyOn(handle: SqliteHandle.Database): Kysely<Schema> {
  return new Kysely<Schema>({
    dialect: {
      createDriver: () => driverOf(handle),
      createAdapter: () => new TransactionalSqliteAdapter(),
      createQueryCompiler: () => new SqliteQueryCompiler(),
      createIntrospector: (db) => new SqliteIntrospector(db),
    },
  });
}

/** Runs migrations in a transaction, which SQLite supports for DDL, too. */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}
