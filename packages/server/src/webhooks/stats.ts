import { sql } from 'kysely';
import { bucketsOf, type ReportWindow } from '../analytics/reports/report-window.js';
import { hourMs } from '../durations.js';
import type { Database } from '../storage/database.js';
import type { FailureCause } from './attempt.js';

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
  const [byStatus, byCause, byHour] = await Promise.all([
    sql<{ status: string; count: number }>`
      select status, count(*) as count from deliveries where ${isWanted} group by status`.execute(
      read,
    ),
    sql<{ cause: FailureCause | null; attempts: number }>`
      select cause, count(*) as attempts from ${attempts} group by cause`.execute(read),
    sql<{ hour: number; attempts: number; failedAttempts: number }>`
      select ${hour} as hour, count(*) as attempts, count(cause) as "failedAttempts"
      from ${attempts} group by 1`.execute(read),
  ]);
  const deliveries = new Map(byStatus.rows.map(({ status, count }) => [status, count]));
  const failures = byCause.rows.flatMap(({ cause, attempts }) =>
    cause === null ? [] : [{ cause, attempts }],
  );
  const all = sum(byCause.rows);
  const failedAttempts = sum(failures);
  const successRate = all === 0 ? null : (all - failedAttempts) / all;
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
    failures: failures.sort((a, b) => b.attempts - a.attempts || (a.cause < b.cause ? -1 : 1)),
    timeseries,
  };
}

function sum(counts: readonly { readonly attempts: number }[]): number {
  return counts.reduce((total, { attempts }) => total + attempts, 0);
}
