// Single creates over HTTP, 64 at a time: on SQLite, and on PostgreSQL with an fsync for each commit,
// of 16 organizations and of one.
import { Pool } from 'undici';
import { targetOf } from './lib/bulk-rows.mjs';
import { serveNode, startDefaultPostgres } from './lib/postgres.mjs';
import { serveShorty } from './lib/processes.mjs';
import { median, reportLower } from './lib/ratio.mjs';
import { forTenants, newTenant } from './lib/tenants.mjs';

const inFlight = 64;

export async function benchCreates({ links = 5_000, runs = 5 } = {}) {
  const shorty = await serveShorty(forTenants);
  await measure('single creates on SQLite, links a second', shorty, 16, {
    links,
    runs,
    bound: 4_000,
  });
  await shorty.stop();
}

export async function benchCreatesPostgres({ links = 1_000, runs = 5 } = {}) {
  const postgres = await startDefaultPostgres();
  await postgres.createDatabase('bench');
  const shorty = await serveNode(postgres.urlOf('bench'), forTenants);
  const name = 'single creates on PostgreSQL, links a second';
  await measure(`${name}, 16 organizations`, shorty, 16, { links, runs, bound: 1_000 });
  await measure(`${name}, one organization`, shorty, 1, { links, runs, bound: 300 });
  await shorty.stop();
  await postgres.stop();
}

async function measure(name, shorty, organizations, { links, runs, bound }) {
  const tokens = [];
  for (let at = 0; at < organizations; at += 1) tokens.push((await newTenant(shorty)).token);
  const pool = new Pool(shorty.origin, { connections: inFlight });
  let made = 0;
  const create = async () => {
    made += 1;
    const token = tokens[made % tokens.length];
    const response = await pool.request({
      method: 'POST',
      path: '/api/v1/urls',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ targetUrl: targetOf(made) }),
    });
    const text = await response.body.text();
    if (response.statusCode !== 201) throw new Error(text);
  };
  // Warms up: code is compiled, and statements are prepared.
  await rateOf(links / 4, create);
  const rates = [];
  for (let run = 0; run < runs; run += 1) rates.push(await rateOf(links, create));
  reportLower(name, median(rates), bound, rates.map(Math.round).join(', '));
  await pool.close();
}

/** Calls `create` for each link, 64 at a time. Returns the links a second. */
async function rateOf(links, create) {
  let left = links;
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (left > 0) {
        left -= 1;
        await create();
      }
    }),
  );
  return (links / (performance.now() - startedAt)) * 1000;
}
