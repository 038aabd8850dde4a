import type { Caller } from '../contract/caller.js';
import type { Database, Schema, WriteTransaction } from '../storage/database.js';
import { prepare } from '../storage/prepared.js';
import { deleteExpired } from '../storage/run-in-batches.js';

export interface Client {
  readonly id: string;
  readonly organizationId: string;
  readonly secretHash: string;
  readonly scopes: readonly string[];
}

/** Stores API clients and their access tokens. Secrets are stored as hashes only. */
export class ClientRepository {
  readonly #database: Database;
  // Prepared, because every API request runs it.
  readonly #byToken;

  constructor(database: Database) {
    this.#database = database;
    this.#byToken = prepare(
      database.read
        .selectFrom('access_tokens')
        .innerJoin('clients', 'clients.id', 'access_tokens.client_id')
        .select(['client_id as clientId', 'organization_id as organizationId'])
        .select('access_tokens.scopes')
        .where('clients.revoked_at', 'is', null)
        .where('token_hash', '=', '')
        .where('expires_at', '>', 0),
    );
  }

  create(client: Client, now: number): Promise<void> {
    return this.#database.writeDirectly((transaction) => insertClient(transaction, client, now));
  }

  /** Finds a client that is not revoked. */
  async find(id: string): Promise<Client | undefined> {
    const row = await this.#database.read
      .selectFrom('clients')
      .select(['id', 'organization_id as organizationId', 'secret_hash as secretHash', 'scopes'])
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .executeTakeFirst();
    return row && { ...row, scopes: row.scopes.split(' ') };
  }

  /** Revokes a client and deletes its tokens; returns false when there is no such client. */
  revoke(id: string, now: number): Promise<boolean> {
    return this.#database.writeDirectly(async (transaction) => {
      const result = await transaction
        .updateTable('clients')
        .set({ revoked_at: now })
        .where('id', '=', id)
        .where('revoked_at', 'is', null)
        .executeTakeFirst();
      await transaction.deleteFrom('access_tokens').where('client_id', '=', id).execute();
      return result.numUpdatedRows > 0n;
    });
  }

  saveToken(organizationId: string, token: Schema['access_tokens']): Promise<void> {
    return this.#database.write(organizationId, async (transaction) => {
      await transaction.insertInto('access_tokens').values(token).execute();
    });
  }

  async findCaller(tokenHash: string, now: number): Promise<Caller | undefined> {
    const { rows } = await this.#database.read.executeQuery(this.#byToken(tokenHash, now));
    const [row] = rows;
    return (
      row && {
        organizationId: row.organizationId,
        scopes: new Set(row.scopes.split(' ')),
        client: { id: row.clientId },
        apiKey: null,
      }
    );
  }

  /** Deletes the expired access tokens, until the signal aborts. */
  deleteExpiredTokens(now: number, signal: AbortSignal): Promise<number> {
    return deleteExpired(this.#database, 'access_tokens', 'expires_at', now, signal);
  }
}

export async function insertClient(
  transaction: WriteTransaction,
  client: Client,
  now: number,
): Promise<void> {
  await transaction
    .insertInto('clients')
    .values({
      id: client.id,
      organization_id: client.organizationId,
      secret_hash: client.secretHash,
      scopes: client.scopes.join(' '),
      created_at: now,
      revoked_at: null,
    })
    .execute();
}
