import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ChunkRepository } from '../../src/analytics/ingest/chunk-repository.js';
import { VisitCompactor } from '../../src/analytics/ingest/visit-compactor.js';
import { VisitPruner } from '../../src/analytics/ingest/visit-pruner.js';
import { VisitRepository } from '../../src/analytics/ingest/visit-repository.js';
import type { Visit } from '../../src/analytics/journal/visit.js';
import { ClickReader } from '../../src/analytics/reports/click-reader.js';
import { diagnoseScans, mendScanCounters } from '../../src/analytics/reports/scan-doctor.js';
import { EventOutbox } from '../../src/events/event-outbox.js';
import type { QrCode } from '../../src/qr/qr-code.js';
import { QrRepository } from '../../src/qr/qr-repository.js';
import { openRepository, type Stored } from '../storage/temporary-database.js';

const start = Date.UTC(2030, 0, 1);
const hour = 60 * 60 * 1000;
const day = 24 * hour;
const month = { since: start, until: start + 30 * day, groupBy: 'day', limit: 10 } as const;

let stored: Stored;
let organizationId: string;
let urlId: number;
let chunks: ChunkRepository;
let visits: VisitRepository;
let reader: ClickReader;
let offset: number;
beforeEach(async () => {
  offset = 0;
  stored = await openRepository();
  organizationId = await stored.addOrganization('enterprise');
  const [created] = await stored.create(organizationId, [{ customSlug: 'with-slug' }]);
  if (created?.status !== 'created') throw new Error('no link');
  urlId = created.id;
  const outbox = new EventOutbox(stored.database, { newId: () => 'event' });
  chunks = new ChunkRepository(stored.database);
  visits = new VisitRepository(stored.database, { outbox, thresholds: [] });
  reader = new ClickReader(stored.database);
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
    logoUrl: null,
    stylePreset: 'default',
    version: 1,
    downloadCount: 0,
    scanCount: 0,
    createdAt,
    updatedAt: createdAt,
  };
  const outbox = new EventOutbox(stored.database, { newId: () => 'event' });
  const qrs = new QrRepository(stored.database, { outbox });
  await qrs.create({ qr, logo: null, image: new Uint8Array([1]) }, undefined);
}

/** Stores visits by the code, one an hour, each of somebody else. */
async function store(from: number, count: number, { isSorted = true } = {}): Promise<void> {
  const batch = Array.from(
    { length: count },
    (_, index): Visit => ({
      urlId,
      visitedAt: from + index * hour,
      isByCode: true,
      facts: {
        kind: 'human',
        reason: 'browser',
        country: 'DE',
        deviceType: 'mobile',
        browser: 'Firefox',
        os: 'Android',
        referrerDomain: '(direct)',
        referrerType: 'direct',
        visitorKey: (index + 1).toString(16).padStart(16, '0'),
        addressKey: '00000000000000bb',
        scannerApp: null,
        evidence: 16,
      },
    }),
  );
  const position = { segment: 1, offset };
  offset += count;
  await visits.store('writer', position, { segment: 1, offset }, batch, from);
  const clock = () => from + (isSorted ? 365 * day : 0);
  await new VisitCompactor({ chunks, clock }).runOnce();
}

const url = () => ({ urlId, hasSlug: true });
const span = (qrId: string, from: number) => ({ qrId, from, until: null });
const prune = (now: number) =>
  new VisitPruner({ chunks, clock: () => now, retentionDays: 1 }).runOnce();
const totalScans = async () =>
  (await reader.readOrganization(organizationId, month, start)).totalScans;

describe('scans whose visits were pruned', () => {
  it('stay in totals, breakdowns and series of each code, and in the overview', async () => {
    await createQr('qr-1', start);
    await createQr('qr-2', start + 12 * hour);
    await store(start, 72);
    const before = await reader.readScans(url(), span('qr-1', start), month);
    expect(before.totals.totalScans).toBe(72);
    expect(await prune(start + 3 * day)).toBe(1);
    const after = await reader.readScans(url(), span('qr-1', start), month);
    expect(after.breakdowns).toEqual(before.breakdowns);
    expect(after.timeseries).toEqual(before.timeseries);
    expect(after.totals).toEqual({ totalScans: 72, uniqueScans: 72, uniqueIps: 3 });
    const second = await reader.readScans(url(), span('qr-2', start + 12 * hour), month);
    expect(second.totals.totalScans).toBe(60);
    expect(await totalScans()).toBe(72);
    const { faults, scans } = await diagnoseScans(stored.database);
    expect({ faults, scans }).toEqual({ faults: [], scans: 132 });
  });

  it('are added to when visits of a day come late', async () => {
    await createQr('qr-1', start);
    await store(start, 5);
    await prune(start + 9 * day);
    await store(start, 3);
    await prune(start + 9 * day);
    const report = await reader.readScans(url(), span('qr-1', start), month);
    expect(report.totals.totalScans).toBe(8);
    expect(await totalScans()).toBe(8);
    expect((await diagnoseScans(stored.database)).faults).toEqual([]);
  });
});

describe('reports', () => {
  it('find each scan once, sorted or not', async () => {
    await createQr('qr-1', start);
    await store(start, 40);
    await store(start + 40 * hour, 30, { isSorted: false });
    const report = await reader.readScans(url(), span('qr-1', start), month);
    expect(report.totals.totalScans).toBe(70);
    expect(await totalScans()).toBe(70);
    expect((await diagnoseScans(stored.database)).faults).toEqual([]);
  });
});

describe('the doctor', () => {
  it('finds scan counters that are wrong, and mends them without losing what comes meanwhile', async () => {
    await createQr('qr-1', start);
    await createQr('qr-2', start + 10 * day);
    await store(start, 5);
    await stored.database.write(async (transaction) => {
      await transaction.updateTable('qr_counts').set({ scans: 9 }).execute();
    });
    const { faults } = await diagnoseScans(stored.database);
    expect(faults).toEqual([
      { qrId: 'qr-1', counted: 9, scans: 5 },
      { qrId: 'qr-2', counted: 9, scans: 0 },
    ]);
    await store(start + 5 * hour, 2);
    await mendScanCounters(stored.database, faults);
    expect((await diagnoseScans(stored.database)).faults).toEqual([]);
    const counters = await stored.database.read.selectFrom('qr_counts').selectAll().execute();
    expect(counters.map(({ scans }) => scans)).toEqual([7, 0]);
  });
});
