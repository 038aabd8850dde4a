import type { PoolClient, QueryResult } from 'pg';
import { StorageUnavailableError } from '../database.js';
import { isLockTimeout, translatePostgresError } from './postgres-error.js';

/**
 * A client in use, for Kysely's driver. Prepares each statement once, and closes a connection that
 * must not be used again.
 */
export class PreparedClient {
  readonly #client: PoolClient;
  #brokenBy: Error | undefined;

  constructor(client: PoolClient) {
    this.#client = client;
  }

  async query(text: string, values: readonly unknown[]): Promise<Partial<QueryResult>> {
    const isRollback = text === 'rollback';
    // Closing the connection rolls back, too, and does not wait for a server that hangs.
    if (isRollback && this.#brokenBy) return {};
    try {
      if (values.length === 0) return await this.#client.query(text);
      return await this.#client.query({ name: nameOf(text), text, values: values as unknown[] });
    } catch (error) {
      const translated = translatePostgresError(error);
      // A late response would reach the next user of the connection.
      const isBroken = translated instanceof StorageUnavailableError && !isLockTimeout(translated);
      if (isBroken || isRollback) this.#brokenBy = error as Error;
      // The server rolls back the transaction of a lost connection.
      if (isRollback) return {};
      throw translated;
    }
  }

  release(): void {
    this.#client.release(this.#brokenBy);
  }
}

const names = new Map<string, string>();
// Lists of ids of different lengths are different statements. Those beyond this number are parsed at
// each use.
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
