import type { ClientConfig, PoolClient, PoolConfig } from 'pg';
import { StorageUnavailableError } from '../database.js';
import { pg, translatePostgresError } from './postgres-error.js';
import type { PostgresAddress } from './postgres-url.js';
import { preparedClient } from './prepared-client.js';

// The time limit for a new connection, and for a free one while all are in use.
const connectMs = 3_000;
// The limits of statements that a request waits for, as settings of the session, or of each transaction
// behind a pooler. PgBouncer refuses connections whose startup packet has them.
const sessionLimits = {
  // Includes the wait for locks.
  statement_timeout: 10_000,
  lock_timeout: 10_000,
  idle_in_transaction_session_timeout: 30_000,
};
// Applies when the server does not report its own timeout.
const queryTimeoutMs = 15_000;
const setLimits = Object.entries(sessionLimits)
  .map(([name, limitMs]) => `set_config('${name}', '${limitMs}', false), `)
  .join('');

/** Returns the statements that set the limits of one transaction. */
function setLocalLimits(withoutTimeout: boolean): string {
  return Object.entries(sessionLimits)
    .map(([name, limitMs]) => `set local ${name} = ${withoutTimeout ? 0 : limitMs}`)
    .join('; ');
}

/** The types int8 and numeric, which the client would return as text. Counts stay below 2^53. */
const numbers = new Set([20, 1700]);
const types: PoolConfig['types'] = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    numbers.has(oid) ? Number : pg().types.getTypeParser(oid, format as 'text'),
};

/**
 * Opens a pool of connections to the server that accepts writes. After it fails, new connections go to the
 * next server of the address.
 */
export function openServerPool(
  { hosts, user, password, database, sslMode, poolMode }: PostgresAddress,
  maxConnections: number,
  withoutTimeout: boolean,
) {
  const usesTls = sslMode !== undefined && sslMode !== 'disable';
  // A session behind a pooler is not this client's alone.
  const isShared = poolMode === 'transaction';
  const localSettings = isShared ? setLocalLimits(withoutTimeout) : undefined;
  const limits = isShared || withoutTimeout ? '' : setLimits;
  const check = {
    text: `select ${limits}current_setting('transaction_read_only') as read_only`,
    query_timeout: connectMs,
  };
  const checked = new WeakSet<PoolClient>();
  let hostIndex = 0;
  const newConfig = (): ClientConfig => ({
    ...hosts[hostIndex],
    user,
    password,
    database,
    ssl: usesTls && { rejectUnauthorized: sslMode === 'verify-full' },
    types,
    keepAlive: true,
    connectionTimeoutMillis: connectMs,
    application_name: 'shorty',
    ...(withoutTimeout ? {} : { query_timeout: queryTimeoutMs }),
  });
  const { Client, Pool } = pg();
  const pool = new Pool({
    max: maxConnections,
    connectionTimeoutMillis: connectMs,
    idleTimeoutMillis: 60_000,
    allowExitOnIdle: true,
    // Each new connection goes to the current server.
    Client: class extends Client {
      constructor() {
        super(newConfig());
        // The query that uses the connection fails, too. An 'error' event without a listener
        // would end the process.
        this.on('error', () => {});
      }
    },
  } as PoolConfig);
  // The pool itself removes an idle connection that fails.
  pool.on('error', () => {});

  /**
   * Connects, sets the time limits of a new connection, and checks that it can write. The pool's own
   * check leaks it when the caller times out.
   */
  async function tryHost(): Promise<PoolClient> {
    const client = await pool.connect();
    if (checked.has(client)) return client;
    try {
      const { rows } = await client.query({ ...check });
      if (rows[0]?.read_only === 'on') {
        throw new StorageUnavailableError('storage is unavailable (the server is read-only)');
      }
    } catch (error) {
      client.release(error as Error);
      throw error;
    }
    checked.add(client);
    return client;
  }

  /** Acquires a connection. Throws StorageUnavailableError if there is none within the time limit. */
  async function acquire(): Promise<PoolClient> {
    for (let tries = 1; ; tries += 1) {
      const triedIndex = hostIndex;
      try {
        return await tryHost();
      } catch (error) {
        // No connection became free in time. The server may be healthy.
        if (pool.totalCount >= maxConnections) throw translatePostgresError(error);
        // Another call may have moved on to the next server already.
        if (hostIndex === triedIndex) hostIndex = (triedIndex + 1) % hosts.length;
        if (tries >= hosts.length) throw translatePostgresError(error);
      }
    }
  }

  return {
    acquire,
    /** Acquires a connection for Kysely. */
    connect: async () => preparedClient(await acquire(), localSettings),
    end: () => pool.end(),
  };
}
