import { hash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Schema, WriteTransaction } from '../storage/database.js';
import { prepare } from '../storage/prepared.js';
import { isAmong } from '../storage/statements.js';
import { type DomainAndKey, domainKeyOf } from './url-keys.js';

/**
 * Returns the hash of a short code or slug on its domain. It has 53 bits, so that it is an integer in
 * JavaScript, too: of a million retired keys, one in ten billion new keys meets one by chance.
 */
export function hashOfKey({ domain_key, key }: DomainAndKey): number {
  const isPlatform = domain_key === domainKeyOf(null);
  // No key begins with a slash, so it tells a key with one from a key of a custom domain.
  const text = isPlatform && !key.includes('/') ? key : `${domain_key}/${key}`;
  return Number(hash('sha256', text, 'buffer').readBigUInt64BE() >> 11n);
}

/** Returns the hashes of a key: as it is, and folded if its domain ignores case. */
function hashesOf({ domain_key, key, folded_key }: DomainAndKey): number[] {
  const forms = new Set([key, folded_key ?? key]);
  return [...forms].map((form) => hashOfKey({ domain_key, key: form }));
}

/**
 * Returns those of these keys that erased links, or links of deleted organizations, had; with `importedId`,
 * only those of others than this organization.
 */
export async function findRetiredKeys<Key extends DomainAndKey>(
  db: Kysely<Schema>,
  keys: readonly Key[],
  importedId = '',
): Promise<Key[]> {
  if (keys.length === 0) return [];
  const hashes = keys.map(hashesOf);
  const rows = await db
    .selectFrom('retired_keys')
    .select('key_hash')
    .where(isAmong(db, sql.ref('key_hash'), hashes.flat()))
    .where('organization_id', '<>', importedId)
    .execute();
  const retired = new Set(rows.map(({ key_hash }) => key_hash));
  return keys.filter((_, at) => hashes[at]?.some((each) => retired.has(each)));
}

/**
 * Retires keys, so that no other link gets one of them. `urlId` is the link if it is being erased: the key
 * may be retired already, by an organization that had it on another server.
 */
export async function retireKeys(
  transaction: WriteTransaction,
  organizationId: string,
  keys: readonly DomainAndKey[],
  urlId: number | null = null,
): Promise<void> {
  if (keys.length === 0) return;
  await transaction
    .insertInto('retired_keys')
    .values(
      [...new Set(keys.flatMap(hashesOf))].map((key_hash) => ({
        key_hash,
        organization_id: organizationId,
        url_id: urlId,
      })),
    )
    .onConflict((conflict) =>
      urlId === null
        ? conflict.doNothing()
        : conflict
            .column('key_hash')
            .doUpdateSet({ organization_id: organizationId, url_id: urlId }),
    )
    .execute();
}

/**
 * Returns a function that finds out whether an erased link had a key. The links of a deleted organization
 * are unknown.
 */
export function erasedKeyFinder(read: Kysely<Schema>) {
  const byHash = prepare((wanted: { hash: number }) =>
    read
      .selectFrom('retired_keys')
      .innerJoin('organizations', 'organizations.id', 'retired_keys.organization_id')
      .select('organizations.id as organizationId')
      .where('key_hash', '=', wanted.hash)
      .where('deletion_started_at', 'is', null),
  );
  return async (domainId: string | null, key: string): Promise<string | undefined> => {
    const hash = hashOfKey({ domain_key: domainKeyOf(domainId), key });
    const { rows } = await read.executeQuery(byHash({ hash }));
    return rows[0]?.organizationId;
  };
}
