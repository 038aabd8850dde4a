import { createRequire } from 'node:module';
import type * as Croner from 'croner';

const require = createRequire(import.meta.url);

export interface CronSchedule {
  /** Returns the first run after a time, or undefined if there is none. */
  next(after: number): number | undefined;
}

/** Parses a cron expression in UTC. Throws an Error that contains the rule. */
export function parseCronSchedule(expression: string): CronSchedule {
  // Loaded here, because most servers have no schedule.
  const { Cron } = require('croner') as typeof Croner;
  const cron = attempt(() => new Cron(expression, { timezone: 'UTC', mode: '5-part' }));
  // The library also accepts one date instead of a pattern, and names such as @daily.
  const fields = expression.split(/\s+/).length;
  if (!cron || fields !== 5) {
    throw new Error(
      'it must be a cron expression in UTC with five fields: minute, hour, day of the month, month and day of the week, such as "0 3 * * *" for 03:00 each day',
    );
  }
  if (!cron.nextRun()) throw new Error('it must be an expression that some date matches');
  return { next: (after) => cron.nextRun(new Date(after))?.getTime() };
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

const comparedRuns = 200;

/** Returns the longest time between two consecutive runs after a time, such as a weekend. */
export function longestInterval(schedule: CronSchedule, from: number): number {
  let longest = 0;
  let run = schedule.next(from);
  for (let count = 0; count < comparedRuns && run !== undefined; count += 1) {
    const next = schedule.next(run);
    if (next !== undefined) longest = Math.max(longest, next - run);
    run = next;
  }
  return longest;
}
