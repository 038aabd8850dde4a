import { sql } from 'kysely';
import type { Engine, UpdateEach, WriteTransaction } from '../database.js';
import { writeSearchTexts } from './write-search-texts.js';

/** Lets searches find links by their descriptions and tags. */
export async function searchAllTexts(
  transaction: WriteTransaction,
  engine: Engine,
  updateEach: UpdateEach,
): Promise<void> {
  const hasMoreText = sql<boolean>`(own.description is not null or own.tags <> '')`;
  await writeSearchTexts(transaction, engine, updateEach, hasMoreText);
}
