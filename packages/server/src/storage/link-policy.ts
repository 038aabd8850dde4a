import { type Kysely, sql } from 'kysely';
import type { Schema, WriteTransaction } from './database.js';

/**
 * Records a change that affects any number of links, such as the suspension of an organization. Each
 * process then evicts all links from its cache.
 */
export async function changeLinkPolicy(transaction: WriteTransaction): Promise<void> {
  await sql`update link_policy set version = version + 1`.execute(transaction);
}

export async function readLinkPolicyVersion(db: Kysely<Schema>): Promise<number> {
  const { version } = await db
    .selectFrom('link_policy')
    .select('version')
    .executeTakeFirstOrThrow();
  return version;
}
