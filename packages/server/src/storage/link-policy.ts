import type { Kysely } from 'kysely';
import type { Schema, WriteTransaction } from './database.js';

/**
 * Records a change that affects any number of links, such as the suspension of an organization. Each
 * process then evicts all links from its cache.
 */
export async function changeLinkPolicy(transaction: WriteTransaction): Promise<void> {
  await transaction
    .updateTable('link_policy')
    .set(({ eb }) => ({ version: eb('version', '+', 1) }))
    .execute();
}

/** Returns the number of these changes. */
export async function readLinkPolicyVersion(db: Kysely<Schema>): Promise<number> {
  const { version } = await db
    .selectFrom('link_policy')
    .select('version')
    .executeTakeFirstOrThrow();
  return version;
}

/** Records that a link was erased, in the transaction that deletes its row. */
export async function countErasure(transaction: WriteTransaction): Promise<void> {
  await transaction
    .updateTable('link_policy')
    .set(({ eb }) => ({ erasures: eb('erasures', '+', 1) }))
    .execute();
}

/** Returns a number that increases with each deletion of an organization or a link. */
export async function readDeletionVersion(db: Kysely<Schema>): Promise<number> {
  const { version, erasures } = await db
    .selectFrom('link_policy')
    .select(['version', 'erasures'])
    .executeTakeFirstOrThrow();
  return version + erasures;
}
