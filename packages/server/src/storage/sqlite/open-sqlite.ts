import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import SqliteHandle from 'better-sqlite3';
import {
  CompiledQuery,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { Database, Schema } from '../database.js';
import { GroupCommit } from '../group-commit.js';
import { applyMigrations, findPendingMigrations } from '../migrations/apply-migrations.js';
import { bulkInserter } from './bulk-insert.js';
import { SqliteDriver } from './sqlite-driver.js';
import { eachUpdater } from './update-each.js';

export interface SqliteOptions {
  /** A path, or ':memory:'. */
  path: string;
  /** 'power' syncs each commit to the disk; 'process' leaves that to the operating system. */
  durability: 'process' | 'power';
  /** True leaves checkpoints to another handle, whose `maintain` is called. */
  leavesCheckpoints?: boolean | undefined;
}

// Pages between checkpoints. Random short codes touch many pages; a larger interval writes each
// of them back once for several transactions.
const checkpointPages = 8_000;
const pageBytes = 4_096;
// A log that writers keep growing never comes to its end by itself.
const maxLogBytes = 4 * checkpointPages * pageBytes;

// The writer's is small: when a tree was balanced, SQLite's next commit walks through all that its
// cache holds, which takes a millisecond with 64 MB.
const cacheKilobytes = { write: 8_192, read: 65_536 } as const;

const countUp = 'update url_id_counter set last_id = last_id + ? returning last_id';

export function openSqlite(options: SqliteOptions): Database {
  const { path } = options;
  const isMemory = path === ':memory:';
  if (!isMemory) makeFile(path);
  const writer = openHandle(options, 'write');
  const write = kyselyOn(writer);
  // Its own handle, so that a read never queues behind a writer that waits for a lock.
  const read = isMemory ? write : kyselyOn(openHandle(options, 'read'));
  const commits = new GroupCommit(write);
  const updateEach = eachUpdater(writer);
  let maintainer: SqliteHandle.Database | undefined;
  return {
    engine: 'sqlite',
    read,
    snapshot: (work) =>
      read.connection().execute(async (db) => {
        await db.executeQuery(CompiledQuery.raw('begin'));
        try {
          return await work(db);
        } finally {
          await db.executeQuery(CompiledQuery.raw('rollback'));
        }
      }),
    withReadTimeout: (_timeoutMs, work) => work(read),
    write: (work) => commits.write(work),
    afterCommit: (transaction, callback) => commits.afterCommit(transaction, callback),
    bulkInsert: bulkInserter(writer),
    updateEach,
    async allocateUrlIds(transaction, count) {
      const { rows } = await transaction.executeQuery<{ last_id: number }>(
        CompiledQuery.raw(countUp, [count]),
      );
      return (rows[0]?.last_id as number) - count + 1;
    },
    async migrate() {
      // Several processes may start at once, and what migrations run outside a transaction does
      // not ask again by itself.
      writer.pragma('busy_timeout = 5000');
      try {
        return await applyMigrations(write, 'sqlite', updateEach);
      } finally {
        writer.pragma('busy_timeout = 0');
      }
    },
    // Which it does by itself.
    async resumeIds() {},
    // Other processes on the file tell each other.
    watchChanges: undefined,
    pendingMigrations: () => findPendingMigrations(read, 'sqlite'),
    loadKey: async (_name, fresh) => (isMemory ? fresh : loadKeyFile(`${path}.key`, fresh)),
    dropEmptyMonths: async () => 0,
    size: () => ({ dataBytes: bytesOf(path), logBytes: logBytes(path) }),
    async maintain() {
      if (isMemory || logBytes(path) < checkpointPages * pageBytes) return;
      // Its own handle: there is no checkpoint on one that is within a transaction.
      maintainer ??= openHandle(options, 'write');
      maintainer.pragma('wal_checkpoint(PASSIVE)');
      if (logBytes(path) > maxLogBytes) maintainer.pragma('wal_checkpoint(RESTART)');
    },
    async close() {
      await commits.finish();
      maintainer?.close();
      if (read !== write) await read.destroy();
      await write.destroy();
    },
  };
}

/** For its owner alone, since it holds secrets; SQLite gives its log the same mode. */
function makeFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
}

/** Beside the database, for its owner alone. */
function loadKeyFile(path: string, fresh: string): string {
  try {
    writeFileSync(path, fresh, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readFileSync(path, 'utf8').trim();
}

function logBytes(path: string): number {
  return bytesOf(`${path}-wal`);
}

function bytesOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function openHandle(
  { path, durability, leavesCheckpoints }: SqliteOptions,
  use: keyof typeof cacheKilobytes,
): SqliteHandle.Database {
  const handle = new SqliteHandle(path, { timeout: 0 });
  // Opening may meet another process that is just switching the file to WAL.
  handle.pragma('busy_timeout = 5000');
  handle.pragma('journal_mode = WAL');
  handle.pragma(`synchronous = ${durability === 'power' ? 'FULL' : 'NORMAL'}`);
  handle.pragma('foreign_keys = ON');
  handle.pragma(`wal_autocheckpoint = ${leavesCheckpoints ? 0 : checkpointPages}`);
  // So that the log's size says how much of it is in use.
  handle.pragma('journal_size_limit = 0');
  handle.pragma(`cache_size = -${cacheKilobytes[use]}`);
  handle.pragma('busy_timeout = 0');
  // As every other engine compares; who wants it otherwise lowers both sides.
  handle.pragma('case_sensitive_like = ON');
  return handle;
}

function kyselyOn(handle: SqliteHandle.Database): Kysely<Schema> {
  return new Kysely<Schema>({
    dialect: {
      createDriver: () => new SqliteDriver(handle),
      createAdapter: () => new TransactionalSqliteAdapter(),
      createQueryCompiler: () => new SqliteQueryCompiler(),
      createIntrospector: (db) => new SqliteIntrospector(db),
    },
  });
}

/** SQLite's DDL is transactional, so that a migration that is killed has changed nothing. */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}
