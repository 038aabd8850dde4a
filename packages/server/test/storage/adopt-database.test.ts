import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import SqliteHandle from 'better-sqlite3';
import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { build } from '../../../../scripts/bootstrap.mjs';
import type { Database } from '../../src/storage/database.js';
import { openStorage } from '../../src/storage/open-storage.js';
import { searchTextOf } from '../../src/storage/search-text.js';
import { settingsHashOf } from '../../src/storage/settings-hash.js';
import { emptyDatabase, engine } from '../engine.js';
import { command } from '../operator/server-process.js';
import { describeSchema } from './describe-schema.js';
import { migrationNames } from './migration-names.js';

type Row = Readonly<Record<string, string | number | Uint8Array | null>>;

const now = Date.UTC(2026, 10, 20);
const rowsAtOnce = 2_000;

const urls: readonly Row[] = Array.from({ length: rowsAtOnce + 3 }, (_, index) => ({
  id: index + 1,
  organization_id: 'org',
  domain_id: index === 1 ? 'domain' : null,
  short_code: `Code${index}`,
  custom_slug: index === 0 ? 'Spring-SALE' : null,
  target_url: `https://example.com/${index}`,
  title: [null, 'Ærøskøbing\nΟΔΟΣ', 'STRASSE'][index] ?? null,
  tags: '["launch"]',
  redirect_type: 307,
  expires_at: index === 2 ? now : null,
  custom_utm_params: '{}',
  is_active: 1,
  created_at: now,
  updated_at: now,
}));

/** Rows for every table that the seventh migration left behind, parents first. */
const rowsByTable: Readonly<Record<string, readonly Row[]>> = {
  organizations: [{ id: 'org', name: 'Ærø', plan: 'free', active_urls: 3, created_at: now }],
  plan_changes: [{ organization_id: 'org', changed_at: now, plan_before: 'scale' }],
  usage_meters: [{ organization_id: 'org', month: '2026-11', meter: 'clicks', used: 7 }],
  clients: [
    { id: 'client', organization_id: 'org', secret_hash: 'h', scopes: 'urls:read', created_at: 1 },
  ],
  access_tokens: [
    { token_hash: 't', client_id: 'client', scopes: 'urls:read', created_at: 1, expires_at: 2 },
  ],
  idempotency_keys: [
    { organization_id: 'org', key: 'k', fingerprint: 'f', result: '{}', created_at: now },
  ],
  domains: [
    {
      id: 'domain',
      organization_id: 'org',
      hostname: 'go.example.com',
      is_active: 1,
      created_at: now,
      challenge: 'shorty=1',
      verified_at: now,
    },
  ],
  urls,
  url_keys: urls.map(({ id, short_code }) => ({
    domain_key: '',
    key: short_code as string,
    url_id: id as number,
  })),
  url_clicks: [{ url_id: 1, clicks: 5 }],
  journal_positions: [{ writer_id: 'writer', segment: 1, offset: 40 }],
  visit_batches: [{ id: 4, created_at: now, visit_count: 1, visits: Uint8Array.of(0, 255, 1) }],
  visit_compactions: [{ up_to_batch: 4, next_url: 2 }],
  click_days: [{ url_id: 1, day: now, clicks: 3, summary: '{}', scans: 1 }],
  qr_codes: [
    {
      id: 'qr',
      organization_id: 'org',
      url_id: 1,
      qr_data: 'https://sho.example/Code0',
      format: 'png',
      size: 300,
      error_correction: 'M',
      foreground_color: '#000000',
      background_color: '#FFFFFF',
      style_preset: 'square',
      version: 1,
      created_at: now,
      updated_at: now,
    },
  ],
  qr_pictures: [{ qr_id: 'qr', picture: Uint8Array.of(137, 80, 78, 71) }],
  qr_counts: [{ qr_id: 'qr', scans: 1, downloads: 2 }],
  scan_days: [{ qr_id: 'qr', day: now, scans: 1, summary: '{}' }],
  webhooks: [
    {
      id: 'webhook',
      organization_id: 'org',
      url: 'https://receiver.example/',
      events: '["url.created"]',
      secret: 's',
      previous_secret: 'before',
      previous_secret_expires_at: now + 1,
      is_active: 1,
      created_at: now,
      updated_at: now,
    },
  ],
  events: [
    { id: 'event', organization_id: 'org', type: 'url.created', body: '{}', created_at: now },
  ],
  deliveries: [
    {
      id: 'delivery',
      webhook_id: 'webhook',
      event_id: 'event',
      status: 'pending',
      attempts: 1,
      next_attempt_at: now,
      due_at: now,
      created_at: now,
    },
  ],
  delivery_attempts: [
    { delivery_id: 'delivery', number: 1, attempted_at: now, duration_ms: 12, status_code: 500 },
  ],
};

/** The compaction after the upgrade, which stores the ids of its batches. */
const runningCompaction = {
  shard: 0,
  batch_ids: '[4]',
  next_url: 2,
  next_organization: '',
  next_visit: 0,
};

const names = [
  '0001-initial',
  '0002-visits',
  '0003-qr-codes',
  '0004-webhooks',
  '0005-usage',
  '0006-domains',
  '0007-nodes',
  '0008-webhook-health',
  '0009-search',
];

let databaseUrl: string;

beforeAll(build, 120_000);

beforeEach(async () => {
  const empty = await emptyDatabase({ isMigrated: false });
  onTestFinished(() => empty.remove());
  databaseUrl = empty.databaseUrl;
});

function open(url = databaseUrl): Database {
  const database = openStorage({ databaseUrl: url, durability: 'process' });
  onTestFinished(() => database.close());
  return database;
}

async function execute(statements: string): Promise<void> {
  if (engine() === 'sqlite') {
    const handle = new SqliteHandle(databaseUrl.slice('file:'.length));
    handle.exec(statements);
    handle.close();
    return;
  }
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(statements);
  await client.end();
}

/** Creates the database that the migrations up to `last` created, as commit 46e4e01 did. */
async function createOld(last: string): Promise<Database> {
  const fixture = new URL(`./released/before-0.1.0.${engine()}.sql`, import.meta.url);
  const all = readFileSync(fixture, 'utf8');
  const next = names[names.indexOf(last) + 1];
  await execute(next === undefined ? all : all.slice(0, all.indexOf(`-- ${next}\n`)));
  const applied = names.slice(0, names.indexOf(last) + 1);
  await execute(
    `insert into kysely_migration values ${applied.map((name) => `('${name}', '2026-11-20')`).join()}`,
  );
  const database = open();
  if (engine() === 'postgres') {
    await execute(
      `create table visit_chunks_2026_11 partition of visit_chunks
       for values from (${Date.UTC(2026, 10)}) to (${Date.UTC(2026, 11)})`,
    );
  }
  await insertRows(database, {
    ...rowsByTable,
    visit_chunks: [
      {
        url_id: 1,
        number: 1,
        first_at: now,
        last_at: now,
        visit_count: 1,
        visits: Uint8Array.of(7, 0),
      },
    ],
    ...(last === '0009-search' && {
      // Version 0.1.0 wrote the title, the target, the slug and the code.
      urls: urls.map((url) => ({
        ...url,
        search_text: searchTextOf(url as never)
          .split('\n')
          .slice(0, 4)
          .join('\n'),
      })),
    }),
  });
  return database;
}

async function insertRows(
  { read }: Database,
  tables: Readonly<Record<string, readonly Row[]>>,
): Promise<void> {
  const db = read as unknown as Kysely<Record<string, Row>>;
  for (const [table, rows] of Object.entries(tables)) {
    for (let at = 0; at < rows.length; at += 500) {
      await db
        .insertInto(table)
        .values(rows.slice(at, at + 500))
        .execute();
    }
  }
  await sql`update url_id_counter set last_id = ${urls.length}`.execute(read);
}

/** All rows, by table. */
async function readRows({ read }: Database): Promise<Map<string, readonly Row[]>> {
  const tables = [...Object.keys(rowsByTable), 'visit_chunks', 'url_id_counter'];
  const found = new Map<string, readonly Row[]>();
  for (const table of tables) {
    const order = table === 'url_id_counter' ? sql`1` : sql`1, 2`;
    const { rows } = await sql<Row>`select * from ${sql.table(table)} order by ${order}`.execute(
      read,
    );
    found.set(table, rows);
  }
  return found;
}

async function describeFresh() {
  const { databaseUrl: url, remove } = await emptyDatabase({ isMigrated: false });
  onTestFinished(remove);
  const database = open(url);
  expect(await database.migrate()).toEqual(migrationNames);
  return describeSchema(database);
}

/** The schema without the partitions, which depend on the rows. */
async function describeOld(database: Database) {
  const schema = await describeSchema(database);
  return Object.fromEntries(
    Object.entries(schema).map(([kind, rows]) => [
      kind,
      rows.filter((row) => !JSON.stringify(row).includes('visit_chunks_2026_11')),
    ]),
  );
}

describe.each(names.slice(6))('a database with the migrations up to %s', (last) => {
  it('gets the schema of a new database and retains its rows', async () => {
    const database = await createOld(last);
    const before = await readRows(database);
    expect(await database.findVersionProblem()).toContain(
      `(${migrationNames.length} migrations, ${migrationNames[0]} to ${migrationNames.at(-1)}, not applied)`,
    );
    expect(await database.migrate()).toEqual(migrationNames);
    expect(await database.findVersionProblem()).toBeUndefined();
    expect(await database.migrate()).toEqual([]);

    expect(await describeOld(database)).toEqual(await describeFresh());
    const after = await readRows(database);
    for (const [table, rows] of before) {
      const expected = rows.map((row) =>
        expect.objectContaining(table === 'visit_compactions' ? runningCompaction : row),
      );
      if (table === 'urls') continue;
      expect(after.get(table), table).toEqual(expected);
    }
    expect(after.get('urls')).toEqual(
      before.get('urls')?.map((url) => ({
        ...url,
        search_text: searchTextOf(url as never),
        imported_clicks: 0,
        click_thresholds: null,
        forward_query: null,
        forward_path: null,
        activates_at: null,
        expired_url: null,
        deleted_at: null,
        max_clicks: null,
        external_id: null,
        rules: null,
        preview: null,
        preview_fetch: null,
        preview_due_at: null,
        settings_hash: settingsHashOf(url as never),
      })),
    );
    if (engine() === 'sqlite') {
      const { rows } = await sql`select url_id from url_search_pending`.execute(database.read);
      expect(rows).toHaveLength(urls.length);
    } else {
      // No node has to evict anything.
      const { rows } = await sql`select key from cache_changes where kind = 'urls'`.execute(
        database.read,
      );
      expect(rows).toEqual([]);
    }
  });
});

it('a process that is killed during the upgrade changes nothing, and the next one completes it', async () => {
  const database = await createOld('0007-nodes');
  const before = await describeOld(database);
  const preload = fileURLToPath(new URL('./kill-at-statement.mjs', import.meta.url));
  const killed = await command(
    {
      SHORTY_DATABASE_URL: databaseUrl,
      NODE_OPTIONS: `--import ${preload}`,
      // The last statement of the transaction.
      KILL_AT: 'insert into kysely_migration',
    },
    'migrate',
  );
  expect(killed).toEqual({ code: null, stdout: '', stderr: '' });
  expect(await describeOld(database)).toEqual(before);
  expect(await database.findVersionProblem()).toContain(
    `(${migrationNames.length} migrations, ${migrationNames[0]} to ${migrationNames.at(-1)}, not applied)`,
  );

  expect(await command({ SHORTY_DATABASE_URL: databaseUrl }, 'migrate')).toEqual({
    code: 0,
    stdout: migrationNames.map((name) => `Applied ${name}.\n`).join(''),
    stderr: '',
  });
  expect(await describeOld(database)).toEqual(await describeFresh());
});

it('five processes that start at once upgrade a database once', async () => {
  const database = await createOld('0007-nodes');
  const ends = await Promise.all(
    Array.from({ length: 5 }, () => command({ SHORTY_DATABASE_URL: databaseUrl }, 'migrate')),
  );
  expect(ends.map(({ code, stderr }) => `${code}${stderr}`)).toEqual(Array(5).fill('0'));
  // One process may apply the baseline, and another one the next migration.
  const lines = ends.flatMap(({ stdout }) => stdout.trim().split('\n'));
  const applied = lines.filter((line) => line.startsWith('Applied'));
  expect(applied.sort()).toEqual(migrationNames.map((name) => `Applied ${name}.`));
  expect(await describeOld(database)).toEqual(await describeFresh());
});

it('a database with fewer than seven migrations is refused and does not change', async () => {
  const database = await createOld('0007-nodes');
  await execute("delete from kysely_migration where name = '0007-nodes'");
  const before = await describeOld(database);
  await expect(database.migrate()).rejects.toThrow(
    /lacks the migration 0007-nodes.*start the last development version/,
  );
  expect(await describeOld(database)).toEqual(before);
});
