import { describe, expect, it } from 'vitest';
import { longestInterval, parseCronSchedule } from './cron-schedule.js';

const monday = Date.parse('2026-11-23T03:00:00Z');
const iso = (time: number | undefined) => time && new Date(time).toISOString();
const hourMs = 3_600_000;

describe('parseCronSchedule', () => {
  it.each([
    ['0 3 * * *', '2026-11-24T03:00:00.000Z'],
    ['*/15 * * * *', '2026-11-23T03:15:00.000Z'],
    ['0  2  *  *  SUN', '2026-11-29T02:00:00.000Z'],
    ['0 3 29 2 *', '2028-02-29T03:00:00.000Z'],
  ])('finds the next run of %s in UTC', (expression, expected) => {
    expect(iso(parseCronSchedule(expression).next(monday))).toBe(expected);
  });

  it.each([
    'daily',
    '@daily',
    '3 * * *',
    '0 0 3 * * *',
    '61 * * * *',
    '0 24 * * *',
    '2026-12-01T00:00:00',
  ])('refuses %s', (expression) => {
    expect(() => parseCronSchedule(expression)).toThrow(
      /must be a cron expression in UTC with five/,
    );
  });

  it('refuses an expression that no date matches', () => {
    expect(() => parseCronSchedule('0 0 30 2 *')).toThrow(
      'it must be an expression that some date matches',
    );
  });
});

describe('longestInterval', () => {
  it.each([
    ['*/15 * * * *', hourMs / 4],
    ['0 3 * * *', 24 * hourMs],
    ['0 9-17 * * MON-FRI', 64 * hourMs],
    ['0 3 1 * *', 31 * 24 * hourMs],
  ])('of %s', (expression, expected) => {
    expect(longestInterval(parseCronSchedule(expression), monday)).toBe(expected);
  });
});
