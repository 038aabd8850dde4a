// Single creates over HTTP, 64 at a time: on SQLite, and on PostgreSQL with an fsync for each commit,
// of 16 organizations and of one.
import { forTenants, newTenant, postAll, simpleLink } from './lib/links.mjs';
import { serveNode, startDefaultPostgres } from './lib/postgres.mjs';
import { serveShorty } from './lib/processes.mjs';
import { median, reportLower } from './lib/ratio.mjs';

const inFlight = 64;
const runs = 5;

export async function benchCreates() {
  const shorty = await serveShorty(forTenants);
  await measure('single creates on SQLite, links a second', shorty, 16, 5_000, 4_000);
  await shorty.stop();
}

export async function benchCreatesPostgres() {
  const postgres = await startDefaultPostgres();
  await postgres.createDatabase('bench');
  const shorty = await serveNode(postgres.urlOf('bench'), forTenants);
  const name = 'single creates on PostgreSQL, links a second';
  await measure(`${name}, 16 organizations`, shorty, 16, 1_000, 1_000);
  await measure(`${name}, one organization`, shorty, 1, 1_000, 300);
  await shorty.stop();
  await postgres.stop();
}

async function measure(name, shorty, organizations, links, bound) {
  const tokens = [];
  for (let at = 0; at < organizations; at += 1) tokens.push((await newTenant(shorty)).token);
  const create = (count) => {
    const posts = Array.from({ length: count }, (_, index) => ({
      token: tokens[index % tokens.length],
      body: JSON.stringify(simpleLink(index)),
    }));
    const isRight = ({ statusCode }) => statusCode === 201;
    return postAll(shorty, '/api/v1/urls', posts, inFlight, isRight);
  };
  // Warms up: code is compiled, and statements are prepared.
  await create(links / 4);
  const rates = [];
  for (let run = 0; run < runs; run += 1) rates.push(await create(links));
  reportLower(name, median(rates), bound, rates.map(Math.round).join(', '));
}
