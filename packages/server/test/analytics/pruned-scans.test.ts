import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { diagnoseScans, repairScanCounters } from '../../src/analytics/reports/visit-doctor.js';
import { standardPlans } from '../../src/organizations/plans.js';
import type { QrCode } from '../../src/qr/qr-record.js';
import { createQrRepository } from '../../src/qr/qr-repository.js';
import {
  day,
  hour,
  makeVisit,
  month,
  openVisitStore,
  start,
  type VisitStore,
} from './visit-store.js';

let stored: VisitStore;
let organizationId: string;
let urlId: number;
beforeEach(async () => {
  stored = await openVisitStore();
  organizationId = await stored.addOrganization('enterprise');
  const [created] = await stored.create(organizationId, [{ customSlug: 'with-slug' }]);
  if (created?.status !== 'created') throw new Error('the URL was not created');
  urlId = created.id;
});
afterEach(() => stored.close());

async function createQr(id: string, createdAt: number): Promise<void> {
  const qr: QrCode = {
    id,
    organizationId,
    urlId,
    qrData: 'https://sho.example/code',
    format: 'png',
    size: 512,
    errorCorrection: 'M',
    foregroundColor: '#000000',
    backgroundColor: '#FFFFFF',
    background: 'solid',
    margin: 4,
    logoUrl: null,
    stylePreset: 'default',
    version: 1,
    downloadCount: 0,
    scanCount: 0,
    createdAt,
    updatedAt: createdAt,
  };
  const qrs = createQrRepository(stored.database, stored.outbox, standardPlans);
  await qrs.create({ qr, logo: null, image: new Uint8Array([1]) }, undefined);
}

/** Stores visits by short code, one an hour, each of another visitor. */
async function store(from: number, count: number, { isCompacted = true } = {}): Promise<void> {
  const batch = Array.from({ length: count }, (_, index) =>
    makeVisit({
      urlId,
      visitedAt: from + index * hour,
      isByCode: true,
      facts: { visitorKey: (index + 1).toString(16).padStart(16, '0'), evidence: 16 },
    }),
  );
  await stored.store(batch, from);
  if (isCompacted) await stored.compact();
}

const url = () => ({ urlId, hasSlug: true });
const span = (qrId: string, from: number) => ({ qrId, from, until: null });
const totalScans = async () =>
  (await stored.reader.readOverview(organizationId, month, start)).totalScans;

describe('retention', () => {
  it('leaves scans in totals, breakdowns and time series of each QR code, and in the overview', async () => {
    await createQr('qr-1', start);
    await createQr('qr-2', start + 12 * hour);
    await store(start, 72);
    const before = await stored.reader.readScans(url(), span('qr-1', start), month);
    expect(before.totals.totalScans).toBe(72);
    expect(await stored.prune(1, start + 3 * day)).toBe(1);
    const after = await stored.reader.readScans(url(), span('qr-1', start), month);
    expect(after.breakdowns).toEqual(before.breakdowns);
    expect(after.timeseries).toEqual(before.timeseries);
    expect(after.totals).toEqual({
      totalScans: 72,
      uniqueScans: 72,
      uniqueIps: 3,
      provenScans: 72,
      inferredScans: 0,
    });
    const second = await stored.reader.readScans(url(), span('qr-2', start + 12 * hour), month);
    expect(second.totals.totalScans).toBe(60);
    const overview = await stored.reader.readOverview(organizationId, month, start);
    expect([overview.totalScans, overview.uniquesAre]).toEqual([72, 'daily sum']);
    expect([before.uniquesAre, after.uniquesAre]).toEqual(['exact', 'daily sum']);
    const { wrongCounters, scans } = await diagnoseScans(stored.database);
    expect({ wrongCounters, scans }).toEqual({ wrongCounters: [], scans: 132 });
  });

  it('adds late scans to a pruned day', async () => {
    await createQr('qr-1', start);
    await store(start, 5);
    await stored.prune(1, start + 9 * day);
    await store(start, 3);
    await stored.prune(1, start + 9 * day);
    const report = await stored.reader.readScans(url(), span('qr-1', start), month);
    expect(report.totals.totalScans).toBe(8);
    expect(await totalScans()).toBe(8);
    expect((await diagnoseScans(stored.database)).wrongCounters).toEqual([]);
  });
});

describe('proven and inferred scans of pruned days', () => {
  const imageSearch = 8;
  const ownNavigation = 16;
  let codeId: number;
  beforeEach(async () => {
    const [created] = await stored.create(organizationId, [{}]);
    if (created?.status !== 'created') throw new Error('the URL was not created');
    codeId = created.id;
    urlId = created.id;
    await createQr('qr-1', start);
    const visits = [imageSearch, ownNavigation, ownNavigation].map((evidence, index) =>
      makeVisit({
        urlId: codeId,
        visitedAt: start + index * hour,
        isByCode: true,
        facts: { deviceType: 'mobile', os: 'iOS', evidence },
      }),
    );
    await stored.store(visits, start);
    await stored.compact();
  });

  const read = async () => {
    const url = { urlId: codeId, hasSlug: false };
    const { totals, breakdowns, timeseries } = await stored.reader.readScans(
      url,
      span('qr-1', start),
      month,
    );
    const { provenScans, inferredScans } = await stored.reader.readOverview(
      organizationId,
      month,
      start,
    );
    return { totals, breakdowns, timeseries, overview: { provenScans, inferredScans } };
  };

  it('are those of their visits', async () => {
    const before = await read();
    expect(before.overview).toEqual({ provenScans: 1, inferredScans: 2 });
    await stored.prune(1, start + 3 * day);
    expect(await read()).toEqual(before);
  });

  it('are inferred if the day was pruned by a version that did not store them', async () => {
    await stored.prune(1, start + 3 * day);
    await stored.database.writeDirectly(async (transaction) => {
      for (const table of ['click_days', 'scan_days'] as const) {
        const { summary } = await transaction
          .selectFrom(table)
          .select('summary')
          .executeTakeFirstOrThrow();
        const old = String(summary).replaceAll(/,"(?:proven|inferred)Scans":\d+/g, '');
        expect(old).not.toBe(summary);
        await transaction.updateTable(table).set({ summary: old }).execute();
      }
    });
    const { totals, breakdowns, overview } = await read();
    expect(totals).toMatchObject({ totalScans: 3, provenScans: 0, inferredScans: 3 });
    expect(breakdowns.device).toEqual([
      { deviceType: 'mobile', scans: 3, provenScans: 0, inferredScans: 3 },
    ]);
    expect(overview).toEqual({ provenScans: 0, inferredScans: 3 });
  });
});

describe('reports', () => {
  it('count each scan once, compacted or not', async () => {
    await createQr('qr-1', start);
    await store(start, 40);
    await store(start + 40 * hour, 30, { isCompacted: false });
    const report = await stored.reader.readScans(url(), span('qr-1', start), month);
    expect(report.totals.totalScans).toBe(70);
    expect(await totalScans()).toBe(70);
    expect((await diagnoseScans(stored.database)).wrongCounters).toEqual([]);
  });
});

describe('the doctor', () => {
  it('finds wrong scan counters, and repairs them without losing later scans', async () => {
    await createQr('qr-1', start);
    await createQr('qr-2', start + 10 * day);
    await store(start, 5);
    await stored.database.writeDirectly(async (transaction) => {
      await transaction.updateTable('qr_counts').set({ scans: 9 }).execute();
    });
    const { wrongCounters } = await diagnoseScans(stored.database);
    expect(wrongCounters).toEqual([
      { id: 'qr-1', counted: 9, actual: 5 },
      { id: 'qr-2', counted: 9, actual: 0 },
    ]);
    await store(start + 5 * hour, 2);
    await repairScanCounters(stored.database, wrongCounters);
    expect((await diagnoseScans(stored.database)).wrongCounters).toEqual([]);
    const counters = await stored.database.read.selectFrom('qr_counts').selectAll().execute();
    expect(counters.map(({ scans }) => scans)).toEqual([7, 0]);
  });
});
