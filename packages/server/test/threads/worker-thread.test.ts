import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { pino } from 'pino';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { build } from '../../../../scripts/bootstrap.mjs';
import { reportThread } from '../../src/analytics/reports/report-thread.js';
import { drawingThread } from '../../src/qr/drawing/drawing-thread.js';
import { type ThreadDefinition, ThreadError } from '../../src/threads/define-thread.js';
import { openThread } from '../../src/threads/open-thread.js';

beforeAll(build, 120_000);

class TooSmallError extends Error {
  declare readonly field: string;
  declare readonly least: number;
}

type Methods = {
  echo(value: unknown): unknown;
  refuse(field: string, least: number): never;
  query(sql: string): never;
  spin(): never;
  fillHeap(megabytes: number): number;
};

const definition: ThreadDefinition<unknown, Methods, string> = {
  name: 'fixture',
  file: new URL('./fixture-thread.mjs', import.meta.url).href,
  errorClasses: [TooSmallError],
  start() {
    throw new Error('runs in the worker only');
  },
};

function open({
  timeLimitMs = 20_000,
  resourceLimits,
}: {
  timeLimitMs?: number;
  resourceLimits?: ThreadDefinition<unknown, Methods, string>['resourceLimits'];
} = {}) {
  const lines: { msg: string; thread: string; err?: { message: string } }[] = [];
  const log = new PassThrough();
  log.on('data', (line) => lines.push(JSON.parse(line)));
  const events = new PassThrough({ objectMode: true });
  const thread = openThread(
    { ...definition, ...(resourceLimits && { resourceLimits }) },
    {
      isThreaded: true,
      inline: () => {
        throw new Error('runs in the worker only');
      },
      data: {},
      onEvent: (event) => void events.write(event),
      timeLimitMs,
      logger: pino(log),
    },
  );
  onTestFinished(() => thread.stop());
  /** The next event of the thread. */
  const nextEvent = async (): Promise<string> => events.read() ?? (await once(events, 'data'))[0];
  return { thread, lines, nextEvent };
}

const errorOf = (work: Promise<unknown>) =>
  work.then(
    (value) => {
      throw new Error(`resolved with ${value}`);
    },
    (error: unknown) => error,
  );

describe('a call', () => {
  it('rejects with an error of the registered class, with its properties and its cause', async () => {
    const error = await errorOf(open().thread.call('refuse', 'size', 370));
    expect(error).toBeInstanceOf(TooSmallError);
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({
      name: 'TooSmallError',
      message: 'size is too small',
      field: 'size',
      least: 370,
      cause: { message: 'the cause' },
    });
  });

  it('rejects with the message and the code of an error of SQLite', async () => {
    const error = await errorOf(open().thread.call('query', 'nonsense'));
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({
      message: expect.stringContaining('syntax error'),
      code: 'SQLITE_ERROR',
    });
  });
});

describe('a heap limit', () => {
  it('ends only the thread: the calls in flight are rejected, and later ones run', async () => {
    expect(reportThread.resourceLimits).toEqual({ maxOldGenerationSizeMb: 2048 });
    expect(drawingThread.resourceLimits).toEqual({ maxOldGenerationSizeMb: 256 });
    // Filling so much would take several seconds, and more memory than small machines have.
    const resourceLimits = { maxOldGenerationSizeMb: 32 };
    const { thread, lines, nextEvent } = open({ resourceLimits });
    const filling = errorOf(thread.call('fillHeap', 256));
    expect(await nextEvent()).toBe('filling');
    const beside = errorOf(thread.call('echo', 1));
    const ended = { name: 'ThreadError', message: 'thread fixture: ended' };
    expect(await Promise.all([filling, beside])).toMatchObject([ended, ended]);
    expect(await thread.call('echo', 2)).toBe(2);
    expect(lines[0]).toMatchObject({
      msg: 'thread failed',
      err: { message: expect.stringContaining('memory limit') },
    });
    expect(thread.figures).toMatchObject({ failures: 1, callsInFlight: 0 });
  }, 60_000);
});

describe('a call that exceeds its time limit', () => {
  it('is rejected with those beside it; its thread is replaced, and later ones complete', async () => {
    const { thread, nextEvent } = open({ timeLimitMs: 3_000 });
    const spinning = errorOf(thread.call('spin'));
    expect(await nextEvent()).toBe('spinning');
    const errors = await Promise.all([spinning, errorOf(thread.call('echo', 1))]);
    for (const error of errors) {
      expect(error).toBeInstanceOf(ThreadError);
      expect((error as Error).message).toBe('thread fixture: spin took longer than 3000 ms');
    }
    expect(await thread.call('echo', 2)).toBe(2);
    expect(thread.figures).toEqual({
      failures: 1,
      uncaughtErrors: 0,
      callsInFlight: 0,
    });
  });
});
