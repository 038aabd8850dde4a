import type { KeyScope } from '../contract/define-route.js';
import type { Page, PageRange } from '../contract/fields.js';
import {
  type IdempotentResult,
  type WriteRequest,
  writeOnce,
} from '../idempotency/with-idempotency-key.js';
import type { Database } from '../storage/database.js';
import { readList } from '../storage/list-page.js';
import type { ListQuery } from '../storage/list-query.js';
import { readByKey } from '../storage/read-by-key.js';
import { maxApiKeys } from './api-key-contract.js';
import type { FoundCaller } from './client-repository.js';
import { hashSecret } from './secrets.js';

/** An API key without its secret. Instants are milliseconds since 1970. */
export interface ApiKey {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  readonly start: string;
  readonly scopes: readonly KeyScope[];
  readonly createdBy: string;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly lastUsedAt: number | null;
}

/** A new key, and its secret. */
export interface NewApiKey {
  readonly apiKey: ApiKey;
  readonly key: string;
}

/** Stores API keys. Only the hashes of their secrets are stored. Every method is one transaction. */
export class ApiKeyRepository {
  readonly #database: Database;
  // Prepared, because every request with a key runs it.
  readonly #readByHash;

  constructor(database: Database) {
    this.#database = database;
    this.#readByHash = readByKey(
      database,
      database.read
        .selectFrom('api_keys')
        .innerJoin('organizations', 'organizations.id', 'api_keys.organization_id')
        .select(['api_keys.id', 'api_keys.name', 'organization_id as organizationId', 'scopes'])
        .select(['key_hash as key', 'expires_at as expiresAt', 'suspended_at as suspendedAt'])
        .select('last_used_at as lastUsedAt'),
      'key_hash',
    );
  }

  /** Creates a key. Returns null when the organization has `maxApiKeys` of them. */
  create(
    created: NewApiKey,
    write: WriteRequest | undefined,
  ): Promise<IdempotentResult<NewApiKey | null>> {
    const { apiKey } = created;
    const { organizationId } = apiKey;
    return writeOnce(
      this.#database,
      organizationId,
      write,
      async (transaction) => {
        const existing = await selectKeys(transaction, organizationId).execute();
        if (existing.length >= maxApiKeys) return null;
        await transaction
          .insertInto('api_keys')
          .values({
            id: apiKey.id,
            organization_id: organizationId,
            name: apiKey.name,
            key_hash: hashSecret(created.key),
            key_start: apiKey.start,
            scopes: apiKey.scopes.join(' '),
            created_by: apiKey.createdBy,
            created_at: apiKey.createdAt,
            expires_at: apiKey.expiresAt,
            last_used_at: null,
          })
          .execute();
        return created;
      },
      { audit: (result) => result && { type: 'apiKey', id: apiKey.id }, holdsSecret: true },
    );
  }

  /** Deletes a key and returns it; null when there is none. */
  delete(
    organizationId: string,
    id: string,
    write: WriteRequest | undefined,
  ): Promise<IdempotentResult<ApiKey | null>> {
    return writeOnce(
      this.#database,
      organizationId,
      write,
      async (transaction) => {
        const row = await selectKeys(transaction, organizationId)
          .where('id', '=', id)
          .executeTakeFirst();
        if (!row) return null;
        await transaction.deleteFrom('api_keys').where('id', '=', id).execute();
        return fromRow(row);
      },
      { audit: (apiKey) => apiKey && { type: 'apiKey', id } },
    );
  }

  /** Changes the name or the expiry of a key and returns it; null when there is none. */
  update(
    organizationId: string,
    id: string,
    changes: { readonly name?: string | undefined; readonly expiresAt?: number | null | undefined },
    write: WriteRequest | undefined,
  ): Promise<IdempotentResult<ApiKey | null>> {
    return writeOnce(
      this.#database,
      organizationId,
      write,
      async (transaction) => {
        const { name, expiresAt } = changes;
        await transaction
          .updateTable('api_keys')
          .set({
            id,
            ...(name !== undefined && { name }),
            ...(expiresAt !== undefined && { expires_at: expiresAt }),
          })
          .where('id', '=', id)
          .where('organization_id', '=', organizationId)
          .execute();
        const keys = selectKeys(transaction, organizationId).where('id', '=', id);
        const row = await keys.executeTakeFirst();
        return row ? fromRow(row) : null;
      },
      { audit: (apiKey) => apiKey && { type: 'apiKey', id } },
    );
  }

  /** Finds the caller of a key that has not expired. */
  async findCaller(
    keyHash: string,
    now: number,
  ): Promise<(FoundCaller & Pick<ApiKey, 'lastUsedAt'>) | undefined> {
    const row = await this.#readByHash(keyHash);
    if (!row || (row.expiresAt !== null && row.expiresAt <= now)) return undefined;
    const { key: _, organizationId, scopes, suspendedAt, lastUsedAt, ...apiKey } = row;
    const caller = { organizationId, scopes: new Set(scopes.split(' ')), client: null, apiKey };
    return { caller, suspendedAt, lastUsedAt };
  }

  /** Records that a key was used. Another node may have recorded a later use. */
  async saveUse(id: string, at: number): Promise<void> {
    await this.#database.writeDirectly(
      (transaction) =>
        transaction
          .updateTable('api_keys')
          .set({ last_used_at: at })
          .where('id', '=', id)
          .where(({ eb, or }) => or([eb('last_used_at', 'is', null), eb('last_used_at', '<', at)]))
          .execute(),
      'rows',
    );
  }
}

/** Returns one page of keys, newest first. */
export function listApiKeys(
  database: Database,
  organizationId: string,
  range: PageRange,
): Promise<Page<ApiKey>> {
  const list: ListQuery = {
    table: 'api_keys',
    owner: { column: 'organization_id', value: organizationId },
    ...range,
  };
  return readList<string, ApiKey>(database, list, async (ids) => {
    const keys = selectKeys(database.read, organizationId);
    return (await keys.where('id', 'in', ids).execute()).map(fromRow);
  });
}

function selectKeys(db: Database['read'], organizationId: string) {
  return db
    .selectFrom('api_keys')
    .select(['id', 'organization_id as organizationId', 'name', 'key_start as start', 'scopes'])
    .select(['created_by as createdBy', 'created_at as createdAt', 'expires_at as expiresAt'])
    .select('last_used_at as lastUsedAt')
    .where('organization_id', '=', organizationId);
}

type KeyRow = Awaited<ReturnType<ReturnType<typeof selectKeys>['execute']>>[number];

function fromRow({ scopes, ...row }: KeyRow): ApiKey {
  return { ...row, scopes: scopes.split(' ') as KeyScope[] };
}
