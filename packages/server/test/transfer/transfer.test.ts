import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { v7 as newUuid } from 'uuid';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { mergeVisits } from '../../src/analytics/ingest/merge-visits.js';
import { createVisitRepository } from '../../src/analytics/ingest/visit-repository.js';
import type { Visit } from '../../src/analytics/journal/journal-lines.js';
import { ReportReader } from '../../src/analytics/reports/report-reader.js';
import { createServer } from '../../src/create-server.js';
import { createEventOutbox } from '../../src/events/event-outbox.js';
import { exportOrganization } from '../../src/operations/transfer/export-organization.js';
import { importOrganization } from '../../src/operations/transfer/import-organization.js';
import { createOrganizationRepository } from '../../src/organizations/organization-repository.js';
import type { Database } from '../../src/storage/database.js';
import { openStorage } from '../../src/storage/open-storage.js';
import { keyOf } from '../../src/storage/schema.js';
import { unlockSecrets } from '../../src/storage/secrets.js';
import { makeVisit } from '../analytics/visit-store.js';
import { requestToken, startServer, type TestServer } from '../api/start-server.js';
import { tablesOf } from '../storage/tables-of.js';
import {
  fileForTest,
  openRepository,
  type Stored,
  temporaryFile,
} from '../storage/temporary-database.js';

const day = 24 * 60 * 60 * 1000;
const start = Date.UTC(2030, 0, 1);
const always = { since: 0, until: start + 365 * day, groupBy: 'day', limit: 50 } as const;
// Several batches of the export and of the import, which have 200 rows.
const linkCount = 500;

let folder: string;
let api: TestServer;
let file: ReturnType<typeof temporaryFile>;
let exported: string;
let text: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'shorty-transfer-'));
  file = temporaryFile();
  api = await startServer({ databaseUrl: `file:${file.path}` });
  await fill();
  exported = join(folder, 'exported');
  text = await exportText(api.server.database, api.organizationId);
  writeFileSync(exported, text);
}, 120_000);
afterAll(async () => {
  await api.stop();
  file.remove();
  rmSync(folder, { recursive: true });
});

/** Creates an organization with rows in every table, beside another organization. */
async function fill(): Promise<void> {
  const { database } = api.server;
  const other = await api.newcomer('developer');
  await other.call('createUrl', { body: { targetUrl: 'https://other.example/' } });
  const domainId = await addDomain(database, api.organizationId, 'go.example.com');
  const settings = {
    rootUrl: 'https://www.example.com/',
    notFoundUrl: 'https://www.example.com/404',
    expiredUrl: 'https://www.example.com/over',
    ignoreCase: true,
    forwardQuery: true,
    assetLinks: [],
  };
  const changed = await api.call('updateDomain', { params: { id: domainId }, body: settings });
  expect(changed.data).toMatchObject(settings);
  const rich = {
    targetUrl: 'https://example.com/ä?b=1#c',
    customSlug: 'rich',
    title: 'A "quoted" title, \\ and all',
    description: 'Several\nlines, äöü, 😀 and {"end":{',
    tags: ['one', 'two'],
    category: 'a',
    utmSource: 'news',
    customUtmParams: { utm_id: '7' },
    redirectType: 301,
    expiresAt: '2031-01-01T00:00:00.000Z',
    isPasswordProtected: true,
    password: 'sesame',
    forwardQuery: true,
    forwardPath: false,
    rules: [{ name: 'german', when: { country: 'DE' }, targetUrl: 'https://example.com/de' }],
    preview: { title: 'Sale', imageUrl: 'https://example.com/sale.png' },
  };
  const { id } = await api.createLink(rich);
  await api.call('createUrl', {
    body: { targetUrl: 'https://example.com/', domainId, customSlug: 'there' },
  });
  for (let made = 0; made < linkCount; made += 100) {
    const urls = Array.from({ length: 100 }, (_, at) => ({
      targetUrl: `https://example.com/${made + at}`,
      ...(at % 2 === 0 && { customSlug: `slug-${made + at}` }),
    }));
    await api.call('bulkCreateUrls', { body: { urls } });
    api.clock.advance(10);
  }
  await api.call('deleteUrl', { params: { id: Number(id) + 5 } });
  const qr = (await api.call('createQr', { body: { urlId: Number(id) } })).data;
  await api.call('createQr', { body: { data: 'a text', format: 'svg' } });
  await api.call('deleteQr', { params: { id: qr.id } });
  await api.call('createQr', { body: { urlId: Number(id), format: 'webp' } });
  const { data: webhook } = await api.call('createWebhook', {
    body: {
      url: 'https://receiver.example/',
      events: ['url.created'],
      isActive: false,
      filters: { urlIds: [id], tags: ['launch'] },
      headers: { Authorization: 'Bearer 1' },
    },
  });
  await api.call('rotateWebhookSecret', { params: { id: webhook.id } });
  await visit(Number(id));
}

/** Adds an active domain and returns its id. */
async function addDomain(
  database: Database,
  organizationId: string,
  hostname: string,
): Promise<string> {
  const id = newUuid();
  await database.writeDirectly((transaction) =>
    transaction
      .insertInto('domains')
      .values({
        id,
        organization_id: organizationId,
        hostname,
        challenge: 'shorty-verification=1',
        is_active: 1,
        created_at: start,
        verified_at: start,
      })
      .execute(),
  );
  return id;
}

/** Stores visits in merged rows, and in one that is not merged. */
async function visit(urlId: number): Promise<void> {
  const { database } = api.server;
  const visits = createVisitRepository(database, {
    outbox: createEventOutbox(database, { newId: newUuid }),
    thresholds: [],
  });
  let offset = 0;
  const store = async (batch: Visit[], now: number) => {
    const from = { segment: 1, offset };
    offset += batch.length;
    await visits.store('writer', from, { segment: 1, offset }, { visits: batch }, now);
  };
  const at = (count: number, first: number) =>
    Array.from({ length: count }, (_, number) =>
      visitAt(urlId + (number % 3), first + number * 1000, number),
    );
  await store(at(2_000, start - day), start);
  await mergeVisits(database, start + day);
  await store(at(500, start), Date.now() + 10 * 365 * day);
}

function visitAt(urlId: number, visitedAt: number, number: number): Visit {
  const visitor = `0badcafe${number.toString(16).padStart(8, '0')}`;
  const isNear = number % 6 === 0;
  return makeVisit({
    urlId,
    visitedAt,
    isByCode: true,
    variant: number % 7 === 0 ? 'german/2' : null,
    facts: {
      kind: number % 10 === 0 ? 'bot' : 'human',
      country: ['DE', 'FR', 'Unknown'][number % 3] as string,
      visitorKey: visitor,
      addressKey: visitor,
      region: isNear ? 'DE-BE' : null,
      city: isNear ? 'Berlin' : null,
      language: number % 4 === 0 ? 'de' : null,
      campaign: number % 5 === 0 ? { utmSource: 'mail' } : null,
    },
  });
}

async function exportText(database: Database, organizationId: string): Promise<string> {
  const parts: string[] = [];
  await exportOrganization(database, organizationId, async (lines) => {
    for await (const line of lines) parts.push(line);
  });
  return parts.join('');
}

/** Returns the lines with rows in any order. */
const rowsOf = (whole: string) => whole.split('\n').slice(1, -2).sort();

async function emptyServer(): Promise<Stored> {
  const stored = await openRepository();
  onTestFinished(() => stored.close());
  return stored;
}

/** Changes a line of the file and computes a valid last line. */
function forge(change: (line: string) => string): string {
  const lines = text
    .split('\n')
    .slice(0, -2)
    .map(change)
    .filter((line) => line !== '');
  const body = lines.map((line) => `${line}\n`).join('');
  const rows: Record<string, number> = {};
  for (const line of lines.slice(1)) {
    const { table } = JSON.parse(line) as { table: string };
    rows[table] = (rows[table] ?? 0) + 1;
  }
  const end = { rows, sha256: createHash('sha256').update(body).digest('hex') };
  return `${body}${JSON.stringify({ end })}\n`;
}

async function refuses(
  database: Database,
  content: string,
  reason: RegExp | string,
): Promise<void> {
  const path = join(folder, `refused-${newUuid()}`);
  writeFileSync(path, content);
  const before = await tablesOf(database, []);
  await expect(importOrganization(database, path)).rejects.toThrow(reason);
  expect(await tablesOf(database, [])).toEqual(before);
}

describe('an organization that moves to an empty server', () => {
  it('is exported from there as before', async () => {
    const { database } = await emptyServer();
    const report = await importOrganization(database, exported);
    expect(report).toMatchObject({ organizationId: api.organizationId, urlIdShift: 0 });
    expect(report.rows.get('urls')).toBe(linkCount + 2);
    const again = await exportText(database, api.organizationId);
    expect(rowsOf(again)).toEqual(rowsOf(text));
  });

  it('has no marks of the resolver that filters harmful hosts for the other server', async () => {
    const { database } = await emptyServer();
    const path = join(folder, 'marked');
    expect(text).toContain('"target_blocked_at":null');
    const mark = (line: string) =>
      line.replace('"target_blocked_at":null', '"target_blocked_at":1');
    writeFileSync(path, forge(mark));
    await importOrganization(database, path);
    const marks = database.read.selectFrom('urls').where('target_blocked_at', 'is not', null);
    expect(await marks.select('id').execute()).toEqual([]);
  });

  it('works there: links, passwords, QR images and clients', async () => {
    const there = fileForTest();
    const database = openStorage({ databaseUrl: `file:${there.path}`, durability: 'process' });
    await database.migrate();
    await unlockSecrets(database, { databaseUrl: `file:${there.path}` });
    await importOrganization(database, exported, { ignoreCase: true });
    const keys = database.read.selectFrom('url_keys').where('domain_key', '=', '');
    // A running server finds no others in any case.
    expect(await keys.where('folded_key', 'is', null).select('key').execute()).toEqual([]);
    await database.close();
    const settings = { databaseUrl: `file:${there.path}`, clock: api.clock, ignoreCase: true };
    const server = createServer(settings);
    onTestFinished(() => server.stop());
    await server.start();
    // The start created no first organization beside it.
    expect(server.credentials).toBeUndefined();
    const visitOf = (path: string, init: RequestInit = {}) =>
      fetch(server.url + path, { redirect: 'manual', ...init });
    expect((await visitOf('/SLUG-0')).headers.get('location')).toBe('https://example.com/0');
    const form = { method: 'POST', body: new URLSearchParams({ password: 'sesame' }) };
    expect((await visitOf('/rich', form)).status).toBe(303);
    expect((await requestToken(server.url, api.credentials)).status).toBe(200);
    const { items } = (await api.call('listQrs')).data;
    for (const { downloadUrl } of items) {
      const [here, moved] = await Promise.all([
        fetch(api.server.url + downloadUrl),
        visitOf(downloadUrl),
      ]);
      expect(Buffer.from(await moved.arrayBuffer())).toEqual(Buffer.from(await here.arrayBuffer()));
    }
  });
});

describe('an organization that moves to a server with other organizations', () => {
  it('retains everything but the ids of its links, which all increase by the same number', async () => {
    const there = await emptyServer();
    const neighbour = await there.addOrganization('free');
    await there.create(neighbour, [{}, {}, {}], ['AAAAAAA', 'BBBBBBB', 'CCCCCCC']);
    const neighbours = await exportText(there.database, neighbour);
    const { urlIdShift } = await importOrganization(there.database, exported);
    // PostgreSQL's nodes reserve more ids than they use.
    expect(urlIdShift).toBeGreaterThanOrEqual(2);
    expect(await exportText(there.database, neighbour)).toBe(neighbours);
    const reader = new ReportReader(there.database);
    const webhook = await there.database.read
      .selectFrom('webhooks')
      .select(['id', 'filters', 'headers'])
      .executeTakeFirst();
    expect(JSON.parse(webhook?.filters ?? '')).toEqual({
      tags: ['launch'],
      urlIds: [2 + urlIdShift],
    });
    const place = ['webhooks', String(webhook?.id)];
    expect(there.database.keyring.decrypt(String(webhook?.headers), place)).toBe(
      '{"Authorization":"Bearer 1"}',
    );
    const link = await reader.readClicks(api.organizationId, 2 + urlIdShift, always);
    expect(link).toEqual(
      await new ReportReader(api.server.database).readClicks(api.organizationId, 2, always),
    );
    const [created] = await there.create(neighbour, [{}], ['DDDDDDD']);
    // The server has reserved the ids before.
    expect(created).toMatchObject({ id: 4 });
  });

  const isNot = 'must start with http';
  it.each([
    [
      'domains',
      { created_at: 9e15 },
      'created_at is 9000000000000000: it must be at most 8640000000000000',
    ],
    ['webhooks', { headers: '{"Host":"secret"}' }, 'headers.'],
    [
      'urls',
      { target_url: 'javascript:alert(1)' },
      `target_url is "javascript:alert(1)": it ${isNot}`,
    ],
    [
      'urls',
      { password_hash: '$argon2id$v=19$m=4000000,t=9,p=9$AA$AA' },
      'password_hash must be a hash by Argon2id',
    ],
    ['urls', { rules: '[{"when":{},"targetUrl":"file:///etc/passwd"}]' }, 'rules[0].'],
    ['url_keys', { key: '../api' }, 'key is "../api": it '],
    ['qr_codes', { logo_url: 'file:///etc/passwd' }, 'logo_url is "file:///etc/passwd": it '],
  ] as const)('is refused with a wrong value in %s: %j', async (table, change, reason) => {
    let key = '';
    const forged = forge((line) => {
      if (key !== '' || !line.startsWith(`{"table":"${table}"`)) return line;
      const row = { ...JSON.parse(line).row, ...change };
      key = keyOf(table)
        .map((column) => row[column])
        .join(' ');
      return JSON.stringify({ table, row });
    });
    await refuses((await emptyServer()).database, forged, `${table} ${key}: ${reason}`);
  });

  it.each([
    ['slug', /^url_keys\.key: this database already has (slug-442|rich)/, addSlugs],
    ['hostname', 'domains.hostname: this database already has go.example.com', addTheirDomain],
    ['client', /^clients\.id: this database already has shorty_ci_/, addClient],
  ])('is refused with the name of a %s that exists', async (_, reason, add) => {
    const there = await emptyServer();
    await add(there, await there.addOrganization('scale'));
    await refuses(there.database, text, reason);
  });
});

const addSlugs = (there: Stored, id: string) =>
  there.create(id, [{ customSlug: 'slug-442' }, { customSlug: 'rich' }]);

const addTheirDomain = (there: Stored, id: string) =>
  addDomain(there.database, id, 'go.example.com');

const addClient = ({ database }: Stored, organization_id: string) =>
  database.writeDirectly((transaction) => {
    const { clientId: id } = api.credentials;
    const client = { id, organization_id, secret_hash: '', scopes: '', created_at: 0 };
    return transaction.insertInto('clients').values(client).execute();
  });

describe('a file is refused, before anything is written,', () => {
  const cut = (length: number) => text.slice(0, length);
  it.each([
    ['when it is truncated within a line', () => cut(text.length - 10), /truncated in/],
    ['when a byte has been changed', () => text.replace('slug-442', 'slug-443'), /was changed/],
    [
      'when it is of another version',
      () => text.replace('"version":1', '"version":2'),
      /version 2, and this server reads version 1/,
    ],
    [
      'when it has columns that this server does not know',
      () =>
        forge((line) =>
          line.replace('"target_url":', '"target_url) values (1)--":1,"target_url":'),
        ),
      /urls \d+: target_url\) values \(1\)-- is not a known field/,
    ],
    [
      'when it has tables that this server does not know',
      () => text.replace('"table":"clients"', '"table":"kysely_migration"'),
      /line 5: this is not a row of a known table/,
    ],
    [
      "when it has rows of another organization's",
      () =>
        forge((line) => line.replace(/("table":"webhooks".*"organization_id":")[^"]*/, '$1nobody')),
      /rows of webhooks of another organization/,
    ],
    [
      'when it has a plan that this server lacks',
      () => forge((line) => line.replace(/"plan":"\w+"/, '"plan":"gold"')),
      /this server lacks the plan gold of the organization: add it by SHORTY_PLANS/,
    ],
    [
      'when its visits cannot be read',
      () => forge((line) => line.replace(/"base64":"[^"]{40}/, '"base64":"AAAA')),
      /the visits cannot be decoded/,
    ],
  ])('%s', async (_, content, reason) => {
    const { database } = await emptyServer();
    await refuses(database, content(), reason);
  });

  it("when its links are on another organization's domain", async () => {
    const there = await emptyServer();
    const neighbour = await there.addOrganization('scale');
    const id = await addDomain(there.database, neighbour, 'theirs.example');
    const forged = forge((line) =>
      line.startsWith('{"table":"domains"')
        ? ''
        : line.replace(/"(domain_id|domain_key)":"[^"]+"/, `"$1":"${id}"`),
    );
    await refuses(
      there.database,
      forged,
      /rows of url_keys of another organization|rows of urls of another organization/,
    );
  });
});

/** Returns a database whose transactions fail from one on, or do something after each. */
function interrupted(database: Database, afterEach: (writes: number) => unknown): Database {
  let writes = 0;
  return {
    ...database,
    async writeDirectly(work, lock) {
      const result = await database.writeDirectly(work, lock);
      writes += 1;
      await afterEach(writes);
      return result;
    },
  };
}

it('takes turns with the writes of other organizations, and is invisible until it is complete', async () => {
  const there = await emptyServer();
  const neighbour = await there.addOrganization('enterprise');
  const organizations = createOrganizationRepository(there.database);
  const seen = new Set<unknown>();
  let made = 0;
  const observed = interrupted(there.database, async () => {
    made += 1;
    await there.create(neighbour, [{}], [`MADE${String(made).padStart(3, '0')}`]);
    seen.add((await organizations.find(api.organizationId))?.name);
    seen.add((await organizations.list()).length);
  });
  await importOrganization(observed, exported);
  expect(made).toBeGreaterThan(10);
  expect((await organizations.find(api.organizationId))?.suspendedAt).toBeNull();
  expect([...seen]).toEqual([undefined, 1, expect.any(String), 2]);
});

it('a second import of the organization replaces one that still runs, whose failure leaves it', async () => {
  const { database } = await emptyServer();
  let isBegun = () => {};
  let hasFailed = () => {};
  const begun = new Promise<void>((resolve) => {
    isBegun = resolve;
  });
  const failed = new Promise<void>((resolve) => {
    hasFailed = resolve;
  });
  const second = interrupted(database, async (writes) => {
    // It has removed the other one, and is not complete.
    if (writes !== 10) return;
    isBegun();
    await failed;
  });
  let replacing: Promise<unknown> | undefined;
  const first = interrupted(database, async (writes) => {
    if (writes !== 3) return;
    replacing = importOrganization(second, exported);
    await begun;
  });
  await expect(importOrganization(first, exported)).rejects.toThrow('removed this import');
  const organizations = createOrganizationRepository(database);
  expect(await organizations.list()).toEqual([]);
  hasFailed();
  await replacing;
  expect(await organizations.list()).toMatchObject([{ id: api.organizationId }]);
});
