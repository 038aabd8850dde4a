import { sql } from 'kysely';
import {
  bucketsOf,
  parseReportQuery,
  type ReportWindow,
  toWindowFields,
  type Window,
} from '../analytics/reports/report-window.js';
import type { HandlersOf } from '../http/handlers.js';
import type { Clock } from '../ports.js';
import type { Database } from '../storage/database.js';
import type { FailureCause } from './attempt.js';
import { maxPendingCounted, type statsRoutes } from './stats-contract.js';
import type { WebhookAccess } from './webhook-access.js';

const hourMs = 60 * 60 * 1000;

/** Reads what the statistics of a webhook consist of: sums over the deliveries created in a window. */
export async function readAttempts(
  { read }: Pick<Database, 'read'>,
  webhookId: string,
  { since, until }: Window,
) {
  const deliveries = read
    .selectFrom('deliveries')
    .where('webhook_id', '=', webhookId)
    .where('deliveries.created_at', '>=', since)
    .where('deliveries.created_at', '<', until);
  const attempts = deliveries.innerJoin('delivery_attempts', 'delivery_id', 'deliveries.id');
  const hour = sql<number>`deliveries.created_at - deliveries.created_at % ${sql.lit(hourMs)}`;
  const pending = read
    .selectFrom('deliveries')
    .where('webhook_id', '=', webhookId)
    .where('due_at', 'is not', null);
  const [byStatus, byOutcome, byHour, lastFailure, waiting, oldest] = await Promise.all([
    deliveries
      .select(['status', ({ fn }) => fn.countAll<number>().as('count')])
      .groupBy('status')
      .execute(),
    attempts
      .select(['cause', 'duration_ms as durationMs', ({ fn }) => fn.countAll<number>().as('count')])
      .groupBy(['cause', 'duration_ms'])
      .orderBy('duration_ms')
      .execute(),
    attempts
      .select(hour.as('hour'))
      .select(({ fn }) => [
        fn.countAll<number>().as('attempts'),
        fn.count<number>('cause').as('failedAttempts'),
      ])
      .groupBy(hour)
      .execute(),
    attempts
      .select(({ fn }) => fn.max('attempted_at').as('at'))
      .where('cause', 'is not', null)
      .executeTakeFirstOrThrow(),
    read
      .selectFrom(pending.select('due_at').limit(sql.lit(maxPendingCounted)).as('counted'))
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow(),
    pending.select('created_at').orderBy('due_at').limit(1).executeTakeFirst(),
  ]);
  return {
    deliveries: Object.fromEntries(byStatus.map(({ status, count }) => [status, Number(count)])),
    byOutcome: byOutcome.map(({ cause, durationMs, count }) => ({
      cause: cause as FailureCause | null,
      durationMs,
      count: Number(count),
    })),
    byHour: byHour.map((each) => ({
      hour: Number(each.hour),
      attempts: Number(each.attempts),
      failedAttempts: Number(each.failedAttempts),
    })),
    lastFailureAt: lastFailure.at,
    pending: { count: Number(waiting.count), oldestCreatedAt: toInstant(oldest?.created_at) },
  };
}

type Attempts = Awaited<ReturnType<typeof readAttempts>>;

export interface StatsHandlerOptions {
  readonly access: WebhookAccess;
  readonly readAttempts: (
    organizationId: string,
    webhookId: string,
    window: Window,
  ) => Promise<Attempts>;
  readonly clock: Clock;
}

export function statsHandlers(options: StatsHandlerOptions): HandlersOf<typeof statsRoutes> {
  return {
    async getWebhookStats({ caller: { organizationId }, params: { id }, query }) {
      const webhook = await options.access.getWebhook(organizationId, id);
      // The default end is exclusive, too, and deliveries of this millisecond count.
      const window = parseReportQuery(query, options.clock() + 1, webhook.createdAt);
      const found = await options.readAttempts(organizationId, id, window);
      const failures = failuresOf(found);
      const attempts = sum(found.byOutcome);
      const failedAttempts = failures.reduce((total, each) => total + each.attempts, 0);
      const successRate = attempts === 0 ? null : (attempts - failedAttempts) / attempts;
      const data = {
        webhookId: id,
        ...toWindowFields(window),
        totals: {
          attempts,
          failedAttempts,
          successRate: successRate && Math.round(successRate * 1e4) / 1e4,
          delivered: found.deliveries.delivered ?? 0,
          failed: found.deliveries.failed ?? 0,
        },
        responseTimeMs: percentilesOf(found),
        failures,
        lastSuccessAt: toInstant(webhook.lastSuccessAt),
        lastFailureAt: toInstant(found.lastFailureAt),
        pending: found.pending,
        timeseries: seriesOf(found, window),
      };
      return { status: 200, data };
    },
  };
}

function sum(counts: readonly { readonly count: number }[]): number {
  return counts.reduce((total, { count }) => total + count, 0);
}

function percentilesOf({ byOutcome }: Attempts) {
  const answered = byOutcome.filter(({ cause }) => cause === null || cause.startsWith('status_'));
  answered.sort((a, b) => a.durationMs - b.durationMs);
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

function toInstant(at: number | null | undefined): string | null {
  return at == null ? null : new Date(at).toISOString();
}
