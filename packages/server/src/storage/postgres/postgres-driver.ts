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

/** Kysely on a pool: statements are prepared once for each connection. */
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
  #fault: Error | undefined;

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
    // It is closed as it is, which undoes as much, and a server that hangs is not waited for twice.
    if (this.#fault) return;
    try {
      await this.#run('rollback', []);
    } catch (error) {
      // The server undoes what a connection that is gone has left. It must not be used again.
      this.#fault = error as Error;
    }
  }

  release(): void {
    this.#client.release(this.#fault);
  }

  async #run(text: string, values: readonly unknown[]): Promise<PgResult> {
    try {
      if (values.length === 0) return await this.#client.query(text);
      return await this.#client.query({ name: nameOf(text), text, values: values as unknown[] });
    } catch (error) {
      const translated = translatePostgresError(error);
      // Its answer may still come, for whoever would have the connection next.
      if (translated !== error) this.#fault = error as Error;
      throw translated;
    }
  }
}

const names = new Map<string, string>();
// Lists of ids make statements of any length; those beyond are parsed each time.
const maxNames = 500;

/** The name that a statement is prepared by; undefined where it is not worth it. */
function nameOf(text: string): string | undefined {
  let name = names.get(text);
  if (name === undefined && names.size < maxNames) {
    name = `shorty_${names.size}`;
    names.set(text, name);
  }
  return name;
}
