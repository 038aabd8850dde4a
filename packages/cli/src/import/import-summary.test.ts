import { describe, expect, test } from 'vitest';
import { type ImportProgress, rowsPerSecond, timeLeftMs } from './import-progress.js';
import { formatSummary, type ImportSummary, importExitCode } from './import-summary.js';

const summary: ImportSummary = {
  rows: 1000,
  created: 985,
  failed: 15,
  skipped: 0,
  isQuotaReached: false,
  replayed: 0,
  rowsBefore: 0,
  durationMs: 400,
  out: null,
  failedOut: null,
  errors: [],
};

test.each<[Partial<ImportSummary>, string]>([
  [{}, '1,000 rows: 985 created, 15 failed in 0.4 s (2,500 rows/s)'],
  [
    { rowsBefore: 600 },
    '1,000 rows, 600 of them earlier: 985 created, 15 failed in 0.4 s (1,000 rows/s)',
  ],
  [
    { rows: 1, created: 1, failed: 0, durationMs: 0 },
    '1 row: 1 created, 0 failed in 0.0 s (1,000 rows/s)',
  ],
  [{ skipped: 3 }, '1,000 rows: 985 created, 3 skipped, 15 failed in 0.4 s (2,500 rows/s)'],
])('%j', (change, line) => {
  expect(formatSummary({ ...summary, ...change })).toBe(line);
});

test.each([
  [10, 0, 0],
  [9, 1, 3],
  [0, 10, 1],
  [0, 0, 0],
])('%i created and %i failed: %i', (created, failed, code) => {
  expect(importExitCode({ ...summary, created, failed })).toBe(code);
});

test('rows that the quota refused are no success', () => {
  const stopped = { ...summary, failed: 0, isQuotaReached: true };
  expect(importExitCode(stopped)).toBe(3);
  expect(importExitCode({ ...stopped, created: 0 })).toBe(1);
  expect(importExitCode({ ...stopped, created: 0, skipped: 1 })).toBe(3);
});

describe('rate and remaining time', () => {
  const progress: ImportProgress = {
    bytesRead: 250,
    bytesBefore: 0,
    bytesTotal: 1000,
    rows: 100,
    created: 100,
    failed: 0,
    replayed: 0,
    rowsBefore: 0,
    startedAt: 0,
    retrying: undefined,
  };

  test('depend on this run only', () => {
    expect(rowsPerSecond(progress, 2000)).toBe(50);
    expect(timeLeftMs(progress, 2000)).toBe(6000);
    const resumed = { ...progress, bytesBefore: 150, rowsBefore: 60 };
    expect(rowsPerSecond(resumed, 2000)).toBe(20);
    expect(timeLeftMs(resumed, 2000)).toBe(15_000);
  });

  test('are undefined without data', () => {
    expect(rowsPerSecond(progress, 0)).toBe(0);
    expect(timeLeftMs(progress, 499)).toBeUndefined();
    expect(timeLeftMs({ ...progress, bytesRead: 0 }, 2000)).toBeUndefined();
    expect(timeLeftMs({ ...progress, bytesBefore: undefined }, 2000)).toBeUndefined();
    const retrying = { reason: 'x', since: 0 };
    expect(timeLeftMs({ ...progress, retrying }, 2000)).toBeUndefined();
  });
});
