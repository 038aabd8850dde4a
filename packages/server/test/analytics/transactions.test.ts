import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { VisitCompactor } from '../../src/analytics/ingest/visit-compactor.js';
import { ingestJournal } from '../../src/analytics/ingest/visit-ingester.js';
import { pruneVisits } from '../../src/analytics/ingest/visit-pruner.js';
import { VisitRepository } from '../../src/analytics/ingest/visit-repository.js';
import { segmentPath } from '../../src/analytics/journal/journal-folder.js';
import { toLine } from '../../src/analytics/journal/journal-lines.js';
import { EventOutbox } from '../../src/events/event-outbox.js';
import type { Database, WriteTransaction } from '../../src/storage/database.js';
import { day, makeVisit, month, openVisitStore, start } from './visit-store.js';

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

/** Returns a distinct referrer of 250 characters for each number. */
const longReferrer = (number: number) => `${number}.`.padEnd(250, 'x');

const rowsOf = async (database: Database, table: 'visit_batches' | 'visit_chunks') =>
  (await database.read.selectFrom(table).select('visit_count').execute()).length;

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
  const { database, results } = measured(stored.database, async (transaction) => {
    const { count } = await transaction
      .selectFrom('events')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    return Number(count);
  });
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
  const quarantine = () => expect.unreachable('every line can be stored');
  const journal = { path: folder, writerId: 'writer', hasEnded: false, quarantine };
  const ingest = () => ingestJournal(visits, journal, () => start);
  expect(await ingest()).toBe(urlCount);
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
    await stored.database.bulkInsert(transaction, 'qr_codes', qrs);
    const counts = qrs.map(({ id }) => ({ qr_id: id, scans: 0, downloads: 0 }));
    await stored.database.bulkInsert(transaction, 'qr_counts', counts);
  });
  let recordings = 0;
  let ids = 0;
  const newId = () => {
    ids += 1;
    return `event-${ids}`;
  };
  class CountingOutbox extends EventOutbox {
    override record(...parameters: Parameters<EventOutbox['record']>): Promise<boolean> {
      recordings += 1;
      return super.record(...parameters);
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
  const events = await stored.database.read.selectFrom('events').select('body').execute();
  const reached = events.map(({ body }) => JSON.parse(body).data.id);
  expect(new Set(reached).size).toBe(qrCount - 1);
  expect(reached).toHaveLength(qrCount - 1);
  // One for all clicks, and one for all scans.
  expect(recordings).toBe(2);
});

it('a compaction of many large chunks is divided into transactions of about 1 MB', async () => {
  const stored = await openStore();
  const urlCount = 20;
  for (let part = 0; part < 4; part += 1) {
    const visits = Array.from({ length: 5_000 }, (_, at) =>
      makeVisit({
        urlId: (at % urlCount) + 1,
        facts: { referrerDomain: longReferrer(part * 5_000 + at) },
      }),
    );
    await stored.store(visits);
  }
  let bytes = 0;
  const { database, results } = measured(stored.database, async () => {
    const written = bytes;
    bytes = 0;
    return written;
  });
  const compactor = new VisitCompactor({
    database: {
      ...database,
      bulkInsert: (transaction, table, rows) => {
        for (const row of rows) bytes += 'visits' in row ? (row.visits as Uint8Array).length : 0;
        return stored.database.bulkInsert(transaction, table, rows);
      },
    },
    clock: () => start + day,
  });
  await compactor.compact();
  expect(await rowsOf(stored.database, 'visit_batches')).toBe(0);
  expect(results.reduce((total, written) => total + written)).toBeGreaterThan(5_000_000);
  expect(Math.max(...results)).toBeLessThan(1_200_000);
  const { totals } = await stored.reader.readClicks(1, month);
  expect(totals.totalClicks).toBe(1_000);
});

it('a compaction ends before it has more than about 4 MB of one URL', async () => {
  const stored = await openStore();
  const visitCount = 24_000;
  for (let from = 0; from < visitCount; from += 2_000) {
    const visits = Array.from({ length: 2_000 }, (_, at) =>
      makeVisit({ facts: { referrerDomain: longReferrer(from + at) } }),
    );
    await stored.store(visits);
  }
  await stored.compact();
  const remaining = await rowsOf(stored.database, 'visit_batches');
  expect(remaining).toBeGreaterThan(0);
  expect(remaining).toBeLessThan(12);
  await stored.compact();
  expect(await rowsOf(stored.database, 'visit_batches')).toBe(0);
  const { totals } = await stored.reader.readClicks(1, month);
  expect(totals.totalClicks).toBe(visitCount);
});

it('each URL is pruned in a transaction of its own, and a URL that fails does not block the others', async () => {
  const stored = await openStore();
  const urlIds = [1, 2, 3];
  await stored.store(urlIds.map((urlId) => makeVisit({ urlId })));
  await stored.compact();
  await stored.database.writeDirectly(async (transaction) => {
    await transaction
      .updateTable('visit_chunks')
      .set({ visits: new Uint8Array(64) })
      .where('url_id', '=', 2)
      .execute();
  });
  const { database, results } = measured(stored.database, async () => 1);
  const prune = () => pruneVisits({ database, clock: () => start + 9 * day, retentionDays: 1 });
  const error: AggregateError = await prune().then(
    () => expect.fail('the URL 2 cannot be pruned'),
    (thrown) => thrown,
  );
  expect(error.errors).toEqual([new Error('URL 2: old visits were not pruned')]);
  expect(results).toHaveLength(2);
  const chunks = await stored.database.read.selectFrom('visit_chunks').select('url_id').execute();
  expect(chunks).toEqual([{ url_id: 2 }]);
});

it('a pruned day stores the 10,000 most frequent referrers and 1,000 campaigns, and all clicks', async () => {
  const stored = await openStore();
  for (let from = 0; from < 12_000; from += 4_000) {
    const visits = Array.from({ length: 4_000 }, (_, at) =>
      makeVisit({
        facts: {
          referrerDomain: `${from + at}.example`,
          campaign: { utmCampaign: `campaign ${from + at}` },
        },
      }),
    );
    await stored.store([...visits, makeVisit({ facts: { referrerDomain: 'often.example' } })]);
  }
  await stored.compact();
  expect(await stored.prune(1, start + 9 * day)).toBe(1);
  const { summary } = await stored.database.read
    .selectFrom('click_days')
    .select('summary')
    .executeTakeFirstOrThrow();
  const [day1] = JSON.parse(summary);
  expect(day1.breakdowns.referrer).toHaveLength(10_000);
  expect(day1.breakdowns.utmCampaign).toHaveLength(1_000);
  const { totals, breakdowns } = await stored.reader.readClicks(1, month);
  expect(totals.totalClicks).toBe(12_003);
  expect(breakdowns.referrer.slice(0, 2)).toEqual([
    { referrerType: 'other', referrerDomain: '(unknown)', clicks: 2_001 },
    { referrerType: 'direct', referrerDomain: 'often.example', clicks: 3 },
  ]);
  expect(breakdowns.utmCampaign.slice(0, 2)).toEqual([
    { utmCampaign: '(unknown)', clicks: 11_001 },
    { utmCampaign: '(none)', clicks: 3 },
  ]);
});

it('days with many visits are pruned in several transactions', async () => {
  const stored = await openStore();
  for (let index = 0; index < 4; index += 1) {
    const visits = Array.from({ length: 30_000 }, () =>
      makeVisit({ visitedAt: start + index * day }),
    );
    await stored.store(visits);
    await stored.compact();
  }
  const { database, results } = measured(stored.database, async () => 1);
  const prune = () => pruneVisits({ database, clock: () => start + 9 * day, retentionDays: 1 });
  const before = await stored.reader.readClicks(1, month);
  expect(await prune()).toBe(1);
  expect(results).toHaveLength(2);
  const after = await stored.reader.readClicks(1, month);
  expect(after.timeseries).toEqual(before.timeseries);
  expect(after.totals.totalClicks).toBe(120_000);
});
