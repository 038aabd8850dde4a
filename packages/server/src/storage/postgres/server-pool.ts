import type { ClientConfig, Pool, PoolClient, PoolConfig } from 'pg';
import { StorageUnavailableError } from '../database.js';
import { pg, translatePostgresError } from './postgres-error.js';
import type { PostgresAddress } from './postgres-url.js';

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
export function setLocalLimits(withoutTimeout: boolean): string {
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
 * A pool of connections to the server that accepts writes. After it fails, new connections go to the
 * next server of the address.
 */
export class ServerPool {
  readonly #hostCount: number;
  readonly #maxConnections: number;
  readonly #check: string;
  readonly #pool: Pool;
  readonly #checked = new WeakSet<PoolClient>();
  #hostIndex = 0;

  constructor(address: PostgresAddress, maxConnections: number, withoutTimeout: boolean) {
    const { hosts, user, password, database, sslMode, poolMode } = address;
    const usesTls = sslMode !== undefined && sslMode !== 'disable';
    const newConfig = (): ClientConfig => ({
      ...hosts[this.#hostIndex],
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
    this.#hostCount = hosts.length;
    this.#maxConnections = maxConnections;
    // A session behind a pooler is not this client's alone.
    const ownsSession = !withoutTimeout && poolMode !== 'transaction';
    this.#check = `select ${ownsSession ? setLimits : ''}current_setting('transaction_read_only') as read_only`;
    const { Client, Pool } = pg();
    this.#pool = new Pool({
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
    this.#pool.on('error', () => {});
  }

  /** Acquires a connection. Throws StorageUnavailableError if there is none within the time limit. */
  async acquire(): Promise<PoolClient> {
    for (let tries = 1; ; tries += 1) {
      const hostIndex = this.#hostIndex;
      try {
        return await this.#connect();
      } catch (error) {
        // No connection became free in time. The server may be healthy.
        if (this.#pool.totalCount >= this.#maxConnections) throw translatePostgresError(error);
        // Another call may have moved on to the next server already.
        if (this.#hostIndex === hostIndex) this.#hostIndex = (hostIndex + 1) % this.#hostCount;
        if (tries >= this.#hostCount) throw translatePostgresError(error);
      }
    }
  }

  /**
   * Connects, sets the time limits of a new connection, and checks that it can write. The pool's own
   * check leaks it when the caller times out.
   */
  async #connect(): Promise<PoolClient> {
    const client = await this.#pool.connect();
    if (this.#checked.has(client)) return client;
    try {
      const check = { text: this.#check, query_timeout: connectMs };
      const { rows } = await client.query(check);
      if (rows[0]?.read_only === 'on') {
        throw new StorageUnavailableError('storage is unavailable (the server is read-only)');
      }
    } catch (error) {
      client.release(error as Error);
      throw error;
    }
    this.#checked.add(client);
    return client;
  }

  async end(): Promise<void> {
    await this.#pool.end();
  }
}
