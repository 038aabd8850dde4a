import {
  bucketsOf,
  formatInstant,
  formatNumber,
  formatShare,
  type GroupBy,
  type Report,
  type Total,
  windowOf,
} from '@shorty/report';
import type { WebhookStats } from '@shorty/sdk';

/** The causes for people. */
const causes: Readonly<Record<WebhookStats['failures'][number]['cause'], string>> = {
  status_3xx: 'status 3xx',
  status_4xx: 'status 4xx',
  status_5xx: 'status 5xx',
  status_other: 'other status',
  bad_url: 'invalid URL',
  forbidden_address: 'blocked address',
  dns: 'DNS',
  refused: 'connection refused',
  unreachable: 'host unreachable',
  reset: 'connection closed',
  tls: 'TLS',
  timeout: 'timeout',
  protocol: 'no valid HTTP',
};

/** Returns the report of a webhook's attempts. */
export function statsReport(data: WebhookStats, groupBy: GroupBy): Report {
  const { webhookId, totals, responseTimeMs, failures, pending, timeseries } = data;
  const { attempts, failedAttempts, delivered, failed } = totals;
  const shown = (name: string, text: string): Total => ({ name, label: '', count: 0, text });
  const time = (name: string, label: string, at: string | null) =>
    at === null ? [] : [shown(name, `${label} ${formatInstant(Date.parse(at))}`)];
  const milliseconds = (name: 'p50' | 'p95') => {
    const value = responseTimeMs[name];
    return value === null ? [] : [shown(name, `${name} ${formatNumber(value)} ms`)];
  };
  const succeeded = formatShare(attempts - failedAttempts, attempts);
  return {
    title: `Attempts of webhook ${webhookId}`,
    counted: 'attempt',
    ...windowOf(data),
    groupBy,
    before: undefined,
    totalClicks: attempts,
    uniqueClicks: 0,
    totals: [
      { name: 'attempts', label: 'attempts', count: attempts },
      ...(attempts === 0 ? [] : [shown('successRate', `${succeeded} succeeded`)]),
      shown('delivered', `${formatNumber(delivered)} delivered`),
      shown('failed', `${formatNumber(failed)} failed`),
      shown('pending', `${formatNumber(pending.count)} pending`),
      ...milliseconds('p50'),
      ...milliseconds('p95'),
      ...time('oldestPending', 'oldest pending', pending.oldestCreatedAt),
      ...time('lastSuccessAt', 'last success', data.lastSuccessAt),
      ...time('lastFailureAt', 'last failure', data.lastFailureAt),
    ],
    series: bucketsOf(
      timeseries.map(({ bucket, attempts }) => ({ bucket, clicks: attempts, uniques: 0 })),
      data,
      groupBy,
    ),
    sections: [
      {
        name: 'failure',
        title: 'Failed attempts',
        emptyText: 'none in this window',
        rows: failures.map(({ cause, attempts: count }) => ({
          name: cause,
          label: causes[cause] ?? cause,
          detail: '',
          clicks: count,
        })),
      },
    ],
  };
}
