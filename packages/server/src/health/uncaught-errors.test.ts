import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { UncaughtErrors } from './uncaught-errors.js';

function open() {
  const lines: Record<string, unknown>[] = [];
  let now = 0;
  const logger = pino({ base: null }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const errors = new UncaughtErrors(logger, () => now);
  return { errors, lines, advance: (ms: number) => (now += ms) };
}

describe('UncaughtErrors', () => {
  it('logs a repeating error once a second with the number of repeats, and counts each', () => {
    const { errors, lines, advance } = open();
    for (let at = 0; at <= 5_000; at += 1) {
      if (at === 5_000) advance(1_000);
      errors.note('process', new Error(`text ${at}`));
    }
    expect(lines.map(({ repeats }) => repeats)).toEqual([0, 4_999]);
    expect(errors.counts).toEqual({ request: 0, callback: 0, process: 5_001 });
    expect(lines).toHaveLength(2);
  });

  it('logs each of two different errors', () => {
    const { errors, lines } = open();
    errors.note('callback', new TypeError('one'));
    errors.note('callback', new RangeError('two'));
    errors.note('process', 'no Error at all');
    expect(lines.map(({ source }) => source)).toEqual(['callback', 'callback', 'process']);
  });

  it('logs every failed request with its id', () => {
    const { errors, lines } = open();
    for (const id of ['a', 'b', 'c']) errors.noteRequest(new Error('the same'), id);
    expect(lines.map(({ requestId }) => requestId)).toEqual(['a', 'b', 'c']);
    expect(errors.counts).toMatchObject({ request: 3 });
  });

  it('does not throw when the log cannot be written', () => {
    const broken = pino(
      {},
      {
        write: () => {
          throw new Error('no space left');
        },
      },
    );
    const errors = new UncaughtErrors(broken);
    expect(() => errors.note('process', new Error('x'))).not.toThrow();
    expect(() => errors.noteRequest(new Error('x'), 'id')).not.toThrow();
  });
});
