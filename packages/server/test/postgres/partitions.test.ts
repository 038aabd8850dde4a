import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { VisitCompactor } from '../../src/analytics/ingest/visit-compactor.js';
import { pruneVisits } from '../../src/analytics/ingest/visit-pruner.js';
import { VisitRepository } from '../../src/analytics/ingest/visit-repository.js';
import type { Visit } from '../../src/analytics/journal/journal-lines.js';
import { ReportReader } from '../../src/analytics/reports/report-reader.js';
import { EventOutbox } from '../../src/events/event-outbox.js';
import { openRepository } from '../storage/temporary-database.js';

const day = 86_400_000;
const january = Date.UTC(2030, 0, 1);
const june = Date.UTC(2030, 5, 15);
const halfYear = { since: january, until: june, groupBy: 'day', limit: 10 } as const;

it('stores visits in monthly partitions, and drops a partition once its days are summarized', async () => {
  const stored = await openRepository();
  onTestFinished(() => stored.close());
  const { database } = stored;
  const visits = new VisitRepository(database, {
    outbox: new EventOutbox(database, { newId: () => 'event' }),
    thresholds: [],
  });
  // Each link is visited once a day in a different month.
  let offset = 0;
  for (let at = january; at < june; at += day) {
    const from = { segment: 1, offset };
    offset += 1;
    const visit = visitOf(new Date(at).getUTCMonth() + 1, at);
    await visits.store('writer', from, { segment: 1, offset }, { visits: [visit] }, at);
  }
  await new VisitCompactor({ database, clock: () => june + day }).compact();
  const months = async () => {
    const { rows } = await sql<{ name: string }>`
      select inhrelid::regclass::text as name from pg_inherits
      where inhparent = 'visit_chunks'::regclass order by 1`.execute(database.read);
    return rows.map(({ name }) => name);
  };
  const reader = new ReportReader(database);
  const counts = async () =>
    Promise.all(
      [1, 2, 3, 4, 5, 6].map(
        async (urlId) => (await reader.readClicks(urlId, halfYear)).totals.totalClicks,
      ),
    );
  expect(await counts()).toEqual([31, 28, 31, 30, 31, 14]);
  const month = (number: number) => `visit_chunks_2030_0${number}`;
  expect(await months()).toEqual([1, 2, 3, 4, 5, 6].map(month));

  const prune = () => pruneVisits({ database, clock: () => june, retentionDays: 30 });
  // The visits before 16 May are summarized; the others of May are still stored.
  expect(await prune()).toBe(5);
  expect(await months()).toEqual([5, 6].map(month));
  expect(await counts()).toEqual([31, 28, 31, 30, 31, 14]);
  expect(await prune()).toBe(0);
});

it('creates a partition while another transaction reads the table, and others still read it', async () => {
  const stored = await openRepository();
  onTestFinished(() => stored.close());
  const { database } = stored;
  const visits = new VisitRepository(database, {
    outbox: new EventOutbox(database, { newId: () => 'event' }),
    thresholds: [],
  });
  const from = { segment: 1, offset: 0 };
  await visits.store(
    'writer',
    from,
    { segment: 1, offset: 1 },
    { visits: [visitOf(1, january)] },
    0,
  );
  // Such as that of pg_dump.
  await database.snapshot(async (backup) => {
    const read = sql`select count(*)::int as chunks from visit_chunks`;
    await read.execute(backup);
    await new VisitCompactor({ database, clock: () => june }).compact();
    expect((await read.execute(database.read)).rows).toEqual([{ chunks: 1 }]);
    expect((await read.execute(backup)).rows).toEqual([{ chunks: 0 }]);
  });
  const { rows: indexes } = await sql<{ indexes: number }>`
    select count(*)::int as indexes from pg_inherits
    join pg_index on indexrelid = inhrelid
    where indrelid = 'visit_chunks_2030_01'::regclass`.execute(database.read);
  const { rows: own } = await sql`
    select count(*)::int as indexes from pg_index where indrelid = 'visit_chunks'::regclass`.execute(
    database.read,
  );
  // Each index of the table has one of the partition.
  expect(indexes).toEqual(own);
});

function visitOf(urlId: number, visitedAt: number): Visit {
  return {
    urlId,
    visitedAt,
    isByCode: false,
    facts: {
      kind: 'human',
      reason: 'browser',
      country: 'DE',
      deviceType: 'mobile',
      browser: 'Firefox',
      os: 'Android',
      referrerDomain: 'news.example',
      referrerType: 'other',
      visitorKey: '00000000000000aa',
      addressKey: '00000000000000bb',
      scannerApp: null,
      evidence: 0,
      region: null,
      city: null,
      language: null,
      campaign: null,
    },
    variant: null,
  };
}
