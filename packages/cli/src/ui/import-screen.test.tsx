import { render } from 'ink-testing-library';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ImportProgress } from '../import/import-progress.js';
import { ImportScreen } from './import-screen.js';

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

interface Shown {
  readonly progress?: ImportProgress;
  readonly lines?: readonly string[];
  readonly isOver?: boolean;
  readonly hasColor?: boolean;
  readonly now?: () => number;
}

function screen({ progress = progressOf(), lines = [], hasColor = false, ...rest }: Shown = {}) {
  const { now = () => 4000, isOver = false } = rest;
  const shown = { progress, lines, hasColor, now, isOver };
  return <ImportScreen {...shown} />;
}

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

test('shows bar, percentage, rows, rate and remaining time', () => {
  const { lastFrame, unmount } = render(screen());
  expect(lastFrame()).toBe(
    `${'━'.repeat(15)}${'─'.repeat(15)} 50%  12,000 rows  3,000/s  4.0 s left`,
  );
  unmount();
});

test.each<[string, Partial<ImportProgress>, string]>([
  ['at the beginning', { bytesRead: 0, rows: 0 }, `${'─'.repeat(30)} 0%  0 rows  0/s`],
  ['at the end', { bytesRead: 1000 }, `${'━'.repeat(30)} 100%  12,000 rows  3,000/s  0.0 s left`],
  ['with failures', { failed: 1500 }, '3,000/s  1,500 failed  4.0 s left'],
  ['of a file that grew meanwhile', { bytesRead: 2000 }, '100%'],
  ['of an empty file', { bytesTotal: 0, bytesRead: 0 }, '0%'],
])('%s', (_, change, expected) => {
  const { lastFrame, unmount } = render(screen({ progress: progressOf(change) }));
  expect(lastFrame()).toContain(expected);
  unmount();
});

test('shows the retry time and the reason, without a remaining time', () => {
  const progress = progressOf({ retrying: { reason: 'read ECONN\u001b[2JRESET', since: 1000 } });
  const { lastFrame, unmount } = render(screen({ progress }));
  const frame = lastFrame() ?? '';
  expect(frame).toContain(
    'no response from the server, retrying for 3.0 s (read ECONN\u{fffd}[2JRESET)',
  );
  expect(frame).not.toContain('left');
  unmount();
});

test('updates itself, and stops when it is removed', async () => {
  const progress = progressOf({ bytesRead: 100 });
  const { lastFrame, unmount } = render(screen({ progress }));
  expect(lastFrame()).toContain('10%');
  progress.bytesRead = 900;
  await vi.advanceTimersByTimeAsync(200);
  expect(lastFrame()).toContain('90%');
  unmount();
  await vi.runOnlyPendingTimersAsync();
  expect(vi.getTimerCount()).toBe(0);
});

test('log lines stay above the bar, and remain after the end', async () => {
  const lines = ['line 3: broken'];
  const { lastFrame, rerender, unmount } = render(screen({ lines }));
  expect(lastFrame()).toMatch(/^line 3: broken\n━/);
  rerender(screen({ lines: [...lines, 'line 9: broken'], isOver: true }));
  expect(lastFrame()?.trimEnd()).toBe('line 3: broken\nline 9: broken');
  unmount();
});
