import { expect, it } from 'vitest';
import { parseSummary } from './pruned-days.js';

// Written by version 0.1.
const report = {
  totals: { totalClicks: 2, uniqueClicks: 1, uniqueIps: 1 },
  breakdowns: { country: [{ country: 'DE', clicks: 2 }] },
  timeseries: [{ bucket: '2030-01-01T05:00:00.000Z', clicks: 2, uniques: 1 }],
};

it('reads the days of version 0.1, which have no version', () => {
  expect(parseSummary(JSON.stringify([report, report]))).toEqual([report, report]);
});

it('refuses a day of a later version', () => {
  expect(() => parseSummary(JSON.stringify([report, { ...report, version: 2 }]))).toThrow(
    'a pruned day of version 2: this server reads version 1',
  );
});
