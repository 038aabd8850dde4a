import pg, { type PoolClient, type PoolConfig } from 'pg';
import { StorageUnavailableError } from '../database.js';
import { translatePostgresError } from './postgres-error.js';
import type { PostgresAddress, SslMode } from './postgres-url.js';

// How long is waited for a connection, whether one is made or all are in use.
const connectMs = 3_000;
// The pool's words when all of them stayed in use, which says nothing of the server.
const allInUse = 'timeout exceeded when trying to connect';
// Where somebody waits for the answer.
const hurried: pg.ClientConfig = {
  // Of one statement, waiting for locks included.
  statement_timeout: 10_000,
  lock_timeout: 10_000,
  // When even the server's own limit is not heard of.
  query_timeout: 15_000,
  idle_in_transaction_session_timeout: 30_000,
};

/** Counts beyond 2^53 do not occur; the client would hand over text. */
const numbers = new Set([20, 1700]);
const types: PoolConfig['types'] = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    numbers.has(oid) ? Number : pg.types.getTypeParser(oid, format as 'text'),
};

/** How to reach one of an address's servers. */
export function clientConfig(address: PostgresAddress, at: number): pg.ClientConfig {
  const { hosts, user, password, database, sslMode } = address;
  return {
    ...hosts[at % hosts.length],
    user,
    password,
    database,
    ssl: tlsOf(sslMode),
    types,
    keepAlive: true,
    connectionTimeoutMillis: connectMs,
    query_timeout: connectMs,
    application_name: 'shorty',
  };
}

/** Throws where a server does not take writes, or says nothing. */
export async function checkTakesWrites(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query({
    text: 'show transaction_read_only',
    query_timeout: connectMs,
  } as pg.QueryConfig);
  if (rows[0]?.transaction_read_only === 'on') {
    throw new StorageUnavailableError('storage is unavailable (the server only reads)');
  }
}

function tlsOf(mode: SslMode | undefined): pg.ClientConfig['ssl'] {
  if (mode === undefined || mode === 'disable') return false;
  return { rejectUnauthorized: mode === 'verify-full' };
}

export interface PoolOptions {
  readonly maxConnections: number;
  /** True where statements may take as long as they need. */
  readonly isUnhurried: boolean;
}

/**
 * At most so many connections to whichever of the address's servers takes writes. When that one is
 * gone, the next connections are made to another.
 */
export class ServerPool {
  readonly #address: PostgresAddress;
  readonly #pool: pg.Pool;
  readonly #checked = new WeakSet<PoolClient>();
  #at = 0;

  constructor(address: PostgresAddress, { maxConnections, isUnhurried }: PoolOptions) {
    this.#address = address;
    const limits = isUnhurried ? { query_timeout: 0 } : hurried;
    const newConfig = () => ({ ...clientConfig(address, this.#at), ...limits });
    this.#pool = new pg.Pool({
      max: maxConnections,
      connectionTimeoutMillis: connectMs,
      idleTimeoutMillis: 60_000,
      allowExitOnIdle: true,
      // Each new connection goes where the server was last found.
      Client: class extends pg.Client {
        constructor() {
          super(newConfig());
          // Whoever uses it is told by the query; a second time, to nobody, would end the process.
          this.on('error', () => {});
        }
      },
    } as PoolConfig);
    // Of connections that nobody is using: the next one who asks gets another.
    this.#pool.on('error', () => {});
  }

  /** A connection of one's own until it is released; throws StorageUnavailableError. */
  async acquire(): Promise<PoolClient> {
    for (let tries = 1; ; tries += 1) {
      const at = this.#at;
      try {
        return await this.#connect();
      } catch (error) {
        if ((error as Error).message === allInUse) throw translatePostgresError(error);
        // Somebody else may have found the way meanwhile.
        if (this.#at === at) this.#at = (at + 1) % this.#address.hosts.length;
        if (tries >= this.#address.hosts.length) throw translatePostgresError(error);
      }
    }
  }

  /** The pool's own check would keep the connections of those who have given up meanwhile. */
  async #connect(): Promise<PoolClient> {
    const client = await this.#pool.connect();
    if (this.#checked.has(client)) return client;
    try {
      await checkTakesWrites(client);
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
