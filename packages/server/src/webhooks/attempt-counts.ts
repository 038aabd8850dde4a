import { sql } from 'kysely';
import { hourMs } from '../durations.js';
import type { Database, Schema, WriteTransaction } from '../storage/database.js';
import type { AttemptOutcome, FailureCause } from './attempt.js';

type Row = Schema['attempt_counts'];
type Outcome = 'success' | FailureCause;

/** The maximum number of pending deliveries that statistics count. */
export const maxPendingCounted = 100_000;
// The age of a delivery is not in the index of pending ones.
const maxPendingRead = 10_000;

// Longer ones are rounded to powers of 2^(1/4), which differ from them by at most 10 %.
const longestExactMs = 16;
const stepsPerOctave = 4;

/** Rounds a duration, so that an hour of attempts has few different ones. */
export function roundDuration(durationMs: number): number {
  if (durationMs <= longestExactMs) return Math.max(0, durationMs);
  return Math.round(2 ** (Math.round(Math.log2(durationMs) * stepsPerOctave) / stepsPerOctave));
}

/** Adds attempts to the hourly sums of their webhooks, in the transaction that records them. */
export async function countAttempts(
  transaction: WriteTransaction,
  outcomes: readonly AttemptOutcome[],
): Promise<void> {
  const rows = new Map<string, Row>();
  for (const { delivery, attemptedAt, durationMs, cause, nextAttemptAt } of outcomes) {
    const { webhookId: webhook_id } = delivery;
    const hour = Math.floor(attemptedAt / hourMs) * hourMs;
    const outcome: Outcome = cause ?? 'success';
    const duration_ms = roundDuration(durationMs);
    const key = `${webhook_id} ${hour} ${outcome} ${duration_ms}`;
    const row = rows.get(key) ?? {
      ...{ webhook_id, hour, outcome, duration_ms },
      ...{ attempts: 0, exhausted: 0, last_at: 0 },
    };
    row.attempts += 1;
    if (cause !== null && nextAttemptAt === null) row.exhausted += 1;
    row.last_at = Math.max(row.last_at, attemptedAt);
    rows.set(key, row);
  }
  if (rows.size === 0) return;
  await transaction
    .insertInto('attempt_counts')
    .values([...rows.values()])
    .onConflict((conflict) =>
      conflict.columns(['webhook_id', 'hour', 'outcome', 'duration_ms']).doUpdateSet({
        attempts: sql`attempt_counts.attempts + excluded.attempts`,
        exhausted: sql`attempt_counts.exhausted + excluded.exhausted`,
        last_at: sql`case when excluded.last_at > attempt_counts.last_at
          then excluded.last_at else attempt_counts.last_at end`,
      }),
    )
    .execute();
}

/** The attempts in a window, added up by outcome and duration, and by hour. */
export async function readAttemptCounts(
  database: Database,
  webhookId: string,
  { since, until }: { readonly since: number; readonly until: number },
) {
  const { read } = database;
  const inWindow = read
    .selectFrom('attempt_counts')
    .where('webhook_id', '=', webhookId)
    .where('hour', '>=', since)
    .where('hour', '<', until);
  const pending = read
    .selectFrom('deliveries')
    .where('webhook_id', '=', webhookId)
    .where('due_at', 'is not', null);
  const [byOutcome, byHour, last, waiting, oldest] = await Promise.all([
    inWindow
      .select(['outcome', 'duration_ms as durationMs'])
      .select(({ fn }) => [
        fn.sum<number>('attempts').as('attempts'),
        fn.sum<number>('exhausted').as('exhausted'),
      ])
      .groupBy(['outcome', 'duration_ms'])
      .orderBy('duration_ms')
      .execute(),
    inWindow
      .select('hour')
      .select(({ fn }) => fn.sum<number>('attempts').as('attempts'))
      .select(sql<number>`sum(case when outcome = 'success' then 0 else attempts end)`.as('failed'))
      .groupBy('hour')
      .execute(),
    read
      .selectFrom('attempt_counts')
      .select(({ fn }) => fn.max('last_at').as('failureAt'))
      .where('webhook_id', '=', webhookId)
      .where('outcome', '<>', 'success')
      .executeTakeFirstOrThrow(),
    read
      .selectFrom(pending.select('due_at').limit(sql.lit(maxPendingCounted)).as('counted'))
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow(),
    read
      .selectFrom(
        pending.select('created_at').orderBy('due_at').limit(sql.lit(maxPendingRead)).as('first'),
      )
      .select(({ fn }) => fn.min('created_at').as('createdAt'))
      .executeTakeFirstOrThrow(),
  ]);
  return {
    byOutcome: byOutcome.map(({ outcome, durationMs, attempts, exhausted }) => ({
      outcome: outcome as Outcome,
      durationMs: Number(durationMs),
      attempts: Number(attempts),
      exhausted: Number(exhausted),
    })),
    byHour: byHour.map(({ hour, attempts, failed }) => ({
      hour: Number(hour),
      attempts: Number(attempts),
      failed: Number(failed),
    })),
    lastFailureAt: last.failureAt,
    pending: { count: Number(waiting.count), oldestCreatedAt: oldest.createdAt },
  };
}

export type AttemptCounts = Awaited<ReturnType<typeof readAttemptCounts>>;
