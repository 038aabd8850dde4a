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

export async function readLinkPolicyVersion(db: Kysely<Schema>): Promise<number> {
  const { version } = await db
    .selectFrom('link_policy')
    .select('version')
    .executeTakeFirstOrThrow();
  return version;
}
