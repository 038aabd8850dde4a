import type { CompiledQuery } from 'kysely';
import type { Caller } from '../contract/caller.js';
import type { Database, WriteTransaction } from '../storage/database.js';
import { deleteBatchSize, deleteInBatches } from '../storage/delete-in-batches.js';
import { prepare } from '../storage/prepared.js';

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
  readonly #byToken: (
    tokenHash: string,
    now: number,
  ) => CompiledQuery<{ client_id: string; scopes: string; organization_id: string }>;

  constructor(database: Database) {
    this.#database = database;
    this.#byToken = prepare(
      database.read
        .selectFrom('access_tokens')
        .innerJoin('clients', 'clients.id', 'access_tokens.client_id')
        .select(['access_tokens.client_id', 'access_tokens.scopes', 'clients.organization_id'])
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
      .selectAll()
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .executeTakeFirst();
    return (
      row && {
        id: row.id,
        organizationId: row.organization_id,
        secretHash: row.secret_hash,
        scopes: row.scopes.split(' '),
      }
    );
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

  saveToken(token: {
    hash: string;
    clientId: string;
    organizationId: string;
    scopes: readonly string[];
    createdAt: number;
    expiresAt: number;
  }): Promise<void> {
    return this.#database.write(token.organizationId, async (transaction) => {
      await transaction
        .insertInto('access_tokens')
        .values({
          token_hash: token.hash,
          client_id: token.clientId,
          scopes: token.scopes.join(' '),
          created_at: token.createdAt,
          expires_at: token.expiresAt,
        })
        .execute();
    });
  }

  async findCaller(tokenHash: string, now: number): Promise<Caller | undefined> {
    const { rows } = await this.#database.read.executeQuery(this.#byToken(tokenHash, now));
    const [row] = rows;
    return (
      row && {
        clientId: row.client_id,
        organizationId: row.organization_id,
        scopes: new Set(row.scopes.split(' ')),
      }
    );
  }

  /** Deletes the expired access tokens, until the signal aborts. */
  deleteExpiredTokens(now: number, signal: AbortSignal): Promise<void> {
    return deleteInBatches(
      () => this.#database.writeDirectly((transaction) => deleteTokenBatch(transaction, now)),
      signal,
    );
  }
}

async function deleteTokenBatch(transaction: WriteTransaction, now: number): Promise<number> {
  const { numDeletedRows } = await transaction
    .deleteFrom('access_tokens')
    .where('token_hash', 'in', ({ selectFrom }) =>
      selectFrom('access_tokens')
        .select('token_hash')
        .where('expires_at', '<=', now)
        .limit(deleteBatchSize),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
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
