import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { eraseVisits } from '../../src/analytics/ingest/erase-visits.js';
import { markErased } from '../../src/analytics/ingest/erasure-marks.js';
import {
  ingestJournal,
  recoverOrphans,
  storeDeferred,
} from '../../src/analytics/ingest/visit-ingester.js';
import { VisitRepository } from '../../src/analytics/ingest/visit-repository.js';
import { createJournalFolder, segmentPath } from '../../src/analytics/journal/journal-folder.js';
import { toCallLine, toDownloadLine, toLine } from '../../src/analytics/journal/journal-lines.js';
import { diagnoseClicks } from '../../src/analytics/reports/visit-doctor.js';
import { EventOutbox } from '../../src/events/event-outbox.js';
import { ClickLeaseRepository } from '../../src/redirect/click-lease-repository.js';
import { openStorage } from '../../src/storage/open-storage.js';
import { makeVisit, openVisitStore, start, type VisitStore } from '../analytics/visit-store.js';
import { poll } from '../poll.js';

const visitsEach = 30;

let stored: VisitStore;
let nodes: readonly [VisitRepository, VisitRepository];
/** A program that is not Shorty, such as psql. */
let other: pg.Client;
const closing: (() => Promise<void>)[] = [];
beforeAll(async () => {
  stored = await openVisitStore();
  const open = () => {
    const database = openStorage({ databaseUrl: stored.databaseUrl, durability: 'process' });
    closing.push(() => database.close());
    const outbox = new EventOutbox(database, { newId: () => 'event' });
    return new VisitRepository(database, { outbox, thresholds: [] });
  };
  nodes = [open(), open()];
  other = new pg.Client({ connectionString: stored.databaseUrl });
  await other.connect();
});
afterAll(async () => {
  await other.end();
  for (const close of closing) await close();
  await stored.close();
});

interface Tenant {
  readonly organizationId: string;
  readonly urlId: number;
  readonly qrId: string;
}

async function createTenant(): Promise<Tenant> {
  const organizationId = await stored.addOrganization('enterprise');
  const [outcome] = await stored.create(organizationId, [{ customSlug: `slug-${organizationId}` }]);
  const urlId = outcome?.status === 'created' ? outcome.id : 0;
  const qrId = `qr-${organizationId}`;
  await other.query(
    `insert into qr_codes (id, organization_id, url_id, qr_data, format, size, error_correction,
       foreground_color, background_color, style_preset, version, created_at, updated_at)
     values ($1, $2, $3, '', 'png', 512, 'M', '#000000', '#FFFFFF', 'default', 1, $4, $4)`,
    [qrId, organizationId, urlId, start],
  );
  await other.query('insert into qr_counts (qr_id, scans, downloads) values ($1, 0, 0)', [qrId]);
  return { organizationId, urlId, qrId };
}

/** Returns the counters of a tenant: clicks, scans and downloads of its code, and API calls. */
async function countersOf({ organizationId, urlId, qrId }: Tenant): Promise<readonly number[]> {
  const { rows } = await other.query(
    `select (select clicks from url_clicks where url_id = $1)::int as clicks,
       (select scans from qr_counts where qr_id = $2)::int as scans,
       (select downloads from qr_counts where qr_id = $2)::int as downloads,
       (select sum(used) from usage_meters where organization_id = $3)::int as calls`,
    [urlId, qrId, organizationId],
  );
  const [{ clicks, scans, downloads, calls }] = rows;
  return [clicks ?? 0, scans, downloads, calls ?? 0];
}

/** Locks rows until the returned function is called. */
async function lockRows(statement: string, key: string | number): Promise<() => Promise<unknown>> {
  await other.query('begin');
  await other.query(statement, [key]);
  return () => other.query('commit');
}

const quarantine = () => expect.unreachable('every line can be stored');
let journals = 0;

/** Returns a function that adds the lines of tenants to a journal and stores them. */
function openJournal() {
  const path = mkdtempSync(join(tmpdir(), 'shorty-journal-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  journals += 1;
  const writerId = `journal ${journals}`;
  let text = '';
  return (tenants: readonly Tenant[]): Promise<number> => {
    for (let visit = 0; visit < visitsEach; visit += 1) {
      for (const { organizationId, urlId, qrId } of tenants) {
        text += toLine(makeVisit({ urlId, isByCode: true }));
        text += toDownloadLine(qrId) + toCallLine(organizationId, start);
      }
    }
    writeFileSync(segmentPath(path, 1), text);
    const journal = { path, writerId, hasEnded: false, quarantine };
    return ingestJournal(nodes[0], journal, () => start);
  };
}

const all = Array(4).fill(visitsEach);
const twice = all.map((count) => 2 * count);
const deferred = async () => (await other.query('select lines from deferred_visits')).rows;

describe.each([
  ['counter', 'update url_clicks set clicks = clicks where url_id = $1', 'urlId'],
  ['code', 'update qr_counts set scans = scans where qr_id = $1', 'qrId'],
  ['organization', 'select from organizations where id = $1 for update', 'organizationId'],
  ['meter', 'select from usage_meters where organization_id = $1 for update', 'organizationId'],
] as const)('while another program has locked the row of a %s', (name, statement, key) => {
  it('visits of other tenants are stored and compacted, and the others exactly once afterwards', async () => {
    const [blocked, free] = [await createTenant(), await createTenant()];
    const ingest = openJournal();
    // An organization is only locked for its first meter.
    const before = name === 'organization' ? all.map(() => 0) : all;
    if (name !== 'organization') await ingest([blocked]);
    await other.query('begin');
    await other.query(statement, [blocked[key]]);
    const lines = 2 * 3 * visitsEach;
    expect(await ingest([free, blocked])).toBe(lines);
    expect(await ingest([free, blocked])).toBe(lines);
    await stored.compact();
    await storeDeferred(nodes[0], () => start);
    expect(await countersOf(free)).toEqual(twice);
    expect(await countersOf(blocked)).toEqual(before);
    const { rows } = await other.query('select visit_count from visit_chunks where url_id = $1', [
      free.urlId,
    ]);
    expect(rows).toEqual([{ visit_count: 2 * visitsEach }]);
    expect(await deferred()).toHaveLength(2);
    await other.query('commit');
    // A node skips rows that the other one examines, until its next call.
    await poll(
      'the deferred visits are stored',
      async () => {
        await Promise.all(nodes.map((node) => storeDeferred(node, () => start)));
        return deferred();
      },
      (rows) => rows.length === 0,
    );
    expect(await countersOf(blocked)).toEqual(
      twice.map((count, at) => count + (before[at] as number)),
    );
    expect(await diagnoseClicks(stored.database)).toMatchObject({ wrongCounters: [], damaged: [] });
  });
});

it('visits of other tenants are stored while those of one reach a threshold of a locked webhook', async () => {
  const [blocked, free] = [await createTenant(), await createTenant()];
  await other.query(`update urls set click_thresholds = '[1]' where id = $1`, [blocked.urlId]);
  await other.query(
    `insert into webhooks (id, organization_id, url, events, secret, is_active, created_at, updated_at)
     values ('locked', $1, 'https://example.com/', '["url.click_threshold"]', '', 1, $2, $2)`,
    [blocked.organizationId, start],
  );
  const ingest = openJournal();
  const unlock = await lockRows('select from webhooks where id = $1 for update', 'locked');
  await ingest([free, blocked]);
  expect(await countersOf(free)).toEqual(all);
  await unlock();
  await storeDeferred(nodes[1], () => start);
  expect(await countersOf(blocked)).toEqual(all);
  const { rows } = await other.query(`select status from deliveries where webhook_id = 'locked'`);
  expect(rows).toHaveLength(1);
});

it('deferred visits before an erasure are not stored', async () => {
  const [blocked, free] = [await createTenant(), await createTenant()];
  const ingest = openJournal();
  await ingest([blocked]);
  await other.query('begin');
  await other.query('update url_clicks set clicks = clicks where url_id = $1', [blocked.urlId]);
  await ingest([free, blocked]);
  await other.query('commit');
  const { database } = stored;
  await database.writeDirectly((transaction) => markErased(transaction, blocked.urlId, start));
  expect(await eraseVisits(database)).toEqual([]);
  await storeDeferred(nodes[1], () => start);
  expect(await countersOf(blocked)).toEqual([0, 0, ...twice.slice(2)]);
  expect(await deferred()).toEqual([]);
});

it('a process that has ended retains its leases while visits of its journal are deferred', async () => {
  const organizationId = await stored.addOrganization('enterprise');
  const [outcome] = await stored.create(organizationId, [{ maxClicks: 10 }]);
  const urlId = outcome?.status === 'created' ? outcome.id : 0;
  const root = mkdtempSync(join(tmpdir(), 'shorty-journals-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const { path, writerId, release } = createJournalFolder(root, 'ended');
  const leases = new ClickLeaseRepository(stored.database, writerId, () => start);
  const change = { urlId, organizationId, changeId: 'change', returned: 0, wanted: 5 };
  expect(await leases.change(change)).toMatchObject({ granted: 5 });
  writeFileSync(segmentPath(path, 1), toLine(makeVisit({ urlId, isLeased: true })).repeat(2));
  release();
  const clicks = async () => {
    const { rows } = await other.query(
      `select coalesce((select clicks from url_clicks where url_id = $1), 0)::int as stored,
         coalesce((select sum(clicks) from click_leases where url_id = $1), 0)::int as leased`,
      [urlId],
    );
    return rows[0];
  };
  const recover = () => recoverOrphans(nodes[0], root, () => start, quarantine);
  const unlock = await lockRows('select from click_leases where url_id = $1 for update', urlId);
  expect(await recover()).toBe(2);
  expect(await recover()).toBe(0);
  expect(await clicks()).toEqual({ stored: 0, leased: 5 });
  await unlock();
  await storeDeferred(nodes[1], () => start);
  expect(await clicks()).toEqual({ stored: 2, leased: 3 });
  expect(existsSync(path)).toBe(true);
  expect(await recover()).toBe(0);
  expect(await clicks()).toEqual({ stored: 2, leased: 0 });
  expect(existsSync(path)).toBe(false);
});
