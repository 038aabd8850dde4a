import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Journal, type JournalOptions } from './journal.js';
import { segmentPath, segmentsIn } from './journal-folder.js';
import { type JournalPosition, readJournal, removeReadSegments } from './journal-reader.js';

function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), 'shorty-journal-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function open(options: Partial<JournalOptions> = {}) {
  const folder = options.folder ?? scratch();
  const faults: unknown[] = [];
  const journal = new Journal({
    folder,
    durability: 'process',
    onFault: (error) => faults.push(error),
    onCallbackError: (error) => {
      throw error;
    },
    ...options,
  });
  return { journal, folder, faults };
}

const kept = (journal: Journal, line: string) =>
  new Promise<void>((resolve) => journal.append(line, resolve));

function readAll(folder: string, from: JournalPosition = { segment: 1, offset: 0 }) {
  const lines: string[] = [];
  let position = from;
  for (let chunk = readJournal(folder, position); chunk; chunk = readJournal(folder, position)) {
    lines.push(...chunk.lines);
    position = chunk.position;
  }
  return { lines, position };
}

describe('Journal', () => {
  it.each(['process', 'power'] as const)(
    'has written a line when it tells so (durability %s)',
    async (durability) => {
      const { journal, folder } = open({ durability });
      await kept(journal, 'one\n');
      expect(readFileSync(segmentPath(folder, 1), 'utf8')).toBe('one\n');
      journal.close();
    },
  );

  it('writes what comes within a turn together and in order', async () => {
    const { journal, folder } = open();
    await Promise.all(['a\n', 'b\n', 'c\n'].map((line) => kept(journal, line)));
    expect(readAll(folder).lines).toEqual(['a', 'b', 'c']);
    journal.close();
  });

  it.each(['process', 'power'] as const)(
    'calls the callbacks of a turn though one of them throws (durability %s)',
    async (durability) => {
      const thrown: unknown[] = [];
      const { journal, folder } = open({
        durability,
        onCallbackError: (error) => thrown.push(error),
      });
      const fault = new Error('the first one');
      journal.append('a\n', () => {
        throw fault;
      });
      await Promise.all(['b\n', 'c\n'].map((line) => kept(journal, line)));
      expect(readAll(folder).lines).toEqual(['a', 'b', 'c']);
      expect(thrown).toEqual([fault]);
      journal.close();
    },
  );

  it('begins another segment when one is full, and nothing is lost between them', async () => {
    const { journal, folder } = open({ segmentBytes: 20 });
    const lines = Array.from({ length: 50 }, (_, at) => `line ${at}`);
    for (const line of lines) await kept(journal, `${line}\n`);
    journal.close();
    expect(segmentsIn(folder).length).toBeGreaterThan(10);
    expect(readAll(folder).lines).toEqual(lines);
  });

  it('writes a line at once, with what waits before it, where an answer must not wait', async () => {
    const { journal, folder } = open();
    let isTold = false;
    const waiting = kept(journal, 'visit\n').then(() => {
      isTold = true;
    });
    let isKept = false;
    journal.appendNow('call\n', () => {
      isKept = true;
    });
    expect([isKept, readAll(folder).lines]).toEqual([true, ['visit', 'call']]);
    // Those of the turn are told at its end all the same, together.
    await Promise.resolve();
    expect(isTold).toBe(false);
    await waiting;
    expect(readAll(folder).lines).toEqual(['visit', 'call']);
    expect([journal.appendedCount, journal.unwrittenCount]).toEqual([2, 0]);
    journal.close();
  });

  it('tells that a line is kept only when it has been synced, where it has to be', async () => {
    const { journal, folder } = open({ durability: 'power' });
    let isKept = false;
    const told = new Promise<void>((resolve) => {
      journal.appendNow('call\n', () => {
        isKept = true;
        resolve();
      });
    });
    expect(isKept).toBe(false);
    await told;
    expect(readAll(folder).lines).toEqual(['call']);
    journal.close();
  });

  it('writes what still waits when it is closed', () => {
    const { journal, folder } = open();
    let isKept = false;
    journal.append('late\n', () => {
      isKept = true;
    });
    journal.close();
    expect(isKept).toBe(true);
    expect(readAll(folder).lines).toEqual(['late']);
  });
});

describe('readJournal', () => {
  it('passes over half a line until it is whole', () => {
    const folder = scratch();
    writeFileSync(segmentPath(folder, 1), 'whole\nhal');
    const first = readJournal(folder, { segment: 1, offset: 0 });
    expect(first).toEqual({ lines: ['whole'], position: { segment: 1, offset: 6 } });
    expect(readJournal(folder, { segment: 1, offset: 6 })).toBeUndefined();
    writeFileSync(segmentPath(folder, 1), 'whole\nhalf\n');
    expect(readJournal(folder, { segment: 1, offset: 6 })?.lines).toEqual(['half']);
  });

  it('goes on behind a line that a kill cut off, when there is another segment', () => {
    const folder = scratch();
    writeFileSync(segmentPath(folder, 1), 'whole\nhal');
    writeFileSync(segmentPath(folder, 3), 'next\n');
    expect(readAll(folder)).toEqual({
      lines: ['whole', 'next'],
      position: { segment: 3, offset: 5 },
    });
  });

  it('answers every line once, whatever the lines and wherever reading stopped before', () => {
    const line = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\n', ' '));
    fc.assert(
      fc.property(
        fc.array(fc.array(line, { maxLength: 5 }), { minLength: 1, maxLength: 6 }),
        (segments) => {
          const folder = mkdtempSync(join(tmpdir(), 'shorty-journal-'));
          try {
            const read: string[] = [];
            let position = { segment: 1, offset: 0 };
            for (const [at, lines] of segments.entries()) {
              writeFileSync(segmentPath(folder, at + 1), lines.map((text) => `${text}\n`).join(''));
              const next = readAll(folder, position);
              read.push(...next.lines);
              position = next.position;
              removeReadSegments(folder, position);
            }
            expect(read).toEqual(segments.flat());
          } finally {
            rmSync(folder, { recursive: true, force: true });
          }
        },
      ),
      { numRuns: 50 },
    );
  });
});
