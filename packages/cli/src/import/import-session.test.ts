import {
  appendFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { decideStart, type StartFacts } from './decide-start.js';
import { ImportJournal, type JournalState, readJournal } from './import-journal.js';
import { acquireLock } from './import-lock.js';
import { ResultFile } from './result-file.js';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'shorty-session-'));
});

afterEach(() => rm(folder, { recursive: true }));

const paths = { outPath: '/out.csv', failedOutPath: undefined };
const done = {
  chunksDone: 3,
  rows: 300,
  created: 290,
  failed: 10,
  skipped: 0,
  outBytes: 40,
  failedOutBytes: 0,
};

describe('the journal', () => {
  let now = 1000;
  const clock = () => now++;

  test('reads back its lines after two runs', async () => {
    const path = join(folder, 'a.jsonl');
    expect(await readJournal(path)).toBeUndefined();
    now = 1000;
    const first = await ImportJournal.start(path, { seed: 's', ...paths }, clock);
    first.recordDone({ ...done, chunksDone: 1 });
    first.recordDone(done);
    first.close();
    expect(await readJournal(path)).toEqual({
      ...done,
      ...paths,
      seed: 's',
      startedAt: 1000,
      lastAt: 1002,
      finishedAt: undefined,
      isStopped: false,
      remaining: new Map([
        [0, { postponed: [], failed: [], attempts: 1 }],
        [2, { postponed: [], failed: [], attempts: 1 }],
      ]),
    });
    const second = await ImportJournal.reopen(path, clock);
    second.finish();
    second.close();
    expect(await readJournal(path)).toMatchObject({ ...done, lastAt: 1003, finishedAt: 1003 });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  test('a rewind resets the counts, and keeps the seed and the start time', async () => {
    const path = join(folder, 'a.jsonl');
    now = 1000;
    const journal = await ImportJournal.start(path, { seed: 's', ...paths }, clock);
    journal.recordDone(done);
    journal.rewind({ outPath: '/other.csv', failedOutPath: '/bad.csv' });
    journal.close();
    expect(await readJournal(path)).toMatchObject({
      ...{ seed: 's', startedAt: 1000, chunksDone: 0, rows: 0, outBytes: 0 },
      ...{ outPath: '/other.csv', failedOutPath: '/bad.csv' },
    });
  });

  test('a truncated last line is ignored and removed', async () => {
    const path = join(folder, 'a.jsonl');
    const journal = await ImportJournal.start(path, { seed: '', ...paths }, clock);
    journal.recordDone(done);
    journal.close();
    await appendFile(path, '{"type":"done","chunksDo');
    expect(await readJournal(path)).toMatchObject({ chunksDone: 3 });
    const again = await ImportJournal.reopen(path, clock);
    again.recordDone({ ...done, chunksDone: 4 });
    again.close();
    expect(await readJournal(path)).toMatchObject({ chunksDone: 4 });
  });

  test('an invalid journal is an error with its path and the next step', async () => {
    const path = join(folder, 'a.jsonl');
    await writeFile(path, '{"type":"start"}\nnonsense\n');
    await expect(readJournal(path)).rejects.toMatchObject({
      message: `line 2 of the import journal ${path} is not valid JSON`,
      hint: expect.stringContaining('--no-resume'),
    });
  });

  test('a new start replaces an older journal', async () => {
    const path = join(folder, 'a.jsonl');
    (await ImportJournal.start(path, { seed: 'old', ...paths }, clock)).close();
    (await ImportJournal.start(path, { seed: 'new', ...paths }, clock)).close();
    expect(await readJournal(path)).toMatchObject({ seed: 'new', rows: 0 });
    expect(await readdir(folder)).toEqual(['a.jsonl']);
  });
});

describe('decideStart', () => {
  const hour = 60 * 60 * 1000;
  const interrupted: JournalState = {
    ...done,
    ...paths,
    seed: '',
    startedAt: 0,
    lastAt: hour,
    finishedAt: undefined,
    isStopped: false,
    remaining: new Map(),
  };
  const finished: JournalState = { ...interrupted, finishedAt: hour };
  const stopped: JournalState = { ...interrupted, isStopped: true };
  const retry = { journal: finished, mode: 'retry-failed' } as const;
  const facts: StartFacts = {
    journal: interrupted,
    mode: 'auto',
    now: 2 * hour,
    out: { path: '/out.csv', length: 40 },
    failedOut: { path: undefined, length: undefined },
  };

  test.each<[string, Partial<StartFacts>, string]>([
    ['nothing known', { journal: undefined }, 'fresh'],
    ['--no-resume', { mode: 'no-resume' }, 'fresh'],
    ['interrupted', {}, 'continue'],
    ['interrupted, --resume', { mode: 'resume' }, 'continue'],
    ['the file has grown since', { out: { path: '/out.csv', length: 99 } }, 'continue'],
    ['the file is shorter', { out: { path: '/out.csv', length: 39 } }, 'rewind'],
    ['the file is gone', { out: { path: '/out.csv', length: undefined } }, 'rewind'],
    ['another file', { out: { path: '/b.csv', length: 40 } }, 'rewind'],
    ['no file any more', { out: { path: undefined, length: undefined } }, 'rewind'],
    ['one more file', { failedOut: { path: '/bad.csv', length: undefined } }, 'rewind'],
    ['finished within a day', { journal: finished }, 'rewind'],
    ['interrupted long ago, --resume', { mode: 'resume', now: 99 * hour }, 'continue'],
    ['stopped by the quota long ago', { journal: stopped, now: 99 * hour }, 'continue'],
    ['finished long ago, --retry-failed', { ...retry, now: 99 * hour }, 'continue'],
    [
      'finished, --retry-failed with another file',
      { ...retry, out: { path: '/b.csv', length: undefined } },
      'continue',
    ],
  ])('%s: %s', (_, change, kind) => {
    expect(decideStart({ ...facts, ...change }).kind).toBe(kind);
  });

  test.each<[string, Partial<StartFacts>, string]>([
    ['--resume of nothing', { journal: undefined, mode: 'resume' }, 'no interrupted import'],
    [
      '--resume of what is finished',
      { journal: finished, mode: 'resume' },
      'nothing to resume: this file was imported on 1970-01-01 01:00 UTC: 300 rows, 290 created, 10 failed',
    ],
    [
      '--retry-failed of nothing',
      { journal: undefined, mode: 'retry-failed' },
      'no earlier import',
    ],
    ['--retry-failed of what was interrupted', { mode: 'retry-failed' }, 'not finished'],
    [
      'finished more than a day ago',
      { journal: finished, now: 99 * hour },
      'this file was imported on 1970-01-01 01:00 UTC',
    ],
    [
      'interrupted more than a day ago',
      { now: 99 * hour },
      'this import stopped more than a day ago, on 1970-01-01 01:00 UTC, after 300 rows',
    ],
    [
      'interrupted long ago, and the files are gone',
      { mode: 'resume', now: 99 * hour, out: { path: '/out.csv', length: undefined } },
      'the output files of the interrupted import are missing or differ',
    ],
  ])('%s is rejected', (_, change, message) => {
    expect(() => decideStart({ ...facts, ...change })).toThrow(message);
  });
});

test('the rows that a chunk has no link for are those of its last request', async () => {
  const path = join(folder, 'a.jsonl');
  const journal = await ImportJournal.start(path, { seed: '', ...paths }, Date.now);
  journal.recordDone({ ...done, chunk: 1, postponedRows: [7, 8], failedRows: [3] });
  journal.stop();
  journal.close();
  const stopped = await readJournal(path);
  expect(stopped?.isStopped).toBe(true);
  expect(stopped?.remaining.get(1)).toEqual({ postponed: [7, 8], failed: [3], attempts: 1 });
  const again = await ImportJournal.reopen(path, Date.now);
  again.recordDone({ ...done, chunk: 1, postponedRows: [], failedRows: [3, 8] });
  again.close();
  const repeated = await readJournal(path);
  expect(repeated?.isStopped).toBe(false);
  expect(repeated?.remaining.get(1)).toEqual({ postponed: [], failed: [3, 8], attempts: 2 });
});

test('a retry keeps the counts and the rows, and starts the file of failed rows again', async () => {
  const path = join(folder, 'a.jsonl');
  const journal = await ImportJournal.start(path, { seed: '', ...paths }, Date.now);
  journal.recordDone({ ...done, chunk: 1, failedRows: [3] });
  journal.finish();
  const finished = await readJournal(path);
  expect(
    decideStart({
      journal: finished,
      mode: 'retry-failed',
      now: Date.now(),
      out: { path: '/out.csv', length: 40 },
      failedOut: { path: '/bad.csv', length: 9 },
    }),
  ).toMatchObject({ kind: 'continue', isRetry: true, outBytes: 40, failedOutBytes: 0 });
  journal.retry({ outPath: '/out.csv', failedOutPath: '/bad.csv' });
  journal.close();
  expect(await readJournal(path)).toMatchObject({
    ...done,
    finishedAt: undefined,
    failedOutPath: '/bad.csv',
    remaining: new Map([[1, { postponed: [], failed: [3], attempts: 1 }]]),
  });
});

describe('the lock', () => {
  const unexpected = () => {
    throw new Error('unexpected');
  };
  const options = { onWait: unexpected, onLost: unexpected };

  test('has one holder at a time, and leaves nothing after the release', async () => {
    const path = join(folder, 'a.lock');
    const release = await acquireLock(path, options);
    let waits = 0;
    const second = acquireLock(path, { ...options, onWait: () => waits++ });
    await expect.poll(() => waits, { message: 'the second one waits' }).toBe(1);
    await release();
    await (await second)();
    expect(await readdir(folder)).toEqual([]);
  });

  test('the lock of a running import is respected', { timeout: 30_000 }, async () => {
    const path = join(folder, 'a.lock');
    const release = await acquireLock(path, options);
    await expect(acquireLock(path, { ...options, onWait: () => {} })).rejects.toMatchObject({
      code: 'IMPORT_RUNNING',
      message: 'another process is importing this file',
    });
    await release();
  });

  test('the lock of a process that ended is free after its last heartbeat', async () => {
    const path = join(folder, 'a.lock');
    await mkdir(path);
    const longAgo = new Date(Date.now() - 6_000);
    await utimes(path, longAgo, longAgo);
    await (await acquireLock(path, options))();
    expect(await readdir(folder)).toEqual([]);
  });

  test('its loss is reported', { timeout: 30_000 }, async () => {
    const path = join(folder, 'a.lock');
    const lost = await new Promise<Error>((resolve) => {
      void acquireLock(path, { ...options, onLost: resolve }).then(() =>
        rm(path, { recursive: true }),
      );
    });
    expect(lost).toMatchObject({ code: 'IMPORT_RUNNING' });
  });
});

describe('an output file', () => {
  test('is truncated to the recorded length and continued', async () => {
    const path = join(folder, 'out.csv');
    const first = ResultFile.open(path, 0);
    first.write('head\n');
    first.write('réw\n');
    expect(first.length).toBe(0);
    first.flush();
    expect(first.length).toBe(10);
    first.write('lost');
    first.flush();
    first.close();
    const second = ResultFile.open(path, 10);
    second.write('more\n');
    second.flush();
    second.close();
    expect(await readFile(path, 'utf8')).toBe('head\nréw\nmore\n');
  });

  test('a path that cannot be written is a usage error', () => {
    expect(() => ResultFile.open(join(folder, 'no', 'out.csv'), 0)).toThrow('cannot be written');
  });
});
