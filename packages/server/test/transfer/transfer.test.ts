import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { v7 as newUuid } from 'uuid';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { decodeColumns, encodeColumns } from '../../src/analytics/ingest/columns-codec.js';
import { maxVisits } from '../../src/analytics/ingest/visit-columns.js';
import { VisitCompactor } from '../../src/analytics/ingest/visit-compactor.js';
import { pruneVisits } from '../../src/analytics/ingest/visit-pruner.js';
import { VisitRepository } from '../../src/analytics/ingest/visit-repository.js';
import type { Visit } from '../../src/analytics/journal/journal-lines.js';
import { ReportReader } from '../../src/analytics/reports/report-reader.js';
import { createServer } from '../../src/create-server.js';
import { EventOutbox } from '../../src/events/event-outbox.js';
import { columnChecks } from '../../src/operations/transfer/column-checks.js';
import { exportOrganization } from '../../src/operations/transfer/export-organization.js';
import { importOrganization } from '../../src/operations/transfer/import-organization.js';
import { transferTables } from '../../src/operations/transfer/transfer-tables.js';
import type { Database } from '../../src/storage/database.js';
import { openStorage } from '../../src/storage/open-storage.js';
import { keyOf } from '../../src/storage/schema.js';
import { unlockSecrets } from '../../src/storage/secrets.js';
import { startServer, type TestServer } from '../api/start-server.js';
import { engine } from '../engine.js';
import { openRepository, type Stored, temporaryFile } from '../storage/temporary-database.js';

const day = 24 * 60 * 60 * 1000;
const start = Date.UTC(2030, 0, 1);
const always = { since: 0, until: start + 365 * day, groupBy: 'day', limit: 50 } as const;
// Several batches of the export and of the import, which have 200 rows.
const linkCount = 1_000;

/** The tables that are not exported, and why. */
const excludedTables: Readonly<Record<string, string>> = {
  access_tokens: 'tokens expire within an hour; clients request new ones with their secrets',
  idempotency_keys: 'keys expire within a day and belong to requests to one server',
  events: 'events exist for their deliveries',
  deliveries: 'the exporting server makes the pending deliveries',
  delivery_attempts: 'attempts belong to deliveries',
  attempt_counts: 'the attempts are those of the exporting server',
  webhook_replays: 'replays create deliveries of the exporting server',
  takedowns: 'each operator decides about the links of a server',
  host_rules: 'each operator decides about the links of a server',
  audit_log: 'entries tell what happened on a server',
  attempts: 'they count for some minutes only',
  secret_key: 'each server has its own key; an export contains secrets in plain text',
  visitor_keys: 'each server has its own keys',
  url_id_counter: 'all organizations share the counter',
  link_policy: 'each installation counts its own changes',
  visit_batches: 'visits are exported as chunks',
  visit_compactions: 'visits are exported as chunks',
  organization_chunks: 'a copy of the chunks of links, which overviews do not need',
  click_feed: 'all organizations share it',
  click_queues: 'the exporting server delivers the clicks that wait',
  queued_clicks: 'the exporting server delivers the clicks that wait',
  click_leases: 'the processes of the exporting server have them',
  journal_positions: 'a journal belongs to a server',
};

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
  const other = await api.signIn(await api.createOrganization('developer'));
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
    clickThresholds: [50, 500],
    forwardQuery: true,
    forwardPath: false,
    rules: [{ name: 'german', when: { country: 'DE' }, targetUrl: 'https://example.com/de' }],
    preview: { title: 'Sale', imageUrl: 'https://example.com/sale.png' },
  };
  const { id } = (await api.call('createUrl', { body: rich })).data;
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
  for (const _ of [1, 2]) await api.call('rotateWebhookSecret', { params: { id: webhook.id } });
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

/** Stores visits in daily summaries, in chunks, and in a batch that is not compacted. */
async function visit(urlId: number): Promise<void> {
  const { database } = api.server;
  const visits = new VisitRepository(database, {
    outbox: new EventOutbox(database, { newId: newUuid }),
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
  await store(at(3_000, start - 40 * day), start);
  await new VisitCompactor({ database, clock: () => start + day }).compact();
  await pruneVisits({ database, clock: () => start, retentionDays: 30 });
  await store(at(7_000, start - day), start);
  await new VisitCompactor({ database, clock: () => start + day }).compact();
  await store(at(500, start), Date.now() + 10 * 365 * day);
}

function visitAt(urlId: number, visitedAt: number, number: number): Visit {
  return {
    urlId,
    visitedAt,
    isByCode: true,
    facts: {
      kind: number % 10 === 0 ? 'bot' : 'human',
      reason: 'browser',
      country: ['DE', 'FR', 'Unknown'][number % 3] as string,
      deviceType: 'mobile',
      browser: 'Firefox',
      os: 'Android',
      referrerDomain: '(direct)',
      referrerType: 'direct',
      visitorKey: `0badcafe${number.toString(16).padStart(8, '0')}`,
      addressKey: `0badcafe${number.toString(16).padStart(8, '0')}`,
      scannerApp: null,
      evidence: 0,
      region: number % 6 === 0 ? 'DE-BE' : null,
      city: number % 6 === 0 ? 'Berlin' : null,
      language: number % 4 === 0 ? 'de' : null,
      campaign: number % 5 === 0 ? { utmSource: 'mail' } : null,
    },
    variant: number % 7 === 0 ? 'german/2' : null,
  };
}

async function exportText(database: Database, organizationId: string): Promise<string> {
  const parts: string[] = [];
  await exportOrganization(database, organizationId, async (lines) => {
    for await (const line of lines) parts.push(line);
  });
  return parts.join('');
}

async function emptyServer(): Promise<Stored> {
  const stored = await openRepository();
  onTestFinished(() => stored.close());
  return stored;
}

/** Reads all tables except those of the engine. */
async function contentOf(database: Database): Promise<string> {
  const names = [...transferTables, ...Object.keys(excludedTables)];
  const tables = [];
  for (const name of names) {
    tables.push([
      name,
      await database.read
        .selectFrom(name as 'urls')
        .selectAll()
        .execute(),
    ]);
  }
  return JSON.stringify(tables);
}

/** Changes a line of the file and computes a valid last line. */
function forge(change: (line: string) => string): string {
  return forgeText(text, change);
}

function forgeText(whole: string, change = (line: string) => line): string {
  const lines = whole
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

/** Replaces the visits of a chunk with `count` equal ones. Returns any other line unchanged. */
function withManyVisits(line: string, count: number): string {
  if (!line.startsWith('{"table":"visit_chunks"')) return line;
  const columns = decodeColumns(Buffer.from(/"base64":"([^"]+)"/.exec(line)?.[1] ?? '', 'base64'));
  const widen = <A extends Float64Array | Int32Array>(array: A): A =>
    new (array.constructor as new (length: number) => A)((array.length / columns.count) * count);
  const visits = encodeColumns(
    {
      ...columns,
      count,
      visitedAt: widen(columns.visitedAt),
      visitors: widen(columns.visitors),
      addresses: widen(columns.addresses),
      flags: new Uint8Array(count),
    },
    { isOfOneUrl: true },
  );
  return line
    .replace(/"base64":"[^"]+"/, `"base64":"${visits.toString('base64')}"`)
    .replace(/"visit_count":\d+/, `"visit_count":${count}`);
}

async function refuses(database: Database, content: string, reason: RegExp): Promise<void> {
  const path = join(folder, `refused-${newUuid()}`);
  writeFileSync(path, content);
  const before = await contentOf(database);
  await expect(importOrganization(database, path)).rejects.toThrow(reason);
  expect(await contentOf(database)).toBe(before);
}

describe('an organization that moves to an empty server', () => {
  it('is exported from there byte for byte as before', async () => {
    const { database } = await emptyServer();
    const report = await importOrganization(database, exported);
    expect(report).toMatchObject({ organizationId: api.organizationId, urlIdShift: 0 });
    expect(report.rows.get('urls')).toBe(linkCount + 2);
    expect(await exportText(database, api.organizationId)).toBe(text);
  });

  it('is refused if one of its links would lead back to itself, with the name of the link', async () => {
    const { database } = await emptyServer();
    const path = join(folder, 'loop');
    const own = text.replaceAll('https://example.com/2"', 'https://new.example/slug-0"');
    const looping = forgeText(
      own.replaceAll('https://example.com/0"', 'https://new.example/slug-2"'),
    );
    writeFileSync(path, looping);
    await expect(importOrganization(database, path, ['new.example:443'])).rejects.toThrow(
      'the link slug-0 would lead back to itself: its targetUrl is https://new.example/slug-2',
    );
    await importOrganization(database, path, ['other.example']);
  });

  it('has the same reports there, from the same visits', async () => {
    const { database } = await emptyServer();
    await importOrganization(database, exported);
    const reports = async (from: Database) => {
      const reader = new ReportReader(from);
      return {
        overview: await reader.readOverview(api.organizationId, always, start),
        link: await reader.readClicks(2, always),
      };
    };
    const there = await reports(database);
    expect(there).toEqual(await reports(api.server.database));
    expect(there.overview.totals.totalClicks).toBe(10_500 * 0.9);
  });

  it('works there: links, passwords, QR images and clients', async () => {
    const there = temporaryFile();
    onTestFinished(() => there.remove());
    const database = openStorage({ databaseUrl: `file:${there.path}`, durability: 'process' });
    await database.migrate();
    await unlockSecrets(database, { databaseUrl: `file:${there.path}` });
    await importOrganization(database, exported);
    await database.close();
    const settings = { databaseUrl: `file:${there.path}`, clock: api.clock };
    const server = createServer(settings);
    onTestFinished(() => server.stop());
    await server.start();
    // The start created no first organization beside it.
    expect(server.credentials).toBeUndefined();
    const visitOf = (path: string, init: RequestInit = {}) =>
      fetch(server.url + path, { redirect: 'manual', ...init });
    expect((await visitOf('/slug-0')).headers.get('location')).toBe('https://example.com/0');
    const form = { method: 'POST', body: new URLSearchParams({ password: 'sesame' }) };
    expect((await visitOf('/rich', form)).status).toBe(303);
    const token = await fetch(`${server.url}/api/v1/auth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(api.credentials),
    });
    expect(token.status).toBe(200);
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
    const link = await reader.readClicks(2 + urlIdShift, always);
    expect(link).toEqual(await new ReportReader(api.server.database).readClicks(2, always));
    const [created] = await there.create(neighbour, [{}], ['DDDDDDD']);
    // A node of PostgreSQL has reserved the ids before.
    const id = engine() === 'postgres' ? 4 : linkCount + 3 + urlIdShift + 1;
    expect(created).toMatchObject({ status: 'created', id });
  });

  it('has the settings of its domain, which visitors there get', async () => {
    const there = await emptyServer();
    await importOrganization(there.database, exported);
    const domain = await there.database.read
      .selectFrom('domains')
      .selectAll()
      .where('hostname', '=', 'go.example.com')
      .executeTakeFirst();
    expect(domain).toMatchObject({
      root_url: 'https://www.example.com/',
      not_found_url: 'https://www.example.com/404',
      expired_url: 'https://www.example.com/over',
      ignore_case: 1,
      forward_query: 1,
      forward_path: 0,
      asset_links: '[]',
      apple_app_site_association: null,
    });
  });

  const wrongValues = [
    [
      'domains',
      { root_url: 'javascript:alert(1)' },
      'root_url: is "javascript:alert(1)": it must start with http',
    ],
    ['domains', { expired_url: '/over' }, 'expired_url: is "/over": it must start with http'],
    [
      'domains',
      { hostname: 'GO.example.com' },
      'hostname: is "GO.example.com": it must have the form that the server stores: "go.example.com"',
    ],
    ['domains', { ignore_case: 2 }, 'ignore_case: is 2: it must be 0 or 1'],
    ['domains', { asset_links: '[' }, 'asset_links: is "[": it must be JSON'],
    ['domains', { asset_links: '{}' }, 'asset_links: is a JSON object: it must be a list'],
    ['domains', { asset_links: '[{}]' }, 'asset_links: [0]'],
    [
      'domains',
      { created_at: 9e15 },
      'created_at: is 9000000000000000: it must be at most 8640000000000000',
    ],
    ['organizations', { plan: 'gold' }, 'plan: is "gold": it must be one of "free"'],
    [
      'organizations',
      { exclude_addresses: '10.0.0.1/8' },
      'exclude_addresses: is "10.0.0.1/8": it must have the form',
    ],
    ['clients', { scopes: 'urls:read all' }, 'scopes[1]: is "all": it must be one of'],
    ['usage_meters', { month: '2030-13' }, 'month: is "2030-13": it must be a month'],
    ['webhooks', { events: '["url.created","x"]' }, 'events[1]: is "x": it must be one of'],
    ['webhooks', { url: 'ftp://receiver.example/' }, 'url: is "ftp://receiver.example/": it must'],
    [
      'webhooks',
      { filters: '{"urlIds":[-1]}' },
      'filters.urlIds[0]: is -1: it must be a positive integer',
    ],
    ['webhooks', { headers: '{"Host":"secret"}' }, 'headers.Host: is set by the server'],
    [
      'urls',
      { target_url: 'javascript:alert(1)' },
      'target_url: is "javascript:alert(1)": it must start with http',
    ],
    ['urls', { target_url: 7 }, 'target_url: is 7: it must be a string'],
    ['urls', { target_url: null }, 'target_url: is null: it must not be null'],
    ['urls', { redirect_type: 200 }, 'redirect_type: is 200: it must be 301, 302, 307 or 308'],
    ['urls', { expires_at: -1 }, 'expires_at: is -1: it must be at least 0'],
    ['urls', { expires_at: 1.5 }, 'expires_at: is 1.5: it must be a whole number'],
    ['urls', { custom_slug: '../api' }, 'custom_slug: is "../api": it must consist of letters'],
    [
      'urls',
      { tags: '\na\u0000b\n' },
      'tags[0]: is "a\\u0000b": it must not contain control characters',
    ],
    ['urls', { custom_utm_params: '{"a":1}' }, 'custom_utm_params.a: is 1: it must be a string'],
    [
      'urls',
      { click_thresholds: '[5,1]' },
      'click_thresholds: is "[5,1]": it must have the form that the server stores: [1,5]',
    ],
    ['urls', { max_clicks: 0 }, 'max_clicks: is 0: it must be at least 1'],
    [
      'urls',
      { password_hash: '$argon2id$v=19$m=4000000,t=9,p=9$AA$AA' },
      'password_hash: must be a hash by Argon2id',
    ],
    ['urls', { rules: 'null' }, 'rules: is "null": it must not be the JSON null'],
    [
      'urls',
      { rules: '[{"when":{"country":["XX"]},"targetUrl":"https://a.example"}]' },
      'rules[0].when.country[0]: is "XX": it must be a country code',
    ],
    ['urls', { rules: '[{"when":{"country":"de"},"targetUrl":"https://a.example"}]' }, 'rules'],
    [
      'urls',
      { rules: '[{"when":{},"targetUrl":"file:///etc/passwd"}]' },
      'rules[0].targetUrl: is "file:///etc/passwd": it must start with http',
    ],
    [
      'urls',
      { rules: '[{"when":{},"variants":[{"targetUrl":"https://a.example","weight":-1}]}]' },
      'rules[0].variants[0].weight: is -1: it must be a whole number from 0',
    ],
    ['urls', { preview: '{"title":7}' }, 'preview.title: is 7: it must be a string'],
    [
      'urls',
      { preview: '{"title":"a","imageUrl":"file:///etc/passwd"}' },
      'preview.imageUrl: is "file:///etc/passwd": it must start with http',
    ],
    [
      'click_days',
      { summary: '[{"version":2}]' },
      'summary[0].version: is 2: it must be at most 1',
    ],
    ['click_days', { summary: '[{}]' }, 'summary[0].totals'],
    ['qr_codes', { format: 'gif' }, 'format: is "gif": it must be one of "png"'],
    [
      'qr_codes',
      { foreground_color: 'red"/>' },
      'foreground_color: is "red\\"/>": it must be # and six',
    ],
    ['qr_codes', { size: 9_000 }, 'size: is 9000: it must be a whole number from 200 to 2048'],
  ] as const;
  it('is refused with a wrong value in any table, by the rules of requests', async () => {
    const { database } = await emptyServer();
    const before = await contentOf(database);
    const path = join(folder, 'wrong-value');
    const found: string[] = [];
    const expected: string[] = [];
    for (const [table, change, reason] of wrongValues) {
      let key = '';
      const start = `{"table":"${table}"`;
      const forged = forge((line) => {
        if (key !== '' || !line.startsWith(start)) return line;
        const { row } = JSON.parse(line);
        const changed = { ...row, ...change };
        key = keyOf(table)
          .map((column) => changed[column])
          .join(' ');
        return JSON.stringify({ table, row: changed });
      });
      writeFileSync(path, forged);
      const outcome = await importOrganization(database, path).catch(
        (error: Error) => error.message,
      );
      const message = `${table} ${key}: ${reason}`;
      expected.push(message);
      found.push(
        String(outcome)
          .replace(/^line \d+: /, '')
          .slice(0, message.length),
      );
    }
    expect(found).toEqual(expected);
    expect(await contentOf(database)).toBe(before);
  });

  it('has no value that only concerns the exporting server', async () => {
    const there = await emptyServer();
    const forged = forge((line) =>
      line
        .replace('"table":"urls","row":{', '"table":"urls","row":{"search_text":"forged",')
        .replace('"table":"webhooks","row":{', '"table":"webhooks","row":{"leased_by":"forged",'),
    );
    const path = join(folder, 'forged-columns');
    writeFileSync(path, forged);
    await importOrganization(there.database, path);
    expect(await contentOf(there.database)).not.toContain('forged');
  });

  it('is refused with the names of slugs that are taken, and nothing is written', async () => {
    const there = await emptyServer();
    const neighbour = await there.addOrganization('free');
    await there.create(neighbour, [{ customSlug: 'slug-842' }, { customSlug: 'rich' }]);
    await refuses(
      there.database,
      text,
      /already have these slugs and short codes: .*(slug-842|rich)/,
    );
  });

  it('is refused when its domain is taken', async () => {
    const there = await emptyServer();
    const neighbour = await there.addOrganization('scale');
    await addDomain(there.database, neighbour, 'go.example.com');
    await refuses(there.database, text, /already have these domains: go\.example\.com/);
  });

  it('is refused if it exists there', async () => {
    const there = await emptyServer();
    await importOrganization(there.database, exported);
    await refuses(there.database, text, /already exists in this database/);
  });
});

describe('a file is refused, before anything is written,', () => {
  const cut = (length: number) => text.slice(0, length);
  it.each([
    ['when it is empty', () => '', /the file is empty/],
    ['when it is truncated within a line', () => cut(text.length - 10), /truncated in line/],
    [
      'when whole lines are missing at its end',
      () => cut(text.lastIndexOf('\n', text.length - 2) + 1),
      /its last line is missing/,
    ],
    ['when a byte has been changed', () => text.replace('slug-842', 'slug-843'), /was changed/],
    [
      'when a line has been taken out',
      () => text.replace(/\n\{"table":"url_clicks".*/, ''),
      /was changed/,
    ],
    ['when something was added', () => `${text}{}\n`, /a line after the end/],
    [
      'when it is something else',
      () => 'id,target\n1,https://example.com\n',
      /not an export of an organization/,
    ],
    [
      'when it is of another version',
      () => text.replace('"version":1', '"version":2'),
      /version 2, and this server reads version 1/,
    ],
    [
      'when it has columns that this server does not know',
      () => forge((line) => line.replace('"target_url":', '"target_url) values (1)--":')),
      /no column urls\.target_url\) values/,
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
      /foreign key|rows of webhooks that belong/i,
    ],
    [
      'when its visits cannot be read',
      () => forge((line) => line.replace(/"base64":"[^"]{40}/, '"base64":"AAAA')),
      /the visits cannot be decoded/,
    ],
    [
      'when it has another number of visits than it says',
      () => forge((line) => line.replace(/"visit_count":\d+/, '"visit_count":7777')),
      /the visits cannot be decoded/,
    ],
    [
      'when a chunk has more visits than the columns of a compaction',
      () => forge((line) => withManyVisits(line, maxVisits + 1)),
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
    await refuses(there.database, forged, /links on a domain of another organization/);
  });
});

it('every table is exported, or excluded for a reason', async () => {
  const { database } = await emptyServer();
  const tables = (await database.read.introspection.getTables()).map(({ name }) => name);
  const known = [...transferTables, ...Object.keys(excludedTables)];
  // The tables of the engine, of the migrations, and of several nodes.
  const ofEngines = /^(sqlite_|cache_changes$|installation_keys$|visit_chunks_\d)/;
  const own = tables.filter((name) => !ofEngines.test(name));
  expect([...known].sort()).toEqual([...own].sort());
});

it('every column of an exported table is checked, or declared plain', async () => {
  const { database } = await emptyServer();
  const tables = await database.read.introspection.getTables();
  for (const table of transferTables) {
    const columns = tables.find(({ name }) => name === table)?.columns.map(({ name }) => name);
    expect([table, Object.keys(columnChecks[table]).sort()]).toEqual([table, columns?.sort()]);
  }
});
