import { sql } from 'kysely';
import type { ApiError } from '../contract/api-error.js';
import { rateLimitedError } from '../contract/rate-limit.js';
import { formatCount } from '../format-count.js';
import type { Clock } from '../ports.js';
import { type Database, StorageUnavailableError } from '../storage/database.js';

/** How many attempts may fail in a window, which begins with the first one. */
export interface AttemptLimit {
  readonly name: string;
  readonly attempts: number;
  readonly windowMs: number;
}

export const passwordAttempts: AttemptLimit = {
  name: 'link passwords',
  attempts: 10,
  windowMs: 10 * 60_000,
};

/**
 * The limit of failed token requests, per address. It protects secrets that an operator chose; generated
 * ones cannot be guessed. The window is short, because several clients may share an address.
 */
export const tokenAttempts: AttemptLimit = { name: 'secrets', attempts: 30, windowMs: 60_000 };

/**
 * Limits failed attempts per client key, in storage, so that the limit holds for all nodes together. An
 * attempt counts before the response depends on its secret, so the limit holds under concurrency.
 *
 * Returns a function that counts an attempt, and returns one that uncounts it if its secret was correct, or
 * could not be verified. Throws RATE_LIMITED while the limit is reached, also for a correct attempt. One that
 * is known to be correct is not counted.
 */
export function limitAttempts(database: Database, limit: AttemptLimit, clock: Clock) {
  const { read, keyring, writeDirectly } = database;
  const { attempts, windowMs, name } = limit;

  async function take(clientKey: string, isCorrect = false): Promise<() => Promise<void>> {
    const now = clock();
    // Client keys contain addresses, which are not stored.
    const key = keyring.pseudonymOf(`${name} ${clientKey}`);
    const known = await read
      .selectFrom('attempts')
      .select('ends_at')
      .where('key', '=', key)
      .where('ends_at', '>', now)
      .where('failed', '>=', attempts)
      .executeTakeFirst();
    if (known) throw tooManyAttempts(limit, known.ends_at - now);
    if (isCorrect) return async () => {};
    const counted = await writeDirectly(async (transaction) => {
      const isOver = sql`attempts.ends_at <= ${now}`;
      const { rows } = await sql<{ ends_at: number }>`
        insert into attempts (key, failed, ends_at) values (${key}, 1, ${now + windowMs})
        on conflict (key) do update set
          failed = case when ${isOver} then 1 else attempts.failed + 1 end,
          ends_at = case when ${isOver} then excluded.ends_at else attempts.ends_at end
        where ${isOver} or attempts.failed < ${attempts}
        returning ends_at`.execute(transaction);
      return rows[0];
    }, 'rows');
    // Concurrent attempts have reached the limit.
    return counted ? () => uncount(key, counted.ends_at) : take(clientKey, isCorrect);
  }

  /** Uncounts an attempt, unless its window has ended. */
  async function uncount(key: string, endsAt: number): Promise<void> {
    try {
      await writeDirectly(
        (transaction) =>
          sql`update attempts set failed = failed - 1
            where key = ${key} and ends_at = ${endsAt}`.execute(transaction),
        'rows',
      );
    } catch (error) {
      // Then the attempt stays counted until the end of its window.
      if (!(error instanceof StorageUnavailableError)) throw error;
    }
  }

  return take;
}

/** Verifies a secret as an attempt, which is not counted if the secret is correct or could not be verified. */
export async function verifyAttempt(
  take: ReturnType<typeof limitAttempts>,
  clientKey: string,
  verify: () => Promise<boolean>,
): Promise<boolean> {
  const uncount = await take(clientKey);
  const isCorrect = await verify()
    // For example because the queue is full.
    .catch(async (error: unknown) => {
      await uncount();
      throw error;
    });
  if (isCorrect) await uncount();
  return isCorrect;
}

function tooManyAttempts({ attempts, windowMs }: AttemptLimit, waitMs: number): ApiError {
  const seconds = Math.ceil(waitMs / 1000);
  const wait =
    seconds < 90 ? formatCount(seconds, 'second') : formatCount(Math.ceil(seconds / 60), 'minute');
  return rateLimitedError(`Too many attempts. Try again in ${wait}.`, {
    limit: attempts,
    windowSeconds: windowMs / 1000,
    remaining: 0,
    resetSeconds: seconds,
  });
}
