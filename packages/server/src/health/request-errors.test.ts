import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../contract/api-error.js';
import { QueueFullError } from '../fair-queue.js';
import { StorageUnavailableError } from '../storage/database.js';
import { ThreadEndedError } from '../threads/thread.js';
import { RequestErrors } from './request-errors.js';
import { UncaughtErrors } from './uncaught-errors.js';

function open() {
  const lines: Record<string, unknown>[] = [];
  let now = 0;
  const logger = pino({ base: null }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const uncaughtErrors = new UncaughtErrors(logger);
  const errors = new RequestErrors(logger, uncaughtErrors, () => now);
  return { errors, uncaughtErrors, lines, advance: (ms: number) => (now += ms) };
}

describe('RequestErrors', () => {
  it('logs a full queue once in 10 s at level warn without a stack, and counts each refusal', () => {
    const { errors, uncaughtErrors, lines, advance } = open();
    for (let count = 1; count <= 3_000; count += 1) {
      errors.note(new QueueFullError('passwords', `${count} tasks are waiting`, 1), `id-${count}`);
    }
    advance(10_000);
    errors.note(new QueueFullError('passwords', 'again', 1), 'last');
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
    expect(uncaughtErrors.counts.request).toBe(0);
  });

  it('logs each queue and each kind of outage', () => {
    const { errors, lines } = open();
    errors.note(new QueueFullError('passwords', 'full', 1), 'a');
    errors.note(new QueueFullError('reports', 'full', 1), 'b');
    errors.note(new StorageUnavailableError('storage is unavailable (SQLITE_FULL)'), 'c');
    errors.note(new ThreadEndedError('thread lists: ended 2 times during listUrls'), 'd');
    errors.note(new ApiError('UNAVAILABLE', 'The server is stopping'), 'e');
    expect(lines.map(({ level, requestId }) => [level, requestId])).toEqual(
      ['a', 'b', 'c', 'd', 'e'].map((id) => [40, id]),
    );
    expect(Object.fromEntries(errors.unavailable)).toMatchObject({
      QueueFullError: 2,
      StorageUnavailableError: 1,
      ThreadEndedError: 1,
      ThreadTimeoutError: 0,
      ApiError: 1,
    });
  });

  it('logs each unexpected error with its stack at level error', () => {
    const { errors, uncaughtErrors, lines } = open();
    for (const id of ['a', 'b']) errors.note(new TypeError('a defect'), id);
    expect(lines).toMatchObject(
      ['a', 'b'].map((requestId) => ({
        level: 50,
        requestId,
        err: { message: 'a defect', stack: expect.stringContaining('request-errors.test.ts') },
      })),
    );
    expect(uncaughtErrors.counts.request).toBe(2);
  });

  it('ignores errors of the client', () => {
    const { errors, uncaughtErrors, lines } = open();
    errors.note(new ApiError('NOT_FOUND', 'There is no such link'), 'a');
    expect(lines).toEqual([]);
    expect(uncaughtErrors.counts.request).toBe(0);
  });

  it('does not throw when the log cannot be written', () => {
    const write = () => {
      throw new Error('no space left');
    };
    const broken = pino({}, { write });
    const errors = new RequestErrors(broken, new UncaughtErrors(broken));
    expect(() => errors.note(new StorageUnavailableError('away'), 'id')).not.toThrow();
    expect(errors.unavailable.get('StorageUnavailableError')).toBe(1);
  });
});
