import { type Selectable, sql } from 'kysely';
import { v7 as newUuid } from 'uuid';
import type { z } from 'zod';
import type { LinkOwner } from '../contract/caller.js';
import type { KeyScope } from '../contract/define-route.js';
import { columnsOf, fieldsOf, presentAs, withIsoTimes } from '../contract/present.js';
import { refuseTooMany } from '../idempotency/refuse-too-many.js';
import { type WriteContext, writeOnce } from '../idempotency/with-idempotency-key.js';
import type { Database, Schema, WriteTransaction } from '../storage/database.js';
import { listOf } from '../storage/list-page.js';
import { rowReader } from '../storage/prepared.js';
import { findWhere } from '../storage/statements.js';
import { apiKeyRecord, maxApiKeys } from './api-key-contract.js';
import type { FoundCaller } from './client-repository.js';
import { hashSecret, newSecret } from './secrets.js';

/** An API key without its secret. Instants are milliseconds since 1970. */
export type ApiKey = ReturnType<typeof fromRow>;

export type ApiKeyRecord = z.input<typeof apiKeyRecord>;

export interface NewApiKey {
  readonly apiKey: ApiKey;
  readonly key: string;
}

// The prefix and four of 43 characters. The others have more than 230 random bits.
const startLength = 14;

export function newApiKey(fields: Omit<ApiKey, 'id' | 'start' | 'lastUsedAt'>): NewApiKey {
  const key = newSecret('apiKey');
  const apiKey = { ...fields, id: newUuid(), start: key.slice(0, startLength), lastUsedAt: null };
  return { apiKey, key };
}

/** The last use of each key is stored at most once in this time. */
const useIntervalMs = 60_000;

export type ApiKeyRepository = ReturnType<typeof createApiKeyRepository>;

/** Stores API keys. Only the hashes of their secrets are stored. Every method is one transaction. */
export function createApiKeyRepository(database: Database, onError: (error: unknown) => void) {
  // Prepared, because every request with a key runs it.
  const readByHash = rowReader(
    database.read,
    database.read
      .selectFrom('api_keys')
      .innerJoin('organizations', 'organizations.id', 'api_keys.organization_id')
      .select(['api_keys.id', 'api_keys.name', 'organization_id as organizationId', 'scopes'])
      .select(['key_hash', 'expires_at as expiresAt', 'suspended_at as suspendedAt'])
      .select(['last_used_at as lastUsedAt', 'domain_id as domainId', 'only_own_links']),
    ['key_hash'],
  );
  /** The keys whose use is being stored. */
  const saving = new Set<string>();

  /** Stores the use of a key. The database does not close before. */
  function saveUse(id: string, at: number): void {
    if (saving.has(id)) return;
    saving.add(id);
    const write = database.writeDirectly(
      (transaction) =>
        // Another node may have stored a later use.
        sql`update api_keys set last_used_at = ${at}
          where id = ${id} and coalesce(last_used_at, 0) < ${at}`.execute(transaction),
      'rows',
    );
    void write.catch(onError).finally(() => saving.delete(id));
  }

  return {
    /** Creates a key. Throws QUOTA_EXCEEDED when the organization has `maxApiKeys` of them. */
    create(created: NewApiKey, context: WriteContext) {
      const audit = { type: 'apiKey', id: created.apiKey.id } as const;
      const options = { ...context, audit, holdsSecret: true };
      return writeOnce(database, options, async (transaction) => {
        const keys = sql`api_keys where organization_id = ${context.organizationId}`;
        await refuseTooMany(transaction, keys, maxApiKeys, 'API keys', 'Delete one first');
        await insertApiKey(transaction, created);
        return created;
      });
    },

    /** Deletes a key and returns it; null when there is none. */
    delete(id: string, context: WriteContext) {
      const options = { ...context, audit: { type: 'apiKey', id } } as const;
      return writeOnce(database, options, async (transaction) => {
        const apiKey = await findKey(transaction, context, id);
        if (apiKey) await transaction.deleteFrom('api_keys').where('id', '=', id).execute();
        return apiKey;
      });
    },

    /** Finds the caller of a key that has not expired, and stores the use of the key, without waiting for it. */
    async findCaller(keyHash: string, now: number): Promise<FoundCaller | undefined> {
      const row = await readByHash(keyHash);
      if (!row || (row.expiresAt !== null && row.expiresAt <= now)) return undefined;
      const { id, name, organizationId, suspendedAt, lastUsedAt, expiresAt, domainId } = row;
      const onlyOwnLinks = row.only_own_links === 1;
      const isDue = lastUsedAt === null || now - lastUsedAt >= useIntervalMs;
      if (suspendedAt === null && isDue) saveUse(id, now);
      const caller = {
        organizationId,
        restriction:
          domainId !== null || onlyOwnLinks
            ? { domainId, createdBy: onlyOwnLinks ? id : null }
            : undefined,
        scopes: new Set(row.scopes.split(' ')),
        apiKey: { id, name, expiresAt, domainId, onlyOwnLinks },
      };
      return { caller, suspendedAt };
    },

    async hasDomain({ organizationId }: LinkOwner, domainId: string): Promise<boolean> {
      const active = { id: domainId, organization_id: organizationId, is_active: 1 };
      return (await findWhere(database.read, 'domains', active)) !== undefined;
    },
  };
}

export const listApiKeys = listOf('api_keys', selectKeys, fromRow);

export function toApiKeyRecord(apiKey: ApiKey): ApiKeyRecord {
  return presentAs(apiKeyRecord, withIsoTimes(apiKey));
}

export async function insertApiKey(
  transaction: WriteTransaction,
  { apiKey, key }: NewApiKey,
): Promise<void> {
  const { start: keyStart, scopes, onlyOwnLinks, ...fields } = apiKey;
  const row = columnsOf<Selectable<Schema['api_keys']>>({
    ...fields,
    keyHash: hashSecret(key),
    keyStart,
    scopes: scopes.join(' '),
    onlyOwnLinks: Number(onlyOwnLinks),
  });
  await transaction.insertInto('api_keys').values(row).execute();
}

async function findKey(db: Database['read'], { organizationId }: LinkOwner, id: string) {
  const row = await selectKeys(db, organizationId).where('id', '=', id).executeTakeFirst();
  return row ? fromRow(row) : null;
}

function selectKeys(db: Database['read'], organizationId: string) {
  return db.selectFrom('api_keys').selectAll().where('organization_id', '=', organizationId);
}

function fromRow(row: Selectable<Schema['api_keys']>) {
  const { keyHash: _, keyStart: start, scopes, onlyOwnLinks, ...fields } = fieldsOf(row);
  const words = scopes.split(' ') as KeyScope[];
  return { ...fields, start, scopes: words, onlyOwnLinks: onlyOwnLinks === 1 };
}
