import { expect, test } from 'vitest';
import { readTime } from './parse-time.js';

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
  expect(readTime('--since', text, now)).toBe(expected);
});

test.each([
  ...['', 'today', 'toString', '7', 'd', '-7d', '7m', '7 d', '1.5d', '9999999d', '7d\n'],
  ...['20301101', '11/01/2030'],
])('%j is not a time', (text) => {
  expect(() => readTime('--since', text, now)).toThrow('invalid time');
});
