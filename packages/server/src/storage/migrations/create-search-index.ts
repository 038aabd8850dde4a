import type { Kysely } from 'kysely';
import type { Engine, Schema } from '../database.js';
import { createSearchIndex as createPostgresIndex } from '../postgres/search-index.js';
import { createSearchIndex as createSqliteIndex } from '../sqlite/search-index.js';

/** Creates the engine's index of `urls.search_text`. */
export async function createSearchIndex(db: Kysely<Schema>, engine: Engine): Promise<void> {
  if (engine === 'sqlite') await createSqliteIndex(db);
  else await createPostgresIndex(db);
}
