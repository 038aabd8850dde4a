import { fsync, readFileSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { makeVisit } from '../../../test/analytics/visit-store.js';
import { scratchFolder } from '../../../test/scratch-folder.js';
import { Journal, type JournalOptions } from './journal.js';
import { segmentPath, segmentsIn } from './journal-folder.js';
import {
  checkedText,
  type JournalPosition,
  parseTexts,
  readJournal,
  toLine,
  withChecksum,
} from './journal-lines.js';

function open(options: Partial<JournalOptions> = {}) {
  const folder = options.folder ?? scratchFolder();
  const errors: unknown[] = [];
  const journal = new Journal({
    folder,
    durability: 'process',
    onError: (error) => errors.push(error),
    onCallbackError: (error) => {
      throw error;
    },
    ...options,
  });
  return { journal, folder, errors };
}

/** Resolves with false when the line had to be synced and is not. */
const append = (journal: Journal, text: string) =>
  new Promise<boolean>((resolve) => journal.append(withChecksum(text), resolve));

const untilHealthy = (journal: Journal) =>
  expect
    .poll(() => journal.isHealthy, { message: 'the journal recovered', timeout: 5_000 })
    .toBe(true);

function readAll(folder: string, from: JournalPosition = { segment: 1, offset: 0 }) {
  const lines: string[] = [];
  let position = from;
  for (;;) {
    const chunk = readJournal(folder, position, false);
    if (!chunk) return { lines, position };
    lines.push(...chunk.texts);
    position = chunk.position;
  }
}

describe('Journal', () => {
  it.each(['process', 'power'] as const)(
    'has written a line before it calls back (durability %s)',
    async (durability) => {
      const { journal, folder } = open({ durability });
      await append(journal, 'one');
      expect(readFileSync(segmentPath(folder, 1), 'utf8')).toBe(withChecksum('one'));
      journal.close();
    },
  );

  it('appendNow writes the line and the waiting lines at once', async () => {
    const { journal, folder } = open();
    const called: string[] = [];
    const waiting = append(journal, 'visit').then(() => called.push('visit'));
    journal.appendNow(withChecksum('call'), () => called.push('call'));
    expect([called, readAll(folder).lines]).toEqual([['call'], ['visit', 'call']]);
    // The callbacks of append are still called at the end of the turn.
    await waiting;
    expect(called).toEqual(['call', 'visit']);
    expect([journal.appendedCount, journal.unwrittenCount]).toEqual([2, 0]);
    journal.close();
  });

  it('appendNow calls back after the sync with durability power', async () => {
    const { journal, folder } = open({ durability: 'power' });
    let isWritten = false;
    const called = new Promise<void>((resolve) => {
      journal.appendNow(withChecksum('call'), () => {
        isWritten = true;
        resolve();
      });
    });
    expect(isWritten).toBe(false);
    await called;
    expect(readAll(folder).lines).toEqual(['call']);
    journal.close();
  });
});

describe('Journal on a full disk', () => {
  /** A disk that is full at first. `attempts` has the sizes that the journal tried to write. */
  function openOnFullDisk(options: Partial<JournalOptions> = {}) {
    const disk = { isFull: true, attempts: [] as number[] };
    const opened = open({
      ...options,
      segmentBytes: 1024,
      writeFile(file, bytes, position) {
        disk.attempts.push(bytes.length);
        if (disk.isFull) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
        return writeSync(file, bytes, 0, undefined, position);
      },
    });
    return { ...opened, disk };
  }
  const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);

  it('calls back, and retries the lines that wait only by timer', async () => {
    const { journal, folder, errors, disk } = openOnFullDisk();
    const lines = Array.from({ length: 2_000 }, (_, at) => `a line of some length ${at}`);
    for (const line of lines) await append(journal, line);
    const bytes = sum(lines.map((line) => withChecksum(line).length));
    expect(sum(disk.attempts)).toBeLessThan(bytes);
    expect(errors).toHaveLength(1);
    expect([journal.isHealthy, journal.unwrittenCount]).toEqual([false, lines.length]);
    disk.isFull = false;
    await untilHealthy(journal);
    expect(journal.unwrittenCount).toBe(0);
    await append(journal, 'after');
    expect(readAll(folder).lines).toEqual([...lines, 'after']);
    journal.close();
  });

  it('holds at most 64 MB, counts the lines that are lost beyond, and logs their number', async () => {
    const { journal, folder, errors, disk } = openOnFullDisk();
    await append(journal, 'first');
    const long = 'x'.repeat(32 * 1024 - (withChecksum('x').length - 1));
    const answers = await Promise.all(Array.from({ length: 2_100 }, () => append(journal, long)));
    // Redirects go on.
    expect(new Set(answers)).toEqual(new Set([true]));
    expect([journal.unwrittenCount, journal.lostCount]).toEqual([2048, 53]);
    expect(errors).toMatchObject([
      { code: 'ENOSPC' },
      { message: expect.stringContaining('64 MB') },
    ]);
    disk.isFull = false;
    await untilHealthy(journal);
    await append(journal, 'after');
    expect(errors[2]).toMatchObject({ message: expect.stringContaining('53 lines were lost') });
    const lengths = readAll(folder).lines.map(({ length }) => length);
    expect(lengths).toEqual([5, ...Array(2047).fill(long.length), 5]);
    expect(journal.lostCount).toBe(53);
    journal.close();
  });

  it('with durability power, says that a line which only waits in memory is not safe', async () => {
    const { journal, disk } = openOnFullDisk({ durability: 'power' });
    expect(await append(journal, 'in memory')).toBe(false);
    disk.isFull = false;
    await expect
      .poll(() => append(journal, 'on the disk'), { message: 'a safe line', timeout: 5_000 })
      .toBe(true);
    journal.close();
  });

  it('throws when it is closed before the lines are written', async () => {
    const { journal } = openOnFullDisk();
    await append(journal, 'lost');
    expect(() => journal.close()).toThrow('lost 1 line');
  });
});

describe('Journal with durability power', () => {
  /** A disk whose syncs can fail, or wait for `finish`. */
  function openWithSyncs(options: Partial<JournalOptions> = {}) {
    const disk = { fails: false, waits: false };
    const held: (() => void)[] = [];
    const failure = () => Object.assign(new Error('input/output error'), { code: 'EIO' });
    const opened = open({
      ...options,
      durability: 'power',
      sync(file, callback) {
        const { fails } = disk;
        const end = () => (fails ? callback(failure()) : fsync(file, callback));
        if (disk.waits) held.push(end);
        else end();
      },
    });
    return { ...opened, disk, held, failure };
  }

  it('says that a line is not safe when its sync fails, and recovers without a visit', async () => {
    const { journal, errors, disk } = openWithSyncs();
    disk.fails = true;
    expect(await append(journal, 'a')).toBe(false);
    expect(await append(journal, 'b')).toBe(false);
    expect([journal.isHealthy, errors.length]).toEqual([false, 1]);
    disk.fails = false;
    await untilHealthy(journal);
    expect(await append(journal, 'c')).toBe(true);
    journal.close();
  });

  it('trusts no sync that ran while another one failed', async () => {
    const { journal, disk, held } = openWithSyncs();
    disk.waits = true;
    disk.fails = true;
    const first = append(journal, 'a');
    await expect.poll(() => held.length).toBe(1);
    disk.fails = false;
    const second = append(journal, 'b');
    await expect.poll(() => held.length).toBe(2);
    disk.waits = false;
    for (const end of held) end();
    expect(await Promise.all([first, second])).toEqual([false, false]);
    journal.close();
  });

  it('syncs the folder of each new segment before it has a line, or says that lines are not safe', async () => {
    const folder = scratchFolder();
    const sizes: number[] = [];
    let fails = false;
    const { journal, failure } = openWithSyncs({
      folder,
      segmentBytes: 20,
      syncFolder(path) {
        if (fails) throw failure();
        sizes.push(statSync(segmentPath(path, segmentsIn(path).at(-1) as number)).size);
      },
    });
    for (let lines = 1; lines <= 10; lines += 1) {
      expect(await append(journal, `line ${lines}`)).toBe(true);
      expect(sizes).toEqual(segmentsIn(folder).map(() => 0));
    }
    expect(sizes.length).toBeGreaterThan(2);
    fails = true;
    const answers = [await append(journal, 'a'), await append(journal, 'b')];
    expect([answers.at(-1), journal.isHealthy]).toEqual([false, false]);
    fails = false;
    await untilHealthy(journal);
    journal.close();
    expect(readAll(folder).lines.slice(-2)).toEqual(['a', 'b']);
  });
});

describe('readJournal', () => {
  const [whole, half, next] = ['whole', 'half', 'next'].map((text) => withChecksum(text)) as [
    string,
    string,
    string,
  ];
  const second = { segment: 1, offset: whole.length };

  it('reads an incomplete line after it was completed', () => {
    const folder = scratchFolder();
    writeFileSync(segmentPath(folder, 1), whole + half.slice(0, -2));
    const first = readJournal(folder, { segment: 1, offset: 0 }, false);
    expect(first).toEqual({ texts: ['whole'], damaged: [], position: second });
    expect(readJournal(folder, second, false)).toBeUndefined();
    writeFileSync(segmentPath(folder, 1), whole + half);
    expect(readJournal(folder, second, false)?.texts).toEqual(['half']);
  });

  it('returns an incomplete line as damaged when there is another segment', () => {
    const folder = scratchFolder();
    writeFileSync(segmentPath(folder, 1), whole + half.slice(0, -2));
    writeFileSync(segmentPath(folder, 3), next);
    expect(readJournal(folder, second, false)?.damaged).toMatchObject([{ reason: 'damaged' }]);
    expect(readAll(folder)).toEqual({
      lines: ['whole', 'next'],
      position: { segment: 3, offset: next.length },
    });
  });

  it('passes a block of zeros that is larger than what it reads at once', () => {
    const folder = scratchFolder();
    const zeros = `${'\0'.repeat(3_000_000)}\n`;
    writeFileSync(segmentPath(folder, 1), whole + zeros + next);
    expect(readAll(folder).lines).toEqual(['whole', 'next']);
  });
});

it('reads each fact of a visit as it was written', () => {
  const facts = {
    reason: 'subresource',
    region: 'DE-BE',
    city: 'Berlin',
    scannerApp: 'WeChat',
    evidence: 5,
    referrerDomain: 'a.example',
    campaign: { utmSource: 'a\nb' },
    language: 'de',
  } as const;
  const visit = makeVisit({ urlId: 7, isByCode: true, variant: 'rule 1', facts });
  const text = checkedText(Buffer.from(toLine(visit).trimEnd()));
  expect(parseTexts([text as string]).visits).toEqual([visit]);
});
