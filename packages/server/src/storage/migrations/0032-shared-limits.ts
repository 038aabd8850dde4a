import type { Kysely } from 'kysely';
import type { Engine, Schema } from '../database.js';
import { createLimitTable } from '../postgres/shared-limits.js';

/** Adds the table by which nodes share limits. A SQLite file has one node, which counts in memory. */
export async function sharedLimits(db: Kysely<Schema>, engine: Engine): Promise<void> {
  if (engine === 'postgres') await createLimitTable(db);
}
