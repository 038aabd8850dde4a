import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { UncaughtErrors } from './uncaught-errors.js';

function open() {
  const lines: Record<string, unknown>[] = [];
  let now = 0;
  const logger = pino({ base: null }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const errors = new UncaughtErrors(logger, () => now);
  const counts = () =>
    Object.fromEntries(
      (errors.families()[0]?.samples ?? []).map(({ labels, value }) => [labels?.source, value]),
    );
  return { errors, lines, counts, advance: (ms: number) => (now += ms) };
}

describe('UncaughtErrors', () => {
  it('logs an error that loops once a second with the number of its repeats, and counts all', () => {
    const { errors, lines, counts, advance } = open();
    for (let at = 0; at <= 5_000; at += 1) {
      if (at === 5_000) advance(1_000);
      errors.note('process', new Error(`text ${at}`));
    }
    expect(lines.map(({ repeats }) => repeats)).toEqual([0, 4_999]);
    expect(counts()).toEqual({ request: 0, callback: 0, process: 5_001 });
    expect(lines).toHaveLength(2);
  });

  it('logs two different errors each', () => {
    const { errors, lines } = open();
    errors.note('callback', new TypeError('one'));
    errors.note('callback', new RangeError('two'));
    errors.note('process', 'no Error at all');
    expect(lines.map(({ source }) => source)).toEqual(['callback', 'callback', 'process']);
  });

  it('logs every request by its id', () => {
    const { errors, lines, counts } = open();
    for (const id of ['a', 'b', 'c']) errors.noteRequest(new Error('the same'), id);
    expect(lines.map(({ requestId }) => requestId)).toEqual(['a', 'b', 'c']);
    expect(counts()).toMatchObject({ request: 3 });
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
