import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../contract/api-error.js';
import { QueueFullError } from '../fair-queue.js';
import { StorageUnavailableError } from '../storage/database.js';
import { ThreadError } from '../threads/define-thread.js';
import { createErrorLog } from './error-log.js';

function open() {
  const lines: Record<string, unknown>[] = [];
  let now = 0;
  const logger = pino({ base: null }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const errors = createErrorLog(logger, () => now);
  return { errors, lines, advance: (ms: number) => (now += ms) };
}

describe('errors of requests', () => {
  it('logs a full queue once in 10 s at level warn without a stack, and counts each refusal', () => {
    const { errors, lines, advance } = open();
    for (let count = 1; count <= 3_000; count += 1) {
      errors.noteRequest(
        new QueueFullError('passwords', `${count} tasks are waiting`),
        `id-${count}`,
      );
    }
    advance(10_000);
    errors.noteRequest(new QueueFullError('passwords', 'again'), 'last');
    const common = {
      level: 40,
      msg: 'request refused',
      error: 'QueueFullError',
      queue: 'passwords',
    };
    expect(lines).toMatchObject([
      { ...common, requestId: 'id-1', reason: 'passwords: 1 tasks are waiting', repeats: 0 },
      { ...common, requestId: 'last', reason: 'passwords: again', repeats: 2_999 },
    ]);
    expect(JSON.stringify(lines)).not.toContain('at ');
    expect(errors.unavailable.get('QueueFullError')).toBe(3_001);
    expect(errors.uncaught.request).toBe(0);
  });

  it('logs each queue and each kind of outage', () => {
    const { errors, lines } = open();
    errors.noteRequest(new QueueFullError('passwords', 'full'), 'a');
    errors.noteRequest(new QueueFullError('reports', 'full'), 'b');
    errors.noteRequest(new StorageUnavailableError('storage is unavailable (SQLITE_FULL)'), 'c');
    errors.noteRequest(new ThreadError('thread lists: ended 2 times during listUrls'), 'd');
    errors.noteRequest(new ApiError('UNAVAILABLE', 'The server is stopping'), 'e');
    expect(lines.map(({ level, requestId }) => [level, requestId])).toEqual(
      ['a', 'b', 'c', 'd', 'e'].map((id) => [40, id]),
    );
    expect(Object.fromEntries(errors.unavailable)).toMatchObject({
      QueueFullError: 2,
      StorageUnavailableError: 1,
      ThreadError: 1,
      ApiError: 1,
    });
  });
});

it('a repeating uncaught error is logged once in 10 s with its repeats, and each counts', () => {
  const { errors, lines, advance } = open();
  for (let at = 0; at <= 5_000; at += 1) {
    if (at === 5_000) advance(10_000);
    errors.note('process', new Error(`text ${at}`));
  }
  expect(lines.map(({ repeats }) => repeats)).toEqual([0, 4_999]);
  expect(errors.uncaught).toEqual({ request: 0, callback: 0, process: 5_001 });
  expect(lines).toHaveLength(2);
});
