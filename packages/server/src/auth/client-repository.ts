import { type Selectable, sql } from 'kysely';
import type { z } from 'zod';
import { ApiError } from '../contract/api-error.js';
import type { Caller, LinkOwner } from '../contract/caller.js';
import { defaultScopes, type Scope } from '../contract/define-route.js';
import { columnsOf, fieldsOf, presentAs, withIsoTimes } from '../contract/present.js';
import { refuseTooMany } from '../idempotency/refuse-too-many.js';
import { Refusal, type WriteContext, writeOnce } from '../idempotency/with-idempotency-key.js';
import type { Database, Schema, WriteTransaction } from '../storage/database.js';
import { listOf } from '../storage/list-page.js';
import { rowReader } from '../storage/prepared.js';
import { bulkInsert, findWhere, updateWhere } from '../storage/statements.js';
import { clientRecord, maxClients } from './client-contract.js';
import { hashSecret, newSecret } from './secrets.js';

/** A client without its secret. Instants are milliseconds since 1970. */
export type Client = ReturnType<typeof fromRow>;

export interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

export type NewClient = Pick<Client, 'id' | 'organizationId' | 'name' | 'scopes'> & {
  readonly secretHash: string;
};

/** A caller, and the time since when its organization is suspended; null when it is not. */
export interface FoundCaller {
  readonly caller: Caller;
  readonly suspendedAt: number | null;
}

/** Returns new credentials. Only the hash of the secret is stored, so they are shown once. */
export function newCredentials(): Credentials {
  return { clientId: newSecret('clientId'), clientSecret: newSecret('clientSecret') };
}

/** Returns the record of a client with these credentials: by default, without urls:erase and keys:write. */
export function clientOf(
  organizationId: string,
  { clientId, clientSecret }: Credentials,
  scopes: readonly Scope[] = defaultScopes,
  name: string | null = null,
): NewClient {
  return {
    id: clientId,
    organizationId,
    name,
    secretHash: hashSecret(clientSecret),
    scopes: [...scopes],
  };
}

export function noOrganization(id: string): ApiError {
  return new ApiError('NOT_FOUND', `There is no organization "${id}"`);
}

export type ClientRepository = ReturnType<typeof createClientRepository>;

/** Stores API clients and their access tokens. Secrets are stored as hashes only. */
export function createClientRepository(database: Database) {
  // Prepared, because every API request runs it.
  const readByToken = rowReader(
    database.read,
    database.read
      .selectFrom('access_tokens')
      .innerJoin('clients', 'clients.id', 'access_tokens.client_id')
      .innerJoin('organizations', 'organizations.id', 'clients.organization_id')
      .select(['token_hash', 'client_id as clientId', 'organization_id as organizationId'])
      .select(['access_tokens.scopes', 'suspended_at as suspendedAt'])
      .select('access_tokens.expires_at as expiresAt')
      .where('clients.revoked_at', 'is', null),
    ['token_hash'],
  );

  return {
    /** Creates a client, and returns it with its secret. Throws NOT_FOUND or QUOTA_EXCEEDED. */
    create(
      fields: { readonly name?: string | null | undefined; readonly scopes?: Scope[] | undefined },
      context: WriteContext,
    ) {
      const { organizationId, now } = context;
      const credentials = newCredentials();
      const created = clientOf(organizationId, credentials, fields.scopes, fields.name);
      const audit = { type: 'client', id: created.id } as const;
      const options = { ...context, audit, holdsSecret: true };
      return writeOnce(database, options, async (transaction) => {
        const organization = await findWhere(transaction, 'organizations', { id: organizationId });
        if (organization?.deletion_started_at !== null) {
          throw new Refusal(noOrganization(organizationId));
        }
        const live = sql`clients where organization_id = ${organizationId} and revoked_at is null`;
        await refuseTooMany(transaction, live, maxClients, 'clients', 'Revoke one first');
        await insertClient(transaction, created, now);
        const { secretHash: _, ...client } = created;
        const state = { createdAt: now, revokedAt: null };
        return { client: { ...client, ...state }, clientSecret: credentials.clientSecret };
      });
    },

    async find(id: string) {
      if (!isPossibleId(id)) return undefined;
      const row = await database.read
        .selectFrom('clients')
        .innerJoin('organizations', 'organizations.id', 'clients.organization_id')
        .select(['organization_id as organizationId', 'secret_hash as secretHash', 'scopes'])
        .select('suspended_at as suspendedAt')
        .where('clients.id', '=', id)
        .where('revoked_at', 'is', null)
        .executeTakeFirst();
      return row && { ...row, scopes: row.scopes.split(' ') };
    },

    /** Returns the clients with this id or name that are not revoked, of any organization. */
    findActive: (idOrName: string) =>
      database.read
        .selectFrom('clients')
        .select(['id', 'organization_id as organizationId'])
        .where('revoked_at', 'is', null)
        .where(({ or, eb }) => or([eb('id', '=', idOrName), eb('name', '=', idOrName)]))
        .execute(),

    /** Revokes a client and deletes its tokens. Returns the client; null when there is none. */
    revoke(id: string, context: WriteContext) {
      const options = { ...context, audit: { type: 'client', id } } as const;
      return writeOnce(database, options, async (transaction) => {
        const before = await findClient(transaction, context, id);
        if (!before || before.revokedAt !== null) return before;
        await updateWhere(transaction, 'clients', { id }, { revoked_at: context.now });
        await transaction.deleteFrom('access_tokens').where('client_id', '=', id).execute();
        return { ...before, revokedAt: context.now };
      });
    },

    saveToken: (organizationId: string, token: Schema['access_tokens']) =>
      database.write(organizationId, (transaction) =>
        bulkInsert(transaction, 'access_tokens', [token]),
      ),

    async findCaller(tokenHash: string, now: number): Promise<FoundCaller | undefined> {
      const row = await readByToken(tokenHash);
      if (!row || row.expiresAt <= now) return undefined;
      const caller = {
        organizationId: row.organizationId,
        scopes: new Set(row.scopes.split(' ')),
        client: { id: row.clientId },
      };
      return { caller, suspendedAt: row.suspendedAt };
    },
  };
}

export const listClients = listOf('clients', selectClients, fromRow);

export function toClientRecord(client: Client): z.input<typeof clientRecord> {
  return presentAs(clientRecord, withIsoTimes(client));
}

/** PostgreSQL refuses U+0000, which no id has. */
const isPossibleId = (id: string) => !id.includes('\0');

async function findClient(db: Database['read'], { organizationId }: LinkOwner, id: string) {
  if (!isPossibleId(id)) return null;
  const row = await selectClients(db, organizationId).where('id', '=', id).executeTakeFirst();
  return row ? fromRow(row) : null;
}

function selectClients(db: Database['read'], organizationId: string) {
  return db.selectFrom('clients').selectAll().where('organization_id', '=', organizationId);
}

function fromRow(row: Selectable<Schema['clients']>) {
  const { secretHash: _, scopes, ...fields } = fieldsOf(row);
  return { ...fields, scopes: scopes.split(' ') as Scope[] };
}

export async function insertClient(
  transaction: WriteTransaction,
  client: NewClient,
  now: number,
): Promise<void> {
  const dates = { createdAt: now, revokedAt: null };
  const fields = { ...client, ...dates, scopes: client.scopes.join(' ') };
  const row = columnsOf<Selectable<Schema['clients']>>(fields);
  await transaction.insertInto('clients').values(row).execute();
}
