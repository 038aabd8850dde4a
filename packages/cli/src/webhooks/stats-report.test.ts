import { reportText } from '@shorty/report';
import type { WebhookStats } from '@shorty/sdk';
import { expect, test } from 'vitest';
import { statsReport } from './stats-report.js';

const day = 24 * 60 * 60 * 1000;
const start = Date.UTC(2030, 0, 1);

function stats(attempts: number, causes: readonly WebhookStats['failures'][number]['cause'][]) {
  const failures = causes.map((cause) => ({ cause, attempts }));
  const failedAttempts = attempts * causes.length;
  const at = new Date(start + day).toISOString();
  return {
    webhookId: '0192f0c1-2b7d-7c3e-9a51-3f1d2b6c8e47',
    since: new Date(start).toISOString(),
    until: new Date(start + 3 * day).toISOString(),
    totals: {
      attempts: failedAttempts + 5,
      failedAttempts,
      successRate: 0.5,
      delivered: 5,
      failed: attempts,
    },
    responseTimeMs: { p50: 38, p95: 1_234 },
    failures,
    lastSuccessAt: at,
    lastFailureAt: at,
    pending: { count: attempts, oldestCreatedAt: at },
    timeseries: [0, 1, 2].map((index) => ({
      bucket: new Date(start + index * day).toISOString(),
      attempts: index * attempts,
      failedAttempts: attempts,
    })),
  } satisfies WebhookStats;
}

test('a report has totals, a chart and the failures by cause', () => {
  const report = statsReport(stats(1_000, ['status_5xx', 'dns']), 'day');
  const text = reportText(report, { width: 80, hasColor: false });
  expect(text.split('\n').slice(0, 7)).toEqual([
    'Attempts of webhook 0192f0c1-2b7d-7c3e-9a51-3f1d2b6c8e47',
    '2030-01-01 00:00 UTC to 2030-01-04 00:00 UTC, by day',
    '',
    '2,005 attempts   0.2% succeeded   5 delivered   1,000 failed   1,000 pending',
    'p50 38 ms   p95 1,234 ms   oldest pending 2030-01-02 00:00 UTC',
    'last success 2030-01-02 00:00 UTC   last failure 2030-01-02 00:00 UTC',
    '',
  ]);
  expect(text).toMatch(/status 5xx +1,000 +49\.9%/);
  expect(text).toMatch(/DNS +1,000 +49\.9%/);
});

test('a window without failures says so', () => {
  const text = reportText(statsReport(stats(3, []), 'day'), { width: 80, hasColor: false });
  expect(text).toContain('Failed attempts\n  none in this window\n');
});
