import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { build } from '../../../../scripts/bootstrap.mjs';
import { exportVisits } from '../../src/operations/visits/export-visits.js';
import { openFileStore } from '../../src/operations/visits/file-store.js';
import type { Format } from '../../src/operations/visits/visit-files.js';
import { emptyDatabase } from '../engine.js';
import { command, type Running, run } from '../operator/server-process.js';
import { type S3Server, startS3Server } from './s3-server.js';
import { day } from './visit-store.js';
import { agents, startVisitedServer, type VisitedServer } from './visited-server.js';
import { openWarehouse } from './warehouse.js';

// Builds the server, whose command the tests run.
beforeAll(build, 120_000);

let api: VisitedServer;
let s3: S3Server;
let stored: Awaited<ReturnType<typeof emptyDatabase>>;
const folder = mkdtempSync(join(tmpdir(), 'shorty-warehouse-'));
const bucket = join(folder, 'bucket');
const links: {
  readonly id: string;
  readonly shortCode: string;
  readonly customSlug: string | null;
}[] = [];

beforeAll(async () => {
  stored = await emptyDatabase();
  s3 = await startS3Server(bucket);
  api = await startVisitedServer({
    databaseUrl: stored.databaseUrl,
    journalFolder: stored.journalFolder,
  });
  links.push(await api.createUrl({ customSlug: 'menu' }));
  for (let at = 1; at < 6; at += 1) links.push(await api.createUrl({ utmSource: `Source-${at}` }));
  for (const { id } of links.slice(0, 3)) await api.call('createQr', { body: { urlId: id } });
});
afterAll(async () => {
  await api.stop();
  await s3.stop();
  await stored.remove();
  rmSync(folder, { recursive: true, force: true });
});

const agentNames = Object.keys(agents) as (keyof typeof agents)[];
let made = 0;

/** Makes different visits. */
async function visit(count: number): Promise<void> {
  for (let end = made + count; made < end; made += 1) {
    const { shortCode, customSlug } = links[made % links.length] as (typeof links)[number];
    await api.visitAs(made % 4 === 0 && customSlug !== null ? customSlug : shortCode, {
      agent: agentNames[made % agentNames.length] as keyof typeof agents,
      address: `192.0.2.${made % 17}`,
      ...(made % 3 === 0 && { referer: 'https://www.google.com/search?q=a' }),
      ...(made % 5 === 0 && { language: 'de-AT,de' }),
    });
  }
}

const args = ['visits', 'export', '--to', 's3://visits/shorty', '--visits-per-file', '8'];
const settings = () => ({ SHORTY_DATABASE_URL: stored.databaseUrl, ...s3.environment });

/** The names of the files that were stored, in this order. */
const puts: string[] = [];
function notePut(name: string, isStored: boolean): boolean {
  if (isStored) puts.push(name);
  return false;
}

/** Exports to the bucket, and kills the process at the PUT of a file. */
async function killAtPut(file: number, whenStored: boolean): Promise<void> {
  let running: Running | undefined;
  let seen = 0;
  s3.onPut = async (name, isStored) => {
    if (isStored) puts.push(name);
    if (isStored !== whenStored) return false;
    seen += 1;
    if (seen < file) return false;
    // Visits arrive during the run.
    await visit(5);
    await api.settle();
    running?.child.kill('SIGKILL');
    return true;
  };
  running = run(settings(), args);
  await running.ended;
  s3.onPut = notePut;
  expect(running.child.signalCode).toBe('SIGKILL');
}

/** Exports in this process, which takes a fraction of the time of the command. */
function exportTo(to: string, format: Format = 'parquet', hasKeys = true) {
  const store = openFileStore(to, s3.environment);
  const { database } = api.server;
  return exportVisits({ database, store, format, hasKeys, visitsPerFile: 8, clock: Date.now });
}

it('exports each visit exactly once, however often it is killed, as the reports of the API count', async () => {
  await visit(60);
  await api.settle();
  await killAtPut(2, true);
  const interrupted = s3.names.at(-1);
  await killAtPut(2, false);
  // The first run is continued, and a second one has the visits that arrived meanwhile.
  const { code, stdout, stderr } = await command(settings(), ...args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(
    /^Exported run 0 to http:\S+\/visits\/shorty: 60 visits in \d+ files\.\nExported run 1 to \S+: 10 visits in \d+ files?\.\n$/,
  );
  // The file that was complete when the process was killed was written again.
  expect(puts.filter((name) => name === interrupted)).toHaveLength(2);
  api.clock.advance(day);
  await visit(30);
  await api.settle();
  expect(await exportTo('s3://visits/shorty')).toMatchObject([{ run: 2, visits: 30 }]);
  expect(await exportTo('s3://visits/shorty')).toMatchObject([{ run: 3, visits: 0, files: 0 }]);

  api.clock.advance(1);
  await expectSameReports(join(bucket, 'shorty/*/*.parquet'));
  await expectGuideLoads(join(bucket, 'shorty'));
  const manifests = readdirSync(join(bucket, 'shorty/runs')).map((name) =>
    JSON.parse(readFileSync(join(bucket, 'shorty/runs', name), 'utf8')),
  );
  expect(manifests.map((each) => each.run)).toEqual([0, 1, 2, 3]);
  const files = manifests.flatMap((each) => each.files.map((name: string) => `shorty/${name}`));
  expect([...s3.names].filter((name) => name.endsWith('.parquet')).sort()).toEqual(files.sort());
  expect(manifests.reduce((sum, each) => sum + each.visits, 0)).toBe(made);
});

it('exports all visits to another destination, also as JSON lines without keys', async () => {
  const to = join(folder, 'files');
  expect(await exportTo(to, 'ndjson', false)).toMatchObject([{ visits: made }]);
  const warehouse = await openWarehouse(`${to}/*/*.ndjson.gz`);
  try {
    const columns = await warehouse.query('select * from visits limit 1');
    expect(Object.keys(columns[0] ?? {})).not.toContain('visitor_key');
    expect(await warehouse.query('select count(*)::int as n from visits')).toEqual([{ n: made }]);
    const [menu] = links;
    const [scan] = await warehouse.query(
      `select * from visits where url_id = ${menu?.id} and scan_method = 'app_scanner' limit 1`,
    );
    expect(scan).toMatchObject({
      organization_id: api.organizationId,
      short_code: menu?.shortCode,
      custom_slug: 'menu',
      by_short_code: true,
      kind: 'human',
      reason: 'in-app-browser',
      country: 'Unknown',
      device_type: 'mobile',
      os: 'iOS',
      utm_source: '(none)',
      method: 'scan',
      scanner_app: 'WeChat',
      certainty: 'proven',
    });
  } finally {
    warehouse.close();
  }
  await expect(exportTo(to)).rejects.toThrow('are ndjson without keys');
});

it('leaves out visits that were erased, and repeats a PUT that failed', async () => {
  const [, link] = links;
  await visit(12);
  await api.settle();
  const caller = await api.freshCaller();
  await caller.call('eraseUrlVisits', { params: { id: link?.id ?? '' } });
  s3.failures.push(503);
  expect(await exportTo('s3://visits/shorty')).toMatchObject([{ visits: 10 }]);
});

it('says what is wrong with a destination', async () => {
  const put = async (changes: Record<string, string>, to = 's3://visits/shorty') =>
    openFileStore(to, { ...s3.environment, ...changes }).put('a=1/b.json', Buffer.from('{}'));
  await put({});
  await put({}, "s3://visits/a b/(c)'!/");
  await expect(put({ AWS_SECRET_ACCESS_KEY: 'wrong' })).rejects.toThrow(
    /PUT http\S+ failed with 403: .*SignatureDoesNotMatch/,
  );
  await expect(put({ AWS_ACCESS_KEY_ID: '' })).rejects.toThrow('AWS_ACCESS_KEY_ID is missing');
  const address = { AWS_ENDPOINT_URL_S3: 'minio:9000' };
  await expect(put(address)).rejects.toThrow('AWS_ENDPOINT_URL_S3 is minio:9000');
  await expect(put({}, 'gs://visits')).rejects.toThrow(
    '--to gs://visits: must be a folder or s3://',
  );
  await expect(put({}, 's3://A')).rejects.toThrow('must name a bucket');
  await expect(put({}, '')).rejects.toThrow('--to is empty');
  const occupied = join(folder, 'occupied');
  mkdirSync(join(occupied, 'a=1/b.json/folder'), { recursive: true });
  await expect(put({}, occupied)).rejects.toThrow(
    /b\.json cannot be written: .*; check the space of the disk .* run the export again/,
  );
  // What was written of the file takes no space any more.
  expect(readdirSync(join(occupied, 'a=1'))).toEqual(['b.json']);
  for (const part of ['.', '..']) {
    await expect(put({}, `s3://visits/${part}/other`)).rejects.toThrow(`the part "${part}"`);
  }
});

/** The columns of the guide's table in ClickHouse that store no null. */
function clickHouseColumnsWithoutNulls(guide: string): string[] {
  const [, table = ''] = /CREATE TABLE visits \(\n(.*?)\n {2}file /s.exec(guide) ?? [];
  return [...table.matchAll(/^ {2}(\w+) (?!.*Nullable)/gm)].map(([, name]) => name as string);
}

/** Runs the statements of the guide for DuckDB, twice, and checks that ClickHouse can store the visits. */
async function expectGuideLoads(files: string): Promise<void> {
  const guide = readFileSync(new URL('../../../../docs/scale.md', import.meta.url), 'utf8');
  const section = guide.split('## Load the files into DuckDB')[1] ?? '';
  const code = section.split('```sql\n')[1]?.split('```')[0] ?? '';
  const load = code.replaceAll('/srv/warehouse/visits', files);
  const warehouse = await openWarehouse(`${files}/*/*.parquet`);
  try {
    await warehouse.query('drop table visits');
    await warehouse.query(load);
    await expect(warehouse.query(load)).rejects.toThrow();
    expect(await warehouse.query('select count(*)::int as visits from visits')).toEqual([
      { visits: made },
    ]);
    const required = clickHouseColumnsWithoutNulls(guide);
    expect(required).toContain('variant');
    const counts = required.map((name) => `count(${name})::int as ${name}`).join();
    const [counted = {}] = await warehouse.query(`select ${counts} from visits`);
    expect(counted).toEqual(Object.fromEntries(required.map((name) => [name, made])));
  } finally {
    warehouse.close();
  }
}

/** Compares what DuckDB counts in files with the reports of the API, for all links and for each. */
async function expectSameReports(files: string): Promise<void> {
  const warehouse = await openWarehouse(files);
  const caller = await api.freshCaller();
  const query = { since: '2030-01-01', limit: 50 };
  try {
    const { data: overview } = await caller.call('getAnalyticsOverview', { query });
    const all = await warehouse.report();
    expect(overview.totals).toMatchObject({ ...all.totals, ...all.scans });
    expectSameCounts(all, overview);
    expect(all.scans.provenScans).toBeGreaterThan(0);
    expect(all.scans.inferredScans).toBeGreaterThan(0);
    for (const { id } of links) {
      const { data } = await caller.call('getUrlClicks', { params: { id }, query });
      const own = await warehouse.report(`url_id = ${id}`);
      expect(data.totals).toEqual(own.totals);
      expectSameCounts(own, data);
    }
    expect(await warehouse.query('select count(*)::int as visits from visits')).toEqual([
      { visits: made },
    ]);
  } finally {
    warehouse.close();
  }
}

interface ApiReport {
  readonly breakdowns: object;
  readonly timeseries: readonly { bucket: string; clicks: number; uniques: number }[];
}

function expectSameCounts(
  counted: Awaited<ReturnType<Awaited<ReturnType<typeof openWarehouse>>['report']>>,
  reported: ApiReport,
): void {
  const breakdowns = reported.breakdowns as Record<string, object[]>;
  for (const [name, rows] of Object.entries(counted.breakdowns)) {
    expect(sorted(rows), name).toEqual(sorted(breakdowns[name] ?? []));
  }
  const days = reported.timeseries
    .filter(({ clicks }) => clicks > 0)
    .map(({ bucket, ...counts }) => ({ day: bucket.slice(0, 10), ...counts }));
  expect(counted.days).toEqual(days);
}

function sorted(rows: readonly object[]): object[] {
  const key = (row: object) => JSON.stringify(Object.entries(row).sort());
  return [...rows].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}
