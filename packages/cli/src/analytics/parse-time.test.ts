import { expect, test } from 'vitest';
import { parseTime, periodOf } from './parse-time.js';

const now = Date.UTC(2030, 10, 15, 12);

test.each([
  ['2030-11-01T02:30:00.250+02:00', '2030-11-01T02:30:00.250+02:00'],
  ['2030-11-01 10:00', '2030-11-01 10:00'],
  ['2030-11-01', '2030-11-01'],
  ['1.11.2030', '2030-11-01'],
  ['24h', '2030-11-14T12:00:00.000Z'],
  ['7d', '2030-11-08T12:00:00.000Z'],
  ['12w', '2030-08-23T12:00:00.000Z'],
  ['0d', '2030-11-15T12:00:00.000Z'],
])('%s is %s', (text, expected) => {
  expect(parseTime(text, now)).toBe(expected);
});

test.each([
  ...['', 'next-week', 'toString', '7', 'd', '-7d', '7m', '7 d', '1.5d', '9999999d', '7d\n'],
  ...['20301101', '11/01/2030'],
])('%j is not a time', (text) => {
  expect(parseTime(text, now)).toBeUndefined();
});

// 2030-11-15 is a Friday.
test.each([
  ['today', ['2030-11-15']],
  ['yesterday', ['2030-11-14', '2030-11-15']],
  ['this-week', ['2030-11-11']],
  ['last-week', ['2030-11-04', '2030-11-11']],
  ['this-month', ['2030-11-01']],
  ['last-month', ['2030-10-01', '2030-11-01']],
])('%s is %s', (name, dates) => {
  const { since, until } = periodOf(name, now) ?? {};
  expect([since, until].filter(Boolean)).toEqual(dates);
  expect(parseTime(name, now)).toBe(since);
});

test('periods are those of the time zone', () => {
  const lateOnSunday = Date.UTC(2030, 10, 17, 23, 30);
  expect(periodOf('today', lateOnSunday, 'Europe/Berlin')?.since).toBe('2030-11-18');
  expect(periodOf('this-week', lateOnSunday, 'Europe/Berlin')?.since).toBe('2030-11-18');
  expect(periodOf('this-week', lateOnSunday, 'America/New_York')?.since).toBe('2030-11-11');
});
