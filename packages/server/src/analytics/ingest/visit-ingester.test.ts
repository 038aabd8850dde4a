import { appendFileSync, readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { scratchFolder } from '../../../test/scratch-folder.js';
import { createJournalFolder, segmentPath } from '../journal/journal-folder.js';
import { toLine } from '../journal/journal-lines.js';
import { ingestJournal, recoverOrphans } from './visit-ingester.js';
import type { VisitRepository } from './visit-repository.js';

const line = toLine({ download: 'qr' });
const maxTransactions = 50;
const setAside = () => expect.unreachable('every line can be stored');
const journalIn = (path: string) => ({ path, writerId: 'writer', hasEnded: false, setAside });

it('stores the lines that exist when the call begins, and later ones in the next call', async () => {
  const folder = scratchFolder();
  let transactions = 0;
  // During each transaction, another line is appended, as under constant traffic.
  const visits: Pick<VisitRepository, 'findPosition' | 'store'> = {
    findPosition: async () => ({ segment: 1, offset: transactions === 0 ? 0 : 3 * line.length }),
    store: async () => {
      transactions += 1;
      if (transactions > maxTransactions) throw new Error('the call does not end');
      appendFileSync(segmentPath(folder, 1), line);
      return true;
    },
  };
  const ingest = () => ingestJournal(visits as VisitRepository, journalIn(folder), Date.now);
  expect(await ingest()).toBe(0);
  appendFileSync(segmentPath(folder, 1), line.repeat(3));
  expect(await ingest()).toBe(3);
  expect(await ingest()).toBe(1);
});

it('stores a long journal in several transactions, between which others can write', async () => {
  const folder = scratchFolder();
  const bytes = 512 * 1024;
  const count = Math.ceil((3 * bytes) / line.length);
  appendFileSync(segmentPath(folder, 1), line.repeat(count));
  const stored: number[] = [];
  const visits = visitsThat(async () => true);
  await ingestJournal(visits, journalIn(folder), Date.now, (lines) => stored.push(lines));
  expect(Math.max(...stored)).toBeLessThanOrEqual(bytes / line.length);
  expect(stored.reduce((sum, lines) => sum + lines)).toBe(count);
});

/** Creates journals of ended processes, each with one line. */
function createOrphans(...writerIds: string[]): string {
  const root = scratchFolder();
  for (const writerId of writerIds) {
    const folder = createJournalFolder(root, writerId);
    appendFileSync(segmentPath(folder.path, 1), line);
    folder.release();
  }
  return root;
}

function visitsThat(store: (writerId: string) => Promise<boolean>): VisitRepository {
  const visits: Pick<VisitRepository, 'findPosition' | 'store' | 'deletePosition'> = {
    findPosition: async () => undefined,
    store,
    deletePosition: async () => {},
  };
  return visits as VisitRepository;
}

it('stores the journals of other ended processes when one cannot be stored', async () => {
  const root = createOrphans('a', 'b', 'c');
  const visits = visitsThat(async (writerId) => {
    if (writerId === 'b') throw new Error('a defect');
    return true;
  });
  await expect(recoverOrphans(visits, root, Date.now, setAside)).rejects.toThrow(
    'stored: a defect',
  );
  expect(readdirSync(root)).toEqual(['b']);
  // The folder is not locked any more.
  expect(
    await recoverOrphans(
      visitsThat(async () => true),
      root,
      Date.now,
      setAside,
    ),
  ).toBe(1);
  expect(readdirSync(root)).toEqual([]);
});
