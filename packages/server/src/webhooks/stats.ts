import { sql } from 'kysely';
import { bucketsOf, type ReportWindow } from '../analytics/reports/report-window.js';
import { withIsoTimes } from '../contract/present.js';
import { hourMs } from '../durations.js';
import type { Database } from '../storage/database.js';
import { type FailureCause, maxPendingCounted } from './attempt.js';

export type Stats = Awaited<ReturnType<typeof readStats>>;

/** Returns the statistics of a webhook: sums over the deliveries that were created in a window. */
export async function readStats(
  { read }: Pick<Database, 'read'>,
  webhookId: string,
  window: ReportWindow,
) {
  const { since, until } = window;
  const isWanted = sql`webhook_id = ${webhookId}
    and deliveries.created_at >= ${since} and deliveries.created_at < ${until}`;
  const attempts = sql`delivery_attempts join deliveries on deliveries.id = delivery_id
    where ${isWanted}`;
  const hour = sql`deliveries.created_at - deliveries.created_at % ${sql.lit(hourMs)}`;
  const [byStatus, byOutcome, byHour, pending] = await Promise.all([
    sql<{ status: string; count: number }>`
      select status, count(*) as count from deliveries where ${isWanted} group by status`.execute(
      read,
    ),
    sql<{ cause: FailureCause | null; durationMs: number; count: number }>`
      select cause, duration_ms as "durationMs", count(*) as count
      from ${attempts} group by cause, duration_ms order by duration_ms`.execute(read),
    sql<{ hour: number; attempts: number; failedAttempts: number }>`
      select ${hour} as hour, count(*) as attempts, count(cause) as "failedAttempts"
      from ${attempts} group by 1`.execute(read),
    sql<{ count: number; oldestCreatedAt: number | null }>`
      select count(*) as count, min(created_at) as "oldestCreatedAt" from (
        select created_at from deliveries where webhook_id = ${webhookId} and due_at is not null
        order by due_at limit ${sql.lit(maxPendingCounted)}) as waiting`.execute(read),
  ]);
  const deliveries = new Map(byStatus.rows.map(({ status, count }) => [status, count]));
  const byCause = new Map<FailureCause, number>();
  for (const { cause, count } of byOutcome.rows) {
    if (cause !== null) byCause.set(cause, (byCause.get(cause) ?? 0) + count);
  }
  const all = sum(byOutcome.rows);
  const failedAttempts = [...byCause.values()].reduce((total, count) => total + count, 0);
  const successRate = all === 0 ? null : (all - failedAttempts) / all;
  // In the order of their duration.
  const answered = byOutcome.rows.filter(
    ({ cause }) => cause === null || cause.startsWith('status_'),
  );
  const { names, indexOf } = bucketsOf(window);
  const timeseries = names.map((bucket) => ({ bucket, attempts: 0, failedAttempts: 0 }));
  for (const { hour, attempts, failedAttempts } of byHour.rows) {
    const bucket = timeseries[indexOf(Math.max(hour, since))];
    if (!bucket) continue;
    bucket.attempts += attempts;
    bucket.failedAttempts += failedAttempts;
  }
  return {
    totals: {
      attempts: all,
      failedAttempts,
      successRate: successRate && Math.round(successRate * 1e4) / 1e4,
      delivered: deliveries.get('delivered') ?? 0,
      failed: deliveries.get('failed') ?? 0,
    },
    responseTimeMs: { p50: percentile(answered, 0.5), p95: percentile(answered, 0.95) },
    failures: [...byCause]
      .map(([cause, attempts]) => ({ cause, attempts }))
      .sort((a, b) => b.attempts - a.attempts || (a.cause < b.cause ? -1 : 1)),
    pending: withIsoTimes(pending.rows[0] ?? { count: 0, oldestCreatedAt: null }),
    timeseries,
  };
}

function sum(counts: readonly { readonly count: number }[]): number {
  return counts.reduce((total, { count }) => total + count, 0);
}

/** Returns the duration that a share of these attempts does not exceed; null without any. */
function percentile(
  attempts: readonly { readonly durationMs: number; readonly count: number }[],
  share: number,
): number | null {
  const wanted = sum(attempts) * share;
  let counted = 0;
  for (const { durationMs, count } of attempts) {
    counted += count;
    if (counted >= wanted) return durationMs;
  }
  return null;
}
