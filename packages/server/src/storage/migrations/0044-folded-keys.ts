import { type Kysely, sql } from 'kysely';
import type { Schema } from '../schema.js';

/**
 * Limits the index of keys without regard to case to custom domains; `index-platform-keys.ts` creates that
 * of the platform's domain, which most servers do not need. Without `url_id`, SQLite read all keys of the
 * domain instead.
 */
export async function foldedKeys(db: Kysely<Schema>): Promise<void> {
  for (const statement of [
    'drop index url_keys_folded',
    `create index url_keys_folded on url_keys (domain_key, lower(key), url_id) where domain_key <> ''`,
  ]) {
    await sql.raw(statement).execute(db);
  }
}
