import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { repairQuarantineFile } from '../../src/analytics/ingest/repair-quarantine.js';
import { recoverOrphans } from '../../src/analytics/ingest/visit-ingester.js';
import { VisitRepository } from '../../src/analytics/ingest/visit-repository.js';
import { segmentPath } from '../../src/analytics/journal/journal-folder.js';
import { toFrame } from '../../src/analytics/journal/journal-frames.js';
import { toLine } from '../../src/analytics/journal/journal-lines.js';
import { openQuarantine, readLines, writeLines } from '../../src/analytics/journal/quarantine.js';
import type { Database } from '../../src/storage/database.js';
import { makeVisit, openVisitStore, start } from './visit-store.js';

async function open() {
  const stored = await openVisitStore();
  onTestFinished(() => stored.close());
  const root = mkdtempSync(join(tmpdir(), 'shorty-journals-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const organizationId = await stored.addOrganization('enterprise');
  const createLink = async () => {
    const [outcome] = await stored.create(organizationId, [{}]);
    return outcome?.status === 'created' ? outcome.id : 0;
  };
  /** Creates links until the next one has an id that no node has reserved. */
  const createLinks = async () => {
    for (;;) {
      const id = await createLink();
      const { last_id } = await stored.database.read
        .selectFrom('url_id_counter')
        .select('last_id')
        .executeTakeFirstOrThrow();
      if (id === last_id) return id;
    }
  };
  const { save, files, count } = openQuarantine(root);
  const repositoryOn = (database: Database) =>
    new VisitRepository(database, { outbox: stored.outbox, thresholds: [] });
  const clock = () => start;
  return {
    root,
    database: stored.database,
    createLink,
    createLinks,
    files,
    count,
    /** Writes the journal of a process that has ended. */
    write(writerId: string, content: string | Buffer): void {
      mkdirSync(join(root, writerId), { recursive: true });
      writeFileSync(segmentPath(join(root, writerId), 1), content);
    },
    recover: (database = stored.database) =>
      recoverOrphans(repositoryOn(database), root, clock, save),
    async repair(database = stored.database): Promise<number> {
      let repaired = 0;
      for (const file of files()) {
        repaired += await repairQuarantineFile(repositoryOn(database), file, clock);
      }
      return repaired;
    },
    async clicksOf(urlId: number): Promise<number> {
      const row = await stored.database.read
        .selectFrom('url_clicks')
        .select('clicks')
        .where('url_id', '=', urlId)
        .executeTakeFirst();
      return row?.clicks ?? 0;
    },
  };
}

const linesOf = (urlId: number, count: number) =>
  Array.from({ length: count }, (_, at) => toLine(makeVisit({ urlId, visitedAt: start + at })));

/** A database whose next write transaction fails. */
function failingOnce(database: Database): Database {
  let hasFailed = false;
  return {
    ...database,
    writeDirectly(work, lock) {
      if (hasFailed) return database.writeDirectly(work, lock);
      hasFailed = true;
      return Promise.reject(new Error('the process was killed'));
    },
  };
}

it('a damaged line is saved, and all other lines of all journals are stored once', async () => {
  const journals = await open();
  const urlId = await journals.createLink();
  const [first = '', second = '', third = ''] = linesOf(urlId, 3);
  const damaged = second.replace('Firefox', 'Fjrefox');
  journals.write('0-damaged', first + damaged + third);
  journals.write('1-intact', first);
  expect(await journals.recover()).toBe(3);
  expect(await journals.clicksOf(urlId)).toBe(3);
  expect(readdirSync(journals.root)).toEqual(['quarantine']);
  expect(journals.count()).toBe(1);
  const [file = ''] = journals.files();
  const bytes = Buffer.from(damaged).toString('base64');
  expect(readLines(file)).toEqual([{ reason: 'damaged', bytes }]);
  expect(await journals.repair()).toBe(0);
  expect(journals.count()).toBe(1);
});

it('damage of any single byte costs at most its own line', async () => {
  const journals = await open();
  const urlId = await journals.createLink();
  const lines = linesOf(urlId, 4);
  let expected = 0;
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.integer({ min: 1, max: 255 }), async (seed, change) => {
      const content = Buffer.from(lines.join(''));
      const at = seed % content.length;
      content[at] = (content[at] as number) ^ change;
      journals.write('writer', content);
      const stored = await journals.recover();
      expect(stored).toBeGreaterThanOrEqual(lines.length - 1);
      expected += stored;
      expect(await journals.clicksOf(urlId)).toBe(expected);
      expect(journals.count()).toBe(1);
      for (const file of journals.files()) writeLines(file, []);
    }),
    { numRuns: 60 },
  );
});

it('lines are saved once when the transaction fails after they were saved', async () => {
  const journals = await open();
  const urlId = await journals.createLink();
  journals.write('writer', `${linesOf(urlId, 1)[0]}damage\n`);
  await expect(journals.recover(failingOnce(journals.database))).rejects.toThrow();
  expect([await journals.clicksOf(urlId), journals.count()]).toEqual([0, 1]);
  expect(await journals.recover()).toBe(1);
  expect([await journals.clicksOf(urlId), journals.count()]).toEqual([1, 1]);
});

it('a line that its process did not finish is torn, not damaged', async () => {
  const journals = await open();
  const urlId = await journals.createLink();
  const [first = '', second = ''] = linesOf(urlId, 2);
  journals.write('writer', first + second.slice(0, -1));
  expect(await journals.recover()).toBe(1);
  const [file = ''] = journals.files();
  expect(readLines(file)).toMatchObject([{ reason: 'torn' }]);
  // Only the line feed is missing.
  expect(await journals.repair()).toBe(1);
  expect([await journals.clicksOf(urlId), journals.count()]).toEqual([2, 0]);
});

it('a line of a link that does not exist is not counted, until the link exists', async () => {
  const journals = await open();
  const urlId = await journals.createLinks();
  const missing = urlId + 1;
  const [known = ''] = linesOf(urlId, 1);
  journals.write('writer', [known, ...linesOf(missing, 2), known].join(''));
  expect(await journals.recover()).toBe(2);
  expect([await journals.clicksOf(urlId), await journals.clicksOf(missing)]).toEqual([2, 0]);
  expect(journals.count()).toBe(2);
  expect(await journals.repair()).toBe(0);
  expect(await journals.createLink()).toBe(missing);
  expect(await journals.repair()).toBe(2);
  expect([await journals.clicksOf(missing), journals.count()]).toEqual([2, 0]);
  expect(await journals.repair()).toBe(0);
  expect(await journals.clicksOf(missing)).toBe(2);
});

it('a repair that is killed before or after its transaction stores each line once', async () => {
  const journals = await open();
  const missing = (await journals.createLinks()) + 1;
  journals.write('writer', `${linesOf(missing, 2).join('')}damage\n`);
  await journals.recover();
  await journals.createLink();
  await expect(journals.repair(failingOnce(journals.database))).rejects.toThrow('killed');
  expect([await journals.clicksOf(missing), journals.count()]).toEqual([0, 3]);

  const [file = ''] = journals.files();
  const marked = readFileSync(file);
  expect(await journals.repair()).toBe(2);
  expect([await journals.clicksOf(missing), journals.count()]).toEqual([2, 1]);
  // As if the process had ended after the transaction: the position exists and the marks, too.
  writeFileSync(file, marked);
  await journals.database.writeDirectly((transaction) =>
    transaction
      .insertInto('journal_positions')
      .values({ writer_id: 'quarantine/writer-1-0', segment: 1, offset: 1 })
      .execute(),
  );
  expect(await journals.repair()).toBe(0);
  expect([await journals.clicksOf(missing), journals.count()]).toEqual([2, 1]);
});

it('lines of another version wait for it', async () => {
  const journals = await open();
  const urlId = await journals.createLink();
  const newer = toFrame('9\tfields of a later release');
  journals.write('writer', newer + linesOf(urlId, 1)[0]);
  expect(await journals.recover()).toBe(1);
  const [file = ''] = journals.files();
  expect(readLines(file)).toMatchObject([{ reason: 'unknown format' }]);
});
