/** Milliseconds before the second attempt, the third, and so on. */
export type RetrySchedule = readonly number[];

/** When to try again after so many attempts, counted from the last one; null when that was the last. */
export function nextAttemptAt(
  schedule: RetrySchedule,
  attempts: number,
  attemptedAt: number,
): number | null {
  const delayMs = schedule[attempts - 1];
  return delayMs === undefined ? null : attemptedAt + delayMs;
}
