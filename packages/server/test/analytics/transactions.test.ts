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
import { bulkInsert } from '../../src/storage/statements.js';
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

it('the scans of all QR codes of a link are counted by a few statements', async () => {
  const stored = await openStore();
  const qrCount = 300;
  const organizationId = await stored.addOrganization('enterprise');
  await stored.subscribe(organizationId, ['qr.scan_threshold']);
  const [outcome] = await stored.create(organizationId, [{ customSlug: 'with-slug' }]);
  const urlId = outcome?.status === 'created' ? outcome.id : 0;
  await stored.database.writeDirectly(async (transaction) => {
    const qrs = Array.from({ length: qrCount }, (_, at) => ({
      id: `qr-${at}`,
      organization_id: organizationId,
      url_id: urlId,
      qr_data: 'https://sho.example/code',
      format: 'png',
      size: 512,
      error_correction: 'M',
      foreground_color: '#000000',
      background_color: '#FFFFFF',
      logo_url: null,
      style_preset: 'default',
      version: 1,
      created_at: start,
      updated_at: start,
      // One code is deleted between the two scans, and one before both.
      deleted_at: at === 0 ? start + 1 : at === 1 ? start : null,
    }));
    await bulkInsert(transaction, 'qr_codes', qrs);
    const counts = qrs.map(({ id }) => ({ qr_id: id, scans: 0, downloads: 0 }));
    await bulkInsert(transaction, 'qr_counts', counts);
  });
  let recordings = 0;
  let ids = 0;
  const newId = () => {
    ids += 1;
    return `event-${ids}`;
  };
  class CountingOutbox extends EventOutbox {
    override record(...parameters: Parameters<EventOutbox['record']>): void {
      recordings += 1;
      super.record(...parameters);
    }
  }
  const visits = new VisitRepository(stored.database, {
    outbox: new CountingOutbox(stored.database, { newId }),
    thresholds: [1],
  });
  const scans = [0, 1].map((after) =>
    makeVisit({ urlId, visitedAt: start + after, isByCode: true }),
  );
  const [from, to] = [0, 1].map((offset) => ({ segment: 1, offset }));
  if (!from || !to) throw new Error('two positions');
  await visits.store('writer', from, to, { visits: scans }, start);
  const counts = await stored.database.read
    .selectFrom('qr_counts')
    .select('scans')
    .orderBy('scans')
    .execute();
  expect(counts.map((row) => row.scans)).toEqual([0, 1, ...new Array(qrCount - 2).fill(2)]);
  const events = await stored.database.read
    .selectFrom('events')
    .select('body')
    .where('type', '=', 'qr.scan_threshold')
    .execute();
  const data = events.map(({ body }) => JSON.parse(body).data);
  expect(data[0]).toEqual({
    id: expect.stringMatching(/^qr-/),
    shortCode: expect.any(String),
    threshold: 1,
    count: expect.any(Number),
  });
  const reached = data.map(({ id }) => id);
  expect(new Set(reached).size).toBe(qrCount - 1);
  expect(reached).toHaveLength(qrCount - 1);
  // One for all clicks, and one for all scans.
  expect(recordings).toBe(2);
});
