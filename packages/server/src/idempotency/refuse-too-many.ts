import { type RawBuilder, sql } from 'kysely';
import { quotaError } from '../contract/api-error.js';
import type { WriteTransaction } from '../storage/database.js';
import { Refusal } from './with-idempotency-key.js';

/** Refuses a request for one more of the rows of an organization, if it has as many as it may have. */
export async function refuseTooMany(
  transaction: WriteTransaction,
  existing: RawBuilder<unknown>,
  max: number,
  kind: string,
  nextStep: string,
): Promise<void> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${existing}`.execute(
    transaction,
  );
  if (Number(rows[0]?.count) < max) return;
  const use = `An organization has at most ${max} ${kind}, and ${max} exist`;
  throw new Refusal(quotaError(use, nextStep));
}
