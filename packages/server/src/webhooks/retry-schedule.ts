/** The delays in milliseconds before the second attempt, the third, and so on. */
export type RetrySchedule = readonly number[];

/** Returns when to retry after `attempts` attempts, or null after the last one. */
export function nextAttemptAt(
  schedule: RetrySchedule,
  attempts: number,
  attemptedAt: number,
): number | null {
  const delayMs = schedule[attempts - 1];
  return delayMs === undefined ? null : attemptedAt + delayMs;
}
