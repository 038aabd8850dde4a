import { expect, test } from 'vitest';
import { textStyle } from '../text-style.js';
import { displayWidth } from '../text-width.js';
import type { ImportProgress } from './import-progress.js';
import { progressLines } from './progress-lines.js';

function progressOf(change: Partial<ImportProgress> = {}): ImportProgress {
  return {
    bytesRead: 500,
    bytesBefore: 0,
    bytesTotal: 1000,
    rows: 12_000,
    created: 12_000,
    failed: 0,
    replayed: 0,
    rowsBefore: 0,
    startedAt: 0,
    retrying: undefined,
    ...change,
  };
}

function linesOf(change: Partial<ImportProgress> = {}, width = 79): string[] {
  return progressLines(progressOf(change), { now: 4000, width, style: textStyle(false) });
}

test('shows bar, percentage, rows, rate and remaining time', () => {
  expect(linesOf()).toEqual([
    `${'━'.repeat(15)}${'─'.repeat(15)} 50%  12,000 rows  3,000/s  4.0 s left`,
  ]);
});

test.each<[string, Partial<ImportProgress>, string]>([
  ['at the beginning', { bytesRead: 0, rows: 0 }, `${'─'.repeat(30)} 0%  0 rows  0/s`],
  ['at the end', { bytesRead: 1000 }, `${'━'.repeat(30)} 100%  12,000 rows  3,000/s  0.0 s left`],
  ['with failures', { failed: 1500 }, '3,000/s  1,500 failed  4.0 s left'],
  ['of a file that grew meanwhile', { bytesRead: 2000 }, '100%'],
  ['of an empty file', { bytesTotal: 0, bytesRead: 0 }, '0%'],
])('%s', (_, change, expected) => expect(linesOf(change)[0]).toContain(expected));

test('shows the retry time and the reason, without a remaining time', () => {
  const retrying = { reason: 'read ECONN\u001b[2JRESET', since: 1000 };
  const [first, second] = linesOf({ retrying }, 120);
  expect(first).not.toContain('left');
  expect(second).toBe(
    'no response from the server, retrying for 3.0 s (read ECONN\u{fffd}[2JRESET)',
  );
});

test('every width has the percentage, and the most important numbers that fit', () => {
  const change = { failed: 1500, retrying: { reason: '接続が切れました', since: 1000 } };
  for (let width = 10; width <= 200; width++) {
    for (const line of linesOf(change, width))
      expect(displayWidth(line)).toBeLessThanOrEqual(width);
    expect(linesOf(change, width)[0]).toContain('50%');
  }
  expect(linesOf({ failed: 1500 }, 40)).toEqual(['━━━━━──── 50%  12,000 rows  1,500 failed']);
  expect(linesOf({ failed: 1500 }, 20)).toEqual(['50%  12,000 rows']);
});
