import {
  bucketsOf,
  parseReportQuery,
  type ReportWindow,
  toWindowFields,
  type Window,
} from '../analytics/reports/report-window.js';
import { hourMs } from '../durations.js';
import type { HandlersOf } from '../http/handlers.js';
import type { Clock } from '../ports.js';
import type { FailureCause } from './attempt.js';
import type { AttemptCounts } from './attempt-counts.js';
import type { statsRoutes } from './stats-contract.js';
import type { WebhookAccess } from './webhook-access.js';

export interface StatsHandlerOptions {
  readonly access: WebhookAccess;
  readonly readAttempts: (
    organizationId: string,
    webhookId: string,
    window: Window,
  ) => Promise<AttemptCounts>;
  readonly clock: Clock;
}

/** Reads the statistics of webhooks from the hourly sums of their attempts. */
export function statsHandlers({
  access,
  readAttempts,
  clock,
}: StatsHandlerOptions): HandlersOf<typeof statsRoutes> {
  return {
    async getWebhookStats({ caller: { organizationId }, params: { id }, query }) {
      const { createdAt, lastSuccessAt } = await access.getWebhook(organizationId, id);
      // The default end is exclusive, too, and attempts of this millisecond count.
      const window = toWholeHours(parseReportQuery(query, clock() + 1, createdAt));
      const counts = await readAttempts(organizationId, id, window);
      const { byOutcome, pending } = counts;
      const attempts = sum(byOutcome);
      const delivered = sum(byOutcome.filter(({ outcome }) => outcome === 'success'));
      const data = {
        webhookId: id,
        ...toWindowFields(window),
        totals: {
          attempts,
          failedAttempts: attempts - delivered,
          successRate: attempts === 0 ? null : Math.round((delivered / attempts) * 1e4) / 1e4,
          delivered,
          failed: byOutcome.reduce((total, { exhausted }) => total + exhausted, 0),
        },
        responseTimeMs: percentilesOf(byOutcome),
        failures: failuresOf(byOutcome),
        lastSuccessAt: toInstant(lastSuccessAt),
        lastFailureAt: toInstant(counts.lastFailureAt),
        pending: {
          count: pending.count,
          oldestCreatedAt: toInstant(pending.oldestCreatedAt),
        },
        timeseries: seriesOf(counts, window),
      };
      return { status: 200, data };
    },
  };
}

function toWholeHours({ since, until, ...rest }: ReportWindow): ReportWindow {
  return {
    ...rest,
    since: Math.floor(since / hourMs) * hourMs,
    until: Math.ceil(until / hourMs) * hourMs,
  };
}

function sum(counts: readonly { readonly attempts: number }[]): number {
  return counts.reduce((total, { attempts }) => total + attempts, 0);
}

function percentilesOf(byOutcome: AttemptCounts['byOutcome']) {
  const answered = byOutcome
    .filter(({ outcome }) => outcome === 'success' || outcome.startsWith('status_'))
    .sort((a, b) => a.durationMs - b.durationMs);
  const total = sum(answered);
  const percentile = (share: number): number | null => {
    let counted = 0;
    for (const { durationMs, attempts } of answered) {
      counted += attempts;
      if (counted >= total * share) return durationMs;
    }
    return null;
  };
  return { p50: percentile(0.5), p95: percentile(0.95) };
}

function failuresOf(byOutcome: AttemptCounts['byOutcome']) {
  const byCause = new Map<FailureCause, number>();
  for (const { outcome, attempts } of byOutcome) {
    if (outcome !== 'success') byCause.set(outcome, (byCause.get(outcome) ?? 0) + attempts);
  }
  return [...byCause]
    .map(([cause, attempts]) => ({ cause, attempts }))
    .sort((a, b) => b.attempts - a.attempts || (a.cause < b.cause ? -1 : 1));
}

function seriesOf({ byHour }: AttemptCounts, window: ReportWindow) {
  const { starts, names, indexOf } = bucketsOf(window);
  const series = names.map((bucket) => ({ bucket, attempts: 0, failedAttempts: 0 }));
  for (const { hour, attempts, failed } of byHour) {
    const bucket = series[indexOf(hour)];
    // Attempts from before the creation are in the totals only.
    if (!bucket || hour < (starts[0] as number)) continue;
    bucket.attempts += attempts;
    bucket.failedAttempts += failed;
  }
  return series;
}

function toInstant(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
