import { expect, it } from 'vitest';
import { checkReports } from './check-reports.js';
import { named, startOfDate } from './report-model.js';

it('equals an independent model in each field, with time zones, filters and pruned days', async () => {
  await checkReports(5);
}, 120_000);

it('has a model that knows days without a midnight', () => {
  const start = startOfDate('America/Santiago', '2030-09-08');
  expect(named('America/Santiago', start)).toBe('2030-09-08T01:00:00.000-03:00');
});
