import { sql } from 'kysely';
import { bucketsOf, type ReportWindow, type Window } from '../analytics/reports/report-window.js';
import type { Database } from '../storage/database.js';
import type { FailureCause } from './attempt.js';
import { maxPendingCounted } from './stats-contract.js';

const hourMs = 60 * 60 * 1000;

export type Attempts = Awaited<ReturnType<typeof readAttempts>>;

/** Reads what the statistics of a webhook consist of: sums over the deliveries created in a window. */
export async function readAttempts(
  { read }: Pick<Database, 'read'>,
  webhookId: string,
  { since, until }: Window,
) {
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
  return {
    deliveries: new Map(byStatus.rows.map(({ status, count }) => [status, count])),
    byOutcome: byOutcome.rows,
    byHour: byHour.rows,
    pending: pending.rows[0] ?? { count: 0, oldestCreatedAt: null },
  };
}

export function presentAttempts(found: Attempts, window: ReportWindow) {
  const failures = failuresOf(found);
  const attempts = sum(found.byOutcome);
  const failedAttempts = failures.reduce((total, each) => total + each.attempts, 0);
  const successRate = attempts === 0 ? null : (attempts - failedAttempts) / attempts;
  return {
    totals: {
      attempts,
      failedAttempts,
      successRate: successRate && Math.round(successRate * 1e4) / 1e4,
      delivered: found.deliveries.get('delivered') ?? 0,
      failed: found.deliveries.get('failed') ?? 0,
    },
    responseTimeMs: percentilesOf(found),
    failures,
    timeseries: seriesOf(found, window),
  };
}

function sum(counts: readonly { readonly count: number }[]): number {
  return counts.reduce((total, { count }) => total + count, 0);
}

function percentilesOf({ byOutcome }: Attempts) {
  // In the order of their duration.
  const answered = byOutcome.filter(({ cause }) => cause === null || cause.startsWith('status_'));
  const total = sum(answered);
  const percentile = (share: number): number | null => {
    let counted = 0;
    for (const { durationMs, count } of answered) {
      counted += count;
      if (counted >= total * share) return durationMs;
    }
    return null;
  };
  return { p50: percentile(0.5), p95: percentile(0.95) };
}

function failuresOf({ byOutcome }: Attempts) {
  const byCause = new Map<FailureCause, number>();
  for (const { cause, count } of byOutcome) {
    if (cause !== null) byCause.set(cause, (byCause.get(cause) ?? 0) + count);
  }
  return [...byCause]
    .map(([cause, attempts]) => ({ cause, attempts }))
    .sort((a, b) => b.attempts - a.attempts || (a.cause < b.cause ? -1 : 1));
}

function seriesOf({ byHour }: Attempts, window: ReportWindow) {
  const { names, indexOf } = bucketsOf(window);
  const series = names.map((bucket) => ({ bucket, attempts: 0, failedAttempts: 0 }));
  for (const { hour, attempts, failedAttempts } of byHour) {
    const bucket = series[indexOf(Math.max(hour, window.since))];
    if (!bucket) continue;
    bucket.attempts += attempts;
    bucket.failedAttempts += failedAttempts;
  }
  return series;
}
