import { createHash } from 'node:crypto';
import type { WriteTransaction } from '../storage/database.js';

/**
 * Returns the hash of a short code or slug of the platform's domain. It has 53 bits, so that it is an
 * integer in JavaScript, too: of a million retired keys, one in ten billion new keys meets one by chance.
 */
export function hashOfKey(key: string): number {
  return Number(createHash('sha256').update(key).digest().readBigUInt64BE() >> 11n);
}

/** Returns those of these keys of the platform's domain that links of deleted organizations had. */
export async function findRetiredKeys(
  transaction: WriteTransaction,
  keys: readonly string[],
): Promise<string[]> {
  if (keys.length === 0) return [];
  const rows = await transaction
    .selectFrom('retired_keys')
    .select('key_hash')
    .where('key_hash', 'in', keys.map(hashOfKey))
    .execute();
  const retired = new Set(rows.map(({ key_hash }) => key_hash));
  return keys.filter((key) => retired.has(hashOfKey(key)));
}

/** Retires keys of the platform's domain, so that no link of another organization gets one of them. */
export async function retireKeys(
  transaction: WriteTransaction,
  organizationId: string,
  keys: readonly string[],
): Promise<void> {
  if (keys.length === 0) return;
  await transaction
    .insertInto('retired_keys')
    .values(keys.map((key) => ({ key_hash: hashOfKey(key), organization_id: organizationId })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Lets the links of an imported organization have their keys again, after it was deleted. */
export async function reclaimKeys(
  transaction: WriteTransaction,
  organizationId: string,
  keys: readonly string[],
): Promise<void> {
  if (keys.length === 0) return;
  await transaction
    .deleteFrom('retired_keys')
    .where('key_hash', 'in', keys.map(hashOfKey))
    .where('organization_id', '=', organizationId)
    .execute();
}
