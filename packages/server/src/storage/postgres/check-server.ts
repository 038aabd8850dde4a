import type { PoolClient } from 'pg';
import { ConfigError } from '../../config-error.js';
import { StorageUnavailableError } from '../database.js';
import { pg } from './pg.js';
import { translatePostgresError } from './postgres-error.js';
import type { PostgresAddress } from './postgres-url.js';
import { ServerPool } from './server-pool.js';

// A pooler assigns the server connection that became free last, so the first round usually suffices.
// Later rounds detect one whose other clients took that connection meanwhile.
const poolerRounds = 3;
const queryMs = 3_000;
const oldestVersion = 15;
// Insufficient privilege, and no schema that this role may use.
const missingRights = /^(42501|3F000)$/;

/**
 * Checks what Shorty needs from a server, before anything uses it: its version, the encoding UTF8, and a
 * pooler that does what the address says. Throws a ConfigError that names what to change.
 */
export async function checkServer(address: PostgresAddress): Promise<void> {
  const pool = new ServerPool(address, 2, false);
  const { database, poolsTransactions } = address;
  try {
    requireVersion(String(await withClient(pool, (client) => read(client, 'show server_version'))));
    const encoding = await withClient(pool, (client) => read(client, 'show server_encoding'));
    if (encoding !== 'UTF8') {
      throw new ConfigError(
        `SHORTY_DATABASE_URL: the database ${database} has the encoding ${encoding}, and must have UTF8: dump it with pg_dump, create another database with encoding 'UTF8' template template0, and restore the dump there`,
      );
    }
    if (poolsTransactions) {
      // Fails if each statement may reach another session.
      await withClient(pool, (client) => read(client, 'begin'));
    } else if (await withClient(pool, (client) => reachesOtherSessions(pool, client))) {
      throw new ConfigError(
        'SHORTY_DATABASE_URL: a pooler such as PgBouncer assigns a server connection to each transaction, which the address does not say: add the parameter pool_mode=transaction to the address, or set pool_mode = session for this database in the pooler',
      );
    }
  } catch (error) {
    throw explainStatementPooling(error);
  } finally {
    await pool.end();
  }
}

/** Throws a ConfigError unless a version such as `18.1` or `15.4 (Debian 15.4-1)` is supported. */
export function requireVersion(version: string): void {
  if (Number.parseInt(version, 10) >= oldestVersion) return;
  throw new ConfigError(
    `SHORTY_DATABASE_URL: the server is PostgreSQL ${version}, and must be version ${oldestVersion} or later: upgrade it with pg_upgrade`,
  );
}

/** Returns whether consecutive statements of a client reach different server processes. */
async function reachesOtherSessions(pool: ServerPool, client: PoolClient): Promise<boolean> {
  const first = await readPid(client);
  // A pooler sends ids of its own.
  if (first === processIdOf(client)) return false;
  return withClient(pool, async (other) => {
    for (let round = 0; round < poolerRounds; round += 1) {
      await read(other, 'begin');
      const taken = await readPid(other);
      const next = await readPid(client);
      await read(other, 'rollback');
      if (taken === first || next !== first) return true;
    }
    return false;
  });
}

/** Converts the error of a role that may not create tables to a ConfigError. */
export function explainMissingRights(error: unknown, { user, database }: PostgresAddress): unknown {
  const cause = error instanceof StorageUnavailableError ? error.cause : error;
  if (!(cause instanceof pg().DatabaseError) || !missingRights.test(cause.code ?? '')) return error;
  return new ConfigError(
    `SHORTY_DATABASE_URL: the role ${user} may not create or change tables in the database ${database} (${cause.message}): make it the owner of the database and of its tables (alter table … owner to "${user}"), or for a new database run as the owner: grant usage, create on schema public to "${user}"`,
    { cause },
  );
}

// PgBouncer refuses `begin` when it assigns a server connection to each statement.
function explainStatementPooling(error: unknown): unknown {
  if (!(error instanceof pg().DatabaseError) || !/statement pooling/i.test(error.message)) {
    return translatePostgresError(error);
  }
  return new ConfigError(
    'SHORTY_DATABASE_URL: PgBouncer assigns a server connection to each statement: set pool_mode = transaction for this database, and add the parameter pool_mode=transaction to the address',
    { cause: error },
  );
}

async function withClient<T>(
  pool: ServerPool,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.acquire();
  try {
    return await work(client);
  } finally {
    // Closes the connection, because it may be within a transaction.
    client.release(true);
  }
}

async function readPid(client: PoolClient): Promise<number> {
  return Number(await read(client, 'select pg_backend_pid()'));
}

async function read(client: PoolClient, text: string): Promise<unknown> {
  const query = { text, query_timeout: queryMs };
  const { rows } = await client.query(query);
  return Object.values(rows[0] ?? {})[0];
}

/** Returns the id that the server, or a pooler, sent for the cancellation of queries. */
function processIdOf(client: PoolClient): unknown {
  return (client as PoolClient & { readonly processID?: number }).processID;
}
