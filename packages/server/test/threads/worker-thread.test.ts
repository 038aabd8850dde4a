import { once } from 'node:events';
import { getPriority } from 'node:os';
import { PassThrough } from 'node:stream';
import { pino } from 'pino';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { build } from '../../../../scripts/bootstrap.mjs';
import { ingestThread } from '../../src/analytics/ingest/ingest-thread.js';
import { reportThread } from '../../src/analytics/reports/report-thread.js';
import { drawingThread } from '../../src/qr/drawing/drawing-thread.js';
import { openThread } from '../../src/threads/open-thread.js';
import {
  type ThreadDefinition,
  ThreadEndedError,
  ThreadStoppedError,
  ThreadTimeoutError,
} from '../../src/threads/thread.js';
import { yieldToEventLoop } from '../../src/yield-to-event-loop.js';

beforeAll(build, 120_000);

class TooSmallError extends Error {
  declare readonly field: string;
  declare readonly least: number;
}

type Methods = {
  echo(value: unknown): unknown;
  data(): unknown;
  refuse(field: string, least: number): never;
  fail(): never;
  scheduling(): { niceness: number; policy: number };
  exit(): never;
  throwLater(): void;
  spin(): never;
  fillHeap(megabytes: number): number;
  blockInNativeCode(seconds: number): void;
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
  announces = false,
  resourceLimits,
  idleLimitMs,
}: {
  timeLimitMs?: number;
  idleLimitMs?: number;
  announces?: boolean;
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
      data: { answer: 42, announces },
      onEvent: (event) => {
        if (event === 'throw') throw new Error('the handler is broken');
        events.write(event);
      },
      timeLimitMs,
      ...(idleLimitMs !== undefined && { idleLimitMs }),
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

it('ends without calls, and starts again at the next call', async () => {
  const { thread, lines, nextEvent } = open({ announces: true, idleLimitMs: 1 });
  await thread.call('echo', 1);
  expect(await nextEvent()).toBe('started');
  const second = nextEvent();
  const isAgain = async () => {
    await thread.call('echo', 2);
    return Promise.race([second, yieldToEventLoop()]);
  };
  await expect.poll(isAgain, { timeout: 20_000 }).toBe('started');
  expect(thread.figures).toMatchObject({ failures: 0, callsInFlight: 0 });
  expect(lines).toEqual([]);
});

describe('a call', () => {
  it('returns the result of the method, which has the data of the thread', async () => {
    const { thread } = open();
    expect(await thread.call('echo', { list: [1, 2], bytes: new Uint8Array([3]) })).toEqual({
      list: [1, 2],
      bytes: new Uint8Array([3]),
    });
    expect(await thread.call('data')).toEqual({ answer: 42, announces: false });
  });

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
});

describe('a thread that ends', () => {
  it('is replaced; only the call that ended it is rejected', async () => {
    const { thread } = open();
    const deadly = errorOf(thread.call('exit'));
    const others = Promise.all([1, 2, 3].map((value) => thread.call('echo', value)));
    expect(await deadly).toBeInstanceOf(ThreadEndedError);
    expect(await others).toEqual([1, 2, 3]);
    expect(thread.figures).toEqual({
      failures: 1,
      timeouts: 0,
      uncaughtErrors: 0,
      callsInFlight: 0,
    });
  });

  it('by an error outside a call is logged, counted and replaced', async () => {
    const { thread, lines } = open();
    await thread.call('throwLater');
    await expect.poll(() => thread.figures.failures, { timeout: 10_000 }).toBe(1);
    expect(lines).toMatchObject([
      {
        msg: 'thread failed',
        thread: 'fixture',
        err: { message: expect.stringContaining('thrown outside of any call') },
      },
    ]);
    expect(thread.figures.uncaughtErrors).toBe(1);
    expect(await thread.call('echo', 1)).toBe(1);
  });
});

it('a thread of low priority has a tenth of the weight of others, and is not in the idle class', async () => {
  const { thread } = open();
  const normalClass = 0;
  expect(await thread.call('scheduling')).toEqual({
    niceness: Math.max(10, getPriority()),
    policy: normalClass,
  });
  const threads = [ingestThread, reportThread, drawingThread];
  expect(threads.map(({ priority }) => priority)).toEqual(['low', 'low', 'low']);
});

describe('a heap limit', () => {
  it('ends only the thread; the call that fills the heap is rejected, and the others run', async () => {
    expect(reportThread.resourceLimits).toEqual({ maxOldGenerationSizeMb: 2048 });
    expect(drawingThread.resourceLimits).toEqual({ maxOldGenerationSizeMb: 256 });
    // Filling so much would take several seconds, and more memory than small machines have.
    const resourceLimits = { maxOldGenerationSizeMb: 32 };
    const { thread, lines, nextEvent } = open({ resourceLimits });
    const filling = errorOf(thread.call('fillHeap', 256));
    expect(await nextEvent()).toBe('filling');
    const beside = Promise.all([1, 2, 3].map((value) => thread.call('echo', value)));
    expect(await filling).toBeInstanceOf(ThreadEndedError);
    expect(await beside).toEqual([1, 2, 3]);
    expect(lines[0]).toMatchObject({
      msg: 'thread failed',
      err: { message: expect.stringContaining('memory limit') },
    });
    expect(thread.figures).toMatchObject({ failures: 1, timeouts: 0, callsInFlight: 0 });
  }, 60_000);
});

describe('a call that exceeds its time limit', () => {
  it('is rejected; its thread is replaced, and concurrent calls complete', async () => {
    const { thread, nextEvent } = open({ timeLimitMs: 3_000 });
    const order: string[] = [];
    const spinning = errorOf(thread.call('spin')).then((error) => {
      order.push('spin');
      return error;
    });
    expect(await nextEvent()).toBe('spinning');
    const beside = Promise.all([1, 2].map((value) => thread.call('echo', value)));
    void beside.then(() => order.push('beside'));
    const error = await spinning;
    expect(error).toBeInstanceOf(ThreadTimeoutError);
    expect((error as Error).message).toBe('thread fixture: spin took longer than 3000 ms');
    expect(await beside).toEqual([1, 2]);
    expect(order).toEqual(['spin', 'beside']);
    expect(thread.figures).toEqual({
      failures: 1,
      timeouts: 1,
      uncaughtErrors: 0,
      callsInFlight: 0,
    });
  });
});

describe('a stop', () => {
  it('lets running calls finish, releases resources and rejects later calls', async () => {
    const { thread, nextEvent } = open();
    const last = thread.call('echo', 'last');
    await Promise.all([thread.stop(), thread.stop()]);
    expect(await last).toBe('last');
    expect(await nextEvent()).toBe('stopped');
    expect(await errorOf(thread.call('echo', 1))).toBeInstanceOf(ThreadStoppedError);
  });

  it('returns within its time limits when native code holds the thread', async () => {
    const { thread, lines, nextEvent } = open();
    const blocked = errorOf(thread.call('blockInNativeCode', 8));
    expect(await nextEvent()).toBe('blocking');
    const startedAt = performance.now();
    await thread.stop();
    expect(performance.now() - startedAt).toBeLessThan(6_000);
    expect(await blocked).toBeInstanceOf(ThreadStoppedError);
    expect(lines.at(-1)).toMatchObject({ msg: 'thread did not stop; terminating it' });
  });
});
