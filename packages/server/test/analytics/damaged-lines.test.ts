import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { recoverOrphans } from '../../src/analytics/ingest/visit-ingester.js';
import { openDamagedLines } from '../../src/analytics/journal/damaged-lines.js';
import { journalRootOf, segmentPath } from '../../src/analytics/journal/journal-folder.js';
import { toLine, withChecksum } from '../../src/analytics/journal/journal-lines.js';
import type { Database } from '../../src/storage/database.js';
import { startServer } from '../api/start-server.js';
import { databaseForTest } from '../engine.js';
import { scratchFolder } from '../scratch-folder.js';
import { clicksOf, visitRepositoryOn } from './stored-visits.js';
import { makeVisit, openVisitStore, start } from './visit-store.js';

async function open() {
  const stored = await openVisitStore();
  onTestFinished(() => stored.close());
  const root = scratchFolder();
  const createLink = async () => (await stored.createLinks(1)).urlIds[0] ?? 0;
  const file = openDamagedLines(root);
  const clock = () => start;
  return {
    root,
    database: stored.database,
    createLink,
    count: file.count,
    damaged: () =>
      readFileSync(file.path, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    discard: () => rmSync(file.path),
    /** Writes the journal of a process that has ended. */
    write(writerId: string, content: string | Buffer): void {
      mkdirSync(join(root, writerId), { recursive: true });
      writeFileSync(segmentPath(join(root, writerId), 1), content);
    },
    recover: (database = stored.database) =>
      recoverOrphans(visitRepositoryOn(database), root, clock, file.setAside),
    clicksOf: (urlId: number) => clicksOf(stored.database, urlId),
  };
}

const linesOf = (urlId: number, count: number) =>
  Array.from({ length: count }, (_, at) => toLine(makeVisit({ urlId, visitedAt: start + at })));

/** A database whose next write transaction fails at its end. */
function failingOnce(database: Database): Database {
  let hasFailed = false;
  return {
    ...database,
    writeDirectly(work, lock) {
      if (hasFailed) return database.writeDirectly(work, lock);
      hasFailed = true;
      return database.writeDirectly(async (transaction) => {
        await work(transaction);
        throw new Error('the process was killed');
      }, lock);
    },
  };
}

it('a damaged line is set aside, and all other lines of all journals are stored once', async () => {
  const journals = await open();
  const urlId = await journals.createLink();
  const [first = '', second = '', third = ''] = linesOf(urlId, 3);
  const damaged = second.replace('Firefox', 'Fj\u00ffrefox');
  journals.write('0-damaged', Buffer.from(first + damaged + third, 'latin1'));
  journals.write('1-intact', first);
  expect(await journals.recover()).toBe(3);
  expect(await journals.clicksOf(urlId)).toBe(3);
  expect(readdirSync(journals.root)).toEqual(['damaged-lines.ndjson']);
  expect(journals.count()).toBe(1);
  // Byte for byte.
  expect(journals.damaged()).toMatchObject([
    { journal: '0-damaged', segment: 1, reason: 'damaged', bytes: damaged.trimEnd() },
  ]);
});

it('damage costs the lines that it touches: one, or two if it changes a line feed', async () => {
  const journals = await open();
  const urlId = await journals.createLink();
  const lines = linesOf(urlId, 4);
  let expected = 0;
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.integer({ min: 1, max: 255 }), async (seed, change) => {
      const content = Buffer.from(lines.join(''));
      const at = seed % content.length;
      const isFeed = content[at] === 0x0a;
      content[at] = (content[at] as number) ^ change;
      journals.write('writer', content);
      const stored = await journals.recover();
      // The last line feed ends no other line.
      expect(stored).toBe(lines.length - (isFeed && at < content.length - 1 ? 2 : 1));
      expected += stored;
      expect(await journals.clicksOf(urlId)).toBe(expected);
      expect(journals.count()).toBeGreaterThan(0);
      journals.discard();
      expect(journals.count()).toBe(0);
    }),
    { numRuns: 60 },
  );
});

it('lines are set aside once when the transaction fails after that', async () => {
  const journals = await open();
  const urlId = await journals.createLink();
  journals.write('writer', `${linesOf(urlId, 1)[0]}damage\ndamage\n`);
  await expect(journals.recover(failingOnce(journals.database))).rejects.toThrow();
  expect([await journals.clicksOf(urlId), journals.count()]).toEqual([0, 2]);
  expect(await journals.recover()).toBe(1);
  expect([await journals.clicksOf(urlId), journals.count()]).toEqual([1, 2]);
});

it('a line that its process did not finish is torn, not damaged', async () => {
  const journals = await open();
  const urlId = await journals.createLink();
  const [first = '', second = ''] = linesOf(urlId, 2);
  journals.write('writer', first + second.slice(0, -2));
  expect(await journals.recover()).toBe(1);
  expect(journals.damaged()).toMatchObject([{ reason: 'torn' }]);
});

it('a line of a link that does not exist is not counted', async () => {
  const journals = await open();
  const urlId = await journals.createLink();
  const missing = urlId + 1_000_000;
  const [known = ''] = linesOf(urlId, 1);
  journals.write('writer', [known, ...linesOf(missing, 2), known].join(''));
  expect(await journals.recover()).toBe(2);
  expect([await journals.clicksOf(urlId), await journals.clicksOf(missing)]).toEqual([2, 0]);
  expect(journals.damaged()).toMatchObject(Array(2).fill({ reason: 'unknown link' }));
});

it('lines of another version are set aside', async () => {
  const journals = await open();
  const urlId = await journals.createLink();
  const others = [
    '{"fieldsOfALaterRelease":1}',
    JSON.stringify([1, 1, true, null, 'human', ...Array(16).fill(0)]),
    'null',
    '9',
  ];
  journals.write('writer', [...others.map(withChecksum), linesOf(urlId, 1)[0]].join(''));
  expect(await journals.recover()).toBe(1);
  expect(journals.damaged()).toMatchObject(Array(4).fill({ reason: 'unknown format' }));
});

it('health and metrics have the number of damaged lines', async () => {
  const { databaseUrl, journalFolder } = await databaseForTest();
  const folder = join(journalRootOf({ databaseUrl, journalFolder }) as string, 'killed');
  mkdirSync(folder, { recursive: true });
  writeFileSync(segmentPath(folder, 1), 'damage\ndamage\n');
  const { server, stop } = await startServer({ databaseUrl, journalFolder });
  onTestFinished(stop);
  const read = async (path: string) => (await fetch(server.url + path)).text();
  await expect.poll(() => read('/metrics')).toMatch(/^shorty_journal_damaged_lines 2$/m);
  expect(JSON.parse(await read('/health/ready'))).toMatchObject({ damagedLines: 2 });
});
