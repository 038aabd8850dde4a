import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { segmentPath } from '../journal/journal-folder.js';
import { toDownloadLine } from '../journal/journal-lines.js';
import { ingestJournal } from './visit-ingester.js';
import type { VisitRepository } from './visit-repository.js';

const line = toDownloadLine('qr');
const maxTransactions = 50;

it('stores the lines that exist when the call begins, and later ones in the next call', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'shorty-ingester-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
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
  const ingest = () =>
    ingestJournal(visits as VisitRepository, { path: folder, writerId: 'writer' }, Date.now);
  expect(await ingest()).toBe(0);
  appendFileSync(segmentPath(folder, 1), line.repeat(3));
  expect(await ingest()).toBe(3);
  expect(await ingest()).toBe(1);
});
