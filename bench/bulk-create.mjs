// Bulk create over HTTP, against a bare client that inserts the same rows into the same tables: on SQLite
// within this process, on PostgreSQL by multi-row statements with an fsync for each commit. The rows have
// their search texts, whose trigrams take most of PostgreSQL's time.
import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import pg from 'pg';
import { openStorage } from '../packages/server/dist/storage/open-storage.js';
import { bulkCreate, perRequest, simpleLink } from './lib/links.mjs';
import { serveNode, startDefaultPostgres } from './lib/postgres.mjs';
import { scratchFolder, serveShorty } from './lib/processes.mjs';
import { compare, report } from './lib/ratio.mjs';

const bound = 0.4;

export async function benchBulkCreate({ rows = 40_000 } = {}) {
  const path = join(scratchFolder(), 'bare.db');
  await createTables(`file:${path}`);
  const bare = bareSqlite(path);
  await compareWith(bare, await serveShorty(), rows, 'SQLite');
}

export async function benchBulkCreatePostgres({ rows = 20_000 } = {}) {
  const postgres = await startDefaultPostgres();
  await postgres.createDatabase('ours');
  await postgres.createDatabase('bare');
  await createTables(postgres.urlOf('bare'));
  const bare = await barePostgres(postgres.urlOf('bare'));
  await compareWith(bare, await serveNode(postgres.urlOf('ours')), rows, 'PostgreSQL');
  await postgres.stop();
}

async function compareWith(bare, shorty, rows, engine) {
  const insert = (count) => insertAll(bare, count);
  // Warms up both: code is compiled, and statements are prepared.
  await insert(rows / 4);
  await bulkCreate(shorty, rows / 4);
  const result = await compare({
    ceiling: () => insert(rows),
    ours: () => bulkCreate(shorty, rows),
    runs: 7,
  });
  report(`bulk create over HTTP on ${engine}, 100 a request`, result, bound, 'rows a second');
  await bare.close();
  await shorty.stop();
}

const organizationId = randomUUID();

/** Creates the server's tables and indexes, with an organization. */
async function createTables(databaseUrl) {
  const database = openStorage({ databaseUrl, durability: 'process' });
  await database.migrate();
  const organization = { id: organizationId, name: 'bench', plan: 'enterprise', created_at: 0 };
  await database.writeDirectly((db) =>
    db
      .insertInto('organizations')
      .values({ ...organization, active_urls: 0 })
      .execute(),
  );
  await database.close();
}

let lastId = 0;

/** Returns the rows of so many links, by table. The event of a link is as long as the server's. */
function makeRows(count) {
  const now = Date.now();
  const rows = { urls: [], url_keys: [], events: [] };
  for (let made = 0; made < count; made += 1) {
    lastId += 1;
    const id = lastId;
    const code = randomBytes(6).toString('base64url');
    const { targetUrl } = simpleLink(id);
    const common = { organization_id: organizationId, tags: '', created_at: now };
    rows.urls.push({
      ...common,
      ...{ id, short_code: code, target_url: targetUrl, redirect_type: 307, is_active: 1 },
      ...{
        updated_at: now,
        search_text: `\n${targetUrl}\n\n${code}`,
        settings_hash: Math.floor(Math.random() * 2 ** 53),
      },
    });
    rows.url_keys.push({ domain_key: '', key: code, url_id: id });
    rows.events.push({
      ...common,
      ...{ id: `${now.toString(16)}-${String(id).padStart(24, '0')}`, sequence: id },
      ...{ type: 'url.created', body: JSON.stringify({ data: 'x'.repeat(950) }), url_id: id },
    });
  }
  return rows;
}

/** Inserts the rows of links, 100 links a transaction. Returns the links a second. */
async function insertAll(bare, count) {
  const batches = Array.from({ length: count / perRequest }, () => makeRows(perRequest));
  const startedAt = performance.now();
  for (const batch of batches) await bare.insert(Object.entries(batch));
  return (count / (performance.now() - startedAt)) * 1000;
}

function bareSqlite(path) {
  const db = new Database(path);
  // Those of the server.
  for (const setting of [
    'journal_mode = WAL',
    'synchronous = NORMAL',
    'foreign_keys = ON',
    'wal_autocheckpoint = 8000',
    'cache_size = -65536',
  ]) {
    db.pragma(setting);
  }
  const statements = Object.entries(makeRows(1)).map(([table, [row]]) => {
    const columns = Object.keys(row);
    const values = columns.map((column) => `@${column}`);
    return [table, db.prepare(`insert into ${table} (${columns}) values (${values})`)];
  });
  const byTable = Object.fromEntries(statements);
  return {
    insert: db.transaction((tables) => {
      for (const [table, rows] of tables) for (const row of rows) byTable[table].run(row);
    }),
    close: () => db.close(),
  };
}

async function barePostgres(connectionString) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  return {
    async insert(tables) {
      await client.query('begin');
      for (const [table, rows] of tables) {
        const columns = Object.keys(rows[0]);
        const values = rows.flatMap((row) => columns.map((column) => row[column]));
        const text = `insert into ${table} (${columns}) values ${placeholders(columns.length)}`;
        await client.query({ name: table, text, values });
      }
      await client.query('commit');
    },
    close: () => client.end(),
  };
}

/** Returns the placeholders of a request's rows: `($1,$2),($3,$4)…` for two columns. */
function placeholders(columns) {
  const row = (at) => Array.from({ length: columns }, (_, index) => `$${at * columns + index + 1}`);
  return Array.from({ length: perRequest }, (_, at) => `(${row(at)})`).join();
}
