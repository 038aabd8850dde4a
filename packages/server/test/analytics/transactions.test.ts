import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Kysely } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { ingestJournal } from '../../src/analytics/ingest/visit-ingester.js';
import { VisitRepository } from '../../src/analytics/ingest/visit-repository.js';
import { segmentPath } from '../../src/analytics/journal/journal-folder.js';
import { toLine } from '../../src/analytics/journal/journal-lines.js';
import { EventOutbox } from '../../src/events/event-outbox.js';
import type { Database, Schema, WriteTransaction } from '../../src/storage/database.js';
import { makeVisit, openVisitStore, start } from './visit-store.js';

async function openStore() {
  const stored = await openVisitStore();
  onTestFinished(() => stored.close());
  return stored;
}

/** Calls `measure` at the end of each write transaction, and collects the results. */
function measured(
  database: Database,
  measure: (transaction: WriteTransaction) => Promise<number>,
): { database: Database; results: number[] } {
  const results: number[] = [];
  return {
    results,
    database: {
      ...database,
      writeDirectly: (work, lock) =>
        database.writeDirectly(async (transaction) => {
          const result = await work(transaction);
          results.push(await measure(transaction));
          return result;
        }, lock),
    },
  };
}

it('a journal with many lines is stored in several transactions of at most 2,800 events', async () => {
  const stored = await openStore();
  const urlCount = 6_000;
  const organizationId = await stored.addOrganization('enterprise');
  await stored.subscribe(organizationId, ['url.click_threshold']);
  const outcomes = await stored.create(
    organizationId,
    Array.from({ length: urlCount }, () => ({})),
  );
  const urlIds = outcomes.map((outcome) => (outcome.status === 'created' ? outcome.id : 0));
  const countEvents = async (db: Kysely<Schema>) => {
    const { count } = await db
      .selectFrom('events')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('type', '=', 'url.click_threshold')
      .executeTakeFirstOrThrow();
    return Number(count);
  };
  // Those of the transactions before, because a transaction writes its events at its end.
  const { database, results } = measured(stored.database, countEvents);
  let ids = 0;
  const newId = () => {
    ids += 1;
    return `event-${ids}`;
  };
  const visits = new VisitRepository(database, {
    outbox: new EventOutbox(database, { newId }),
    thresholds: [1],
  });
  const folder = mkdtempSync(join(tmpdir(), 'shorty-journal-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(
    segmentPath(folder, 1),
    urlIds.map((urlId) => toLine(makeVisit({ urlId }))).join(''),
  );
  const setAside = () => expect.unreachable('every line can be stored');
  const journal = { path: folder, writerId: 'writer', hasEnded: false, setAside };
  const ingest = () => ingestJournal(visits, journal, () => start);
  expect(await ingest()).toBe(urlCount);
  results.push(await countEvents(database.read));
  const added = results.map((count, at) => count - (results[at - 1] ?? 0));
  expect(Math.max(...added)).toBeLessThanOrEqual(2_800);
  expect(results.at(-1)).toBe(urlCount);
  expect(await ingest()).toBe(0);
});
