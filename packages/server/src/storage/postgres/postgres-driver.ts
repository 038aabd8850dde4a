import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type QueryResult,
  type TransactionSettings,
} from 'kysely';
import type { QueryResult as PgResult, PoolClient } from 'pg';
import { translatePostgresError } from './postgres-error.js';
import type { ServerPool } from './server-pool.js';

/** Runs Kysely on a pool. Each connection prepares a statement once. */
export class PostgresDriver implements Driver {
  readonly #pool: ServerPool;

  constructor(pool: ServerPool) {
    this.#pool = pool;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<PostgresConnection> {
    return new PostgresConnection(await this.#pool.acquire());
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    (connection as PostgresConnection).release();
  }

  async beginTransaction(
    connection: DatabaseConnection,
    { isolationLevel, accessMode }: TransactionSettings,
  ): Promise<void> {
    const words = ['begin', isolationLevel && `isolation level ${isolationLevel}`, accessMode];
    await connection.executeQuery(CompiledQuery.raw(words.filter(Boolean).join(' ')));
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('commit'));
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await (connection as PostgresConnection).rollback();
  }

  async destroy(): Promise<void> {
    await this.#pool.end();
  }
}

class PostgresConnection implements DatabaseConnection {
  readonly #client: PoolClient;
  /** Set when the connection must not be used again. */
  #brokenBy: Error | undefined;

  constructor(client: PoolClient) {
    this.#client = client;
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const { rows, rowCount } = await this.#run(sql, parameters);
    return { rows: rows as Row[], numAffectedRows: BigInt(rowCount ?? 0) };
  }

  // biome-ignore lint/correctness/useYield: Kysely's interface asks for a generator.
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('queries are not streamed from PostgreSQL');
  }

  async rollback(): Promise<void> {
    // Closing the connection rolls back, too, and does not wait for a server that hangs.
    if (this.#brokenBy) return;
    try {
      await this.#run('rollback', []);
    } catch (error) {
      // The server rolls back the transaction of a lost connection.
      this.#brokenBy = error as Error;
    }
  }

  release(): void {
    this.#client.release(this.#brokenBy);
  }

  async #run(text: string, values: readonly unknown[]): Promise<PgResult> {
    try {
      if (values.length === 0) return await this.#client.query(text);
      return await this.#client.query({ name: nameOf(text), text, values: values as unknown[] });
    } catch (error) {
      const translated = translatePostgresError(error);
      // The response may still arrive and would reach the next user of the connection.
      if (translated !== error) this.#brokenBy = error as Error;
      throw translated;
    }
  }
}

const names = new Map<string, string>();
// Lists of ids make many different statements; beyond this number they are parsed each time.
const maxNames = 500;

/** Returns the name of the prepared statement; undefined once there are too many. */
function nameOf(text: string): string | undefined {
  let name = names.get(text);
  if (name === undefined && names.size < maxNames) {
    name = `shorty_${names.size}`;
    names.set(text, name);
  }
  return name;
}
