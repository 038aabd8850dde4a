// Bulk create over HTTP on PostgreSQL, against a bare client that inserts the same rows into the same
// tables with multi-row statements, without COPY and without HTTP. Both commit to the same server,
// which calls fsync for each commit. The rows have their search texts, whose trigrams take most of
// PostgreSQL's time: without them, the bare client would do half of the work.
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { openStorage } from '../packages/server/dist/storage/open-storage.js';
import { bulkCreator, perRequest, randomCode, searchTextOf, targetOf } from './lib/bulk-rows.mjs';
import { serveNode, startDefaultPostgres } from './lib/postgres.mjs';
import { compare, report } from './lib/ratio.mjs';

export async function benchBulkCreatePostgres({ rows = 20_000, runs = 7, bound = 0.4 } = {}) {
  const postgres = await startDefaultPostgres();
  await postgres.createDatabase('ours');
  await postgres.createDatabase('bare');
  const shorty = await serveNode(postgres.urlOf('ours'));
  const bulk = bulkCreator(shorty);
  const bare = await bareInserter(postgres.urlOf('bare'));
  // Warms up both: code is compiled, and statements are prepared.
  await bare.insert(rows / 4);
  await bulk.create(rows / 4);
  const result = await compare({
    ceiling: () => bare.insert(rows),
    ours: () => bulk.create(rows),
    runs,
  });
  report('bulk create over HTTP on PostgreSQL, 100 a request', result, bound, 'rows a second');
  await bare.close();
  await bulk.close();
  await shorty.stop();
  await postgres.stop();
}

/** Creates a database with the server's tables and indexes, and a client that inserts into it. */
async function bareInserter(databaseUrl) {
  const database = openStorage({ databaseUrl, durability: 'process' });
  await database.migrate();
  await database.close();
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const organizationId = randomUUID();
  await client.query(
    'insert into organizations (id, name, plan, active_urls, created_at) values ($1, $2, $3, 0, 0)',
    [organizationId, 'bench', 'enterprise'],
  );
  const insertUrls = {
    name: 'urls',
    text: `insert into urls (id, organization_id, short_code, target_url, tags, redirect_type, custom_utm_params, is_active, created_at, updated_at, search_text)
      values ${placeholders(11)}`,
  };
  const insertKeys = {
    name: 'keys',
    text: `insert into url_keys (domain_key, key, url_id) values ${placeholders(3)}`,
  };
  let id = 0;
  const batch = () => {
    const urls = [];
    const keys = [];
    const now = Date.now();
    for (let at = 0; at < perRequest; at += 1) {
      id += 1;
      const code = randomCode();
      const target = targetOf(id);
      const searchText = searchTextOf(target, code);
      urls.push(id, organizationId, code, target, '', 307, '{}', 1, now, now, searchText);
      keys.push('', code, id);
    }
    return { urls, keys };
  };
  return {
    async insert(rows) {
      const batches = Array.from({ length: rows / perRequest }, batch);
      const startedAt = performance.now();
      for (const { urls, keys } of batches) {
        await client.query('begin');
        await client.query({ ...insertUrls, values: urls });
        await client.query({ ...insertKeys, values: keys });
        await client.query('commit');
      }
      return (rows / (performance.now() - startedAt)) * 1000;
    },
    close: () => client.end(),
  };
}

/** Returns the placeholders of a request's rows: `($1,$2),($3,$4)…` for two columns. */
function placeholders(columns) {
  const row = (at) =>
    Array.from({ length: columns }, (_, column) => `$${at * columns + column + 1}`);
  return Array.from({ length: perRequest }, (_, at) => `(${row(at)})`).join();
}
