import { expect, it } from 'vitest';
import { readConfig } from '../config.js';
import { nextAttemptAt } from './retry-schedule.js';

const { webhookRetrySchedule } = readConfig({});

// Specification, "Retries and ordering".
it.each([
  ['attempt 2 after 30 s', 1, 30],
  ['attempt 3 after 2 min', 2, 2 * 60],
  ['attempt 4 after 10 min', 3, 10 * 60],
  ['attempt 5 after 1 h', 4, 60 * 60],
  ['attempt 6 after 6 h', 5, 6 * 60 * 60],
  ['attempt 7 (final) after 24 h', 6, 24 * 60 * 60],
])('%s', (_name, attempts, seconds) => {
  expect(nextAttemptAt(webhookRetrySchedule, attempts, 5_000)).toBe(5_000 + seconds * 1000);
});

it('returns null after the final attempt', () => {
  expect(nextAttemptAt(webhookRetrySchedule, 7, 0)).toBeNull();
});
