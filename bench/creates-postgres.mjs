// Single creates over HTTP on PostgreSQL, against a bare pool of connections that inserts the same rows
// into the same tables, one link a transaction, without HTTP; then those of many organizations against
// those of one. All commit to the same server, which calls fsync for each commit.
import { randomBytes, randomUUID } from 'node:crypto';
import pg from 'pg';
import { Pool } from 'undici';
import { openStorage } from '../packages/server/dist/storage/open-storage.js';
import { randomCode, searchTextOf, targetOf } from './lib/bulk-rows.mjs';
import { serveNode, startDefaultPostgres } from './lib/postgres.mjs';
import { compare, report } from './lib/ratio.mjs';

const inFlight = 64;
const operatorKey = randomBytes(32).toString('hex');

export async function benchCreatesPostgres({ links = 4_000, runs = 11 } = {}) {
  const postgres = await startDefaultPostgres();
  await postgres.createDatabase('ours');
  await postgres.createDatabase('bare');
  const shorty = await serveNode(postgres.urlOf('ours'), {
    SHORTY_OPERATOR_KEY: operatorKey,
    SHORTY_TOKEN_RATE_LIMIT: '0',
  });
  const tokens = await Promise.all(Array.from({ length: inFlight }, () => newTenant(shorty)));
  const ofOne = creator(shorty, tokens.slice(0, 1));
  const ofMany = creator(shorty, tokens);
  const bare = await bareInserter(postgres.urlOf('bare'));
  for (const { create } of [bare, ofOne, ofMany]) await create(links / 2);
  const name = 'single creates over HTTP on PostgreSQL, 64 at a time';
  const toBare = await compare({
    ceiling: () => bare.create(links),
    ours: () => ofMany.create(links),
    runs,
  });
  report(`${name}, of 64 organizations`, toBare, 0.5, 'links a second');
  const toOne = await compare({
    ceiling: () => ofOne.create(links),
    ours: () => ofMany.create(links),
    runs,
  });
  report(`${name}, of 64 organizations against one`, toOne, 0.9, 'links a second');
  for (const { close } of [bare, ofOne, ofMany]) await close();
  await shorty.stop();
  await postgres.stop();
}

/** Creates an organization and returns an access token. */
async function newTenant({ origin }) {
  const post = async (path, headers, body) => {
    const response = await fetch(origin + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    const { data } = await response.json();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${JSON.stringify(data)}`);
    return data;
  };
  const { clientId, clientSecret } = await post(
    '/api/v1/admin/organizations',
    { authorization: `Bearer ${operatorKey}` },
    { name: 'bench', plan: 'enterprise' },
  );
  const { accessToken } = await post('/api/v1/auth/token', {}, { clientId, clientSecret });
  return accessToken;
}

/** Creates links over HTTP, 64 requests at a time, with these tokens in turn. */
function creator({ origin }, tokens) {
  const pool = new Pool(origin, { connections: inFlight });
  let made = 0;
  const create = async () => {
    made += 1;
    const response = await pool.request({
      method: 'POST',
      path: '/api/v1/urls',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${tokens[made % tokens.length]}`,
      },
      body: JSON.stringify({ targetUrl: targetOf(made) }),
    });
    const text = await response.body.text();
    if (response.statusCode !== 201) throw new Error(text);
  };
  return { create: (links) => rateOf(links, create), close: () => pool.close() };
}

/** Creates a database with the server's tables and indexes, and a pool that inserts into it. */
async function bareInserter(databaseUrl) {
  const database = openStorage({ databaseUrl, durability: 'process' });
  await database.migrate();
  await database.close();
  // As many connections as the server has by default.
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 });
  const organizationId = randomUUID();
  await pool.query(
    'insert into organizations (id, name, plan, active_urls, created_at) values ($1, $2, $3, 0, 0)',
    [organizationId, 'bench', 'enterprise'],
  );
  const insertUrl = {
    name: 'url',
    text: `insert into urls (id, organization_id, short_code, target_url, tags, redirect_type, custom_utm_params, is_active, created_at, updated_at, search_text)
      values ($1, $2, $3, $4, '', 307, '{}', 1, $5, $5, $6)`,
  };
  const insertKey = {
    name: 'key',
    text: `insert into url_keys (domain_key, key, url_id) values ('', $1, $2)`,
  };
  let id = 0;
  const create = async () => {
    id += 1;
    const own = id;
    const code = randomCode();
    const target = targetOf(own);
    const client = await pool.connect();
    await client.query('begin');
    await client.query({
      ...insertUrl,
      values: [own, organizationId, code, target, Date.now(), searchTextOf(target, code)],
    });
    await client.query({ ...insertKey, values: [code, own] });
    await client.query('commit');
    client.release();
  };
  return { create: (links) => rateOf(links, create), close: () => pool.end() };
}

/** Calls `create` for each link, 64 at a time. Returns the links a second. */
async function rateOf(links, create) {
  let left = links;
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      for (; left > 0; ) {
        left -= 1;
        await create();
      }
    }),
  );
  return (links / (performance.now() - startedAt)) * 1000;
}
