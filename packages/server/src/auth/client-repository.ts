import type { Caller } from '../contract/caller.js';
import type { Page, PageRange } from '../contract/fields.js';
import {
  type IdempotentResult,
  type WriteRequest,
  writeOnce,
} from '../idempotency/with-idempotency-key.js';
import type { Database, Schema, WriteTransaction } from '../storage/database.js';
import { readList } from '../storage/list-page.js';
import type { ListQuery } from '../storage/list-query.js';
import { readByKey } from '../storage/read-by-key.js';
import { deleteExpired } from '../storage/run-in-batches.js';
import { maxClients } from './client-contract.js';

/** A client without its secret. Instants are milliseconds since 1970. */
export interface Client {
  readonly id: string;
  readonly organizationId: string;
  /** What the client is for. */
  readonly name: string | null;
  readonly scopes: readonly string[];
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

export type NewClient = Pick<Client, 'id' | 'organizationId' | 'name' | 'scopes'> & {
  readonly secretHash: string;
};

/** A new client, and its secret. */
export interface ClientWithSecret {
  readonly client: Client;
  readonly clientSecret: string;
}

/** A caller, and the time since when its organization is suspended; null when it is not. */
export interface FoundCaller {
  readonly caller: Caller;
  readonly suspendedAt: number | null;
}

interface ClientChanges {
  readonly name?: string | null | undefined;
  readonly expiresAt?: number | null | undefined;
}

/** Stores API clients and their access tokens. Secrets are stored as hashes only. */
export class ClientRepository {
  readonly #database: Database;
  // Prepared, because every API request runs it.
  readonly #readByToken;

  constructor(database: Database) {
    this.#database = database;
    this.#readByToken = readByKey(
      database,
      database.read
        .selectFrom('access_tokens')
        .innerJoin('clients', 'clients.id', 'access_tokens.client_id')
        .innerJoin('organizations', 'organizations.id', 'clients.organization_id')
        .select(['token_hash as key', 'client_id as clientId', 'organization_id as organizationId'])
        .select(['access_tokens.scopes', 'suspended_at as suspendedAt'])
        .select(['access_tokens.expires_at as expiresAt', 'clients.expires_at as clientExpiresAt'])
        .where('clients.revoked_at', 'is', null),
      'token_hash',
    );
  }

  /** Creates a client, unless its organization does not exist or has `maxClients` that are not revoked. */
  create(
    client: NewClient,
    clientSecret: string,
    now: number,
    write: WriteRequest | undefined,
  ): Promise<IdempotentResult<ClientWithSecret | 'no-organization' | 'too-many'>> {
    const { organizationId } = client;
    return writeOnce(
      this.#database,
      organizationId,
      write,
      async (transaction) => {
        if (!(await hasOrganization(transaction, organizationId))) return 'no-organization';
        const live = await selectClients(transaction, organizationId)
          .where('revoked_at', 'is', null)
          .execute();
        if (live.length >= maxClients) return 'too-many';
        await insertClient(transaction, client, now);
        return { client: toClient(client, now), clientSecret };
      },
      {
        audit: (result) => (typeof result === 'string' ? null : { type: 'client', id: client.id }),
        holdsSecret: true,
      },
    );
  }

  /** Finds a client that is neither revoked nor expired. */
  async find(id: string, now: number) {
    if (!isPossibleId(id)) return undefined;
    const row = await this.#database.read
      .selectFrom('clients')
      .innerJoin('organizations', 'organizations.id', 'clients.organization_id')
      .select(['organization_id as organizationId', 'secret_hash as secretHash', 'scopes'])
      .select('suspended_at as suspendedAt')
      .where('clients.id', '=', id)
      .where('revoked_at', 'is', null)
      .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
      .executeTakeFirst();
    return row && { ...row, scopes: row.scopes.split(' ') };
  }

  /** Changes the name or the expiry of a client and returns it; null when there is none. */
  update(
    organizationId: string,
    id: string,
    { name, expiresAt }: ClientChanges,
    write: WriteRequest | undefined,
  ): Promise<IdempotentResult<Client | null>> {
    return writeOnce(
      this.#database,
      organizationId,
      write,
      async (transaction) => {
        if (!isPossibleId(id)) return null;
        await transaction
          .updateTable('clients')
          .set({
            id,
            ...(name !== undefined && { name }),
            ...(expiresAt !== undefined && { expires_at: expiresAt }),
          })
          .where('id', '=', id)
          .where('organization_id', '=', organizationId)
          .execute();
        return findClient(transaction, organizationId, id);
      },
      { audit: (client) => client && { type: 'client', id } },
    );
  }

  /** Revokes a client and deletes its tokens. Returns the client; null when there is none. */
  revoke(
    organizationId: string,
    id: string,
    now: number,
    write: WriteRequest | undefined,
  ): Promise<IdempotentResult<Client | null>> {
    return writeOnce(
      this.#database,
      organizationId,
      write,
      async (transaction) => {
        const before = await findClient(transaction, organizationId, id);
        if (!before || before.revokedAt !== null) return before;
        await transaction
          .updateTable('clients')
          .set({ revoked_at: now })
          .where('id', '=', id)
          .execute();
        await transaction.deleteFrom('access_tokens').where('client_id', '=', id).execute();
        return { ...before, revokedAt: now };
      },
      { audit: (client) => client && { type: 'client', id } },
    );
  }

  /** Returns the organization of a client; undefined when there is no such client. */
  async findOrganization(id: string): Promise<string | undefined> {
    const row = await this.#database.read
      .selectFrom('clients')
      .select('organization_id as organizationId')
      .where('id', '=', id)
      .executeTakeFirst();
    return row?.organizationId;
  }

  saveToken(organizationId: string, token: Schema['access_tokens']): Promise<void> {
    return this.#database.write(organizationId, async (transaction) => {
      await transaction.insertInto('access_tokens').values(token).execute();
    });
  }

  async findCaller(tokenHash: string, now: number): Promise<FoundCaller | undefined> {
    const row = await this.#readByToken(tokenHash);
    if (!row || row.expiresAt <= now) return undefined;
    if (row.clientExpiresAt !== null && row.clientExpiresAt <= now) return undefined;
    const caller = {
      organizationId: row.organizationId,
      scopes: new Set(row.scopes.split(' ')),
      client: { id: row.clientId },
      apiKey: null,
    };
    return { caller, suspendedAt: row.suspendedAt };
  }

  /** Deletes the expired access tokens, until the signal aborts. */
  deleteExpiredTokens(now: number, signal: AbortSignal): Promise<number> {
    return deleteExpired(this.#database, 'access_tokens', 'expires_at', now, signal);
  }
}

/** Returns one page of clients, revoked ones included, newest first. */
export function listClients(
  database: Database,
  organizationId: string,
  range: PageRange,
): Promise<Page<Client>> {
  const list: ListQuery = {
    table: 'clients',
    owner: { column: 'organization_id', value: organizationId },
    ...range,
  };
  return readList<string, Client>(database, list, async (ids) => {
    const clients = selectClients(database.read, organizationId).where('id', 'in', ids);
    return (await clients.execute()).map(fromRow);
  });
}

/** Returns a new client as it is stored. */
export function toClient({ secretHash: _, ...client }: NewClient, createdAt: number): Client {
  return { ...client, createdAt, expiresAt: null, revokedAt: null };
}

/** PostgreSQL refuses U+0000, which no id has. */
const isPossibleId = (id: string) => !id.includes('\0');

async function findClient(db: Database['read'], organizationId: string, id: string) {
  if (!isPossibleId(id)) return null;
  const row = await selectClients(db, organizationId).where('id', '=', id).executeTakeFirst();
  return row ? fromRow(row) : null;
}

function selectClients(db: Database['read'], organizationId: string) {
  return db
    .selectFrom('clients')
    .select(['id', 'organization_id as organizationId', 'name', 'scopes'])
    .select(['created_at as createdAt', 'expires_at as expiresAt', 'revoked_at as revokedAt'])
    .where('organization_id', '=', organizationId);
}

type ClientRow = Awaited<ReturnType<ReturnType<typeof selectClients>['execute']>>[number];

function fromRow({ scopes, ...row }: ClientRow): Client {
  return { ...row, scopes: scopes.split(' ') };
}

async function hasOrganization(transaction: WriteTransaction, id: string): Promise<boolean> {
  const organizations = transaction
    .selectFrom('organizations')
    .select('id')
    .where('id', '=', id)
    .where('deletion_started_at', 'is', null);
  return (await organizations.executeTakeFirst()) !== undefined;
}

export async function insertClient(
  transaction: WriteTransaction,
  client: NewClient,
  now: number,
): Promise<void> {
  await transaction
    .insertInto('clients')
    .values({
      id: client.id,
      organization_id: client.organizationId,
      name: client.name,
      secret_hash: client.secretHash,
      scopes: client.scopes.join(' '),
      created_at: now,
      expires_at: null,
      revoked_at: null,
    })
    .execute();
}
