// The rate at which one node stores and merges visits in PostgreSQL.
import pg from 'pg';
import { openStorage } from '../packages/server/dist/storage/open-storage.js';
import { insertLinks, insertOrganization } from './lib/insert-links.mjs';
import { startDefaultPostgres } from './lib/postgres.mjs';
import { microsecondsEach, processorTime } from './lib/processor-time.mjs';
import { storeVisitsIn } from './lib/store-visits.mjs';
import { makeVisits } from './lib/visit-maker.mjs';

const day = 24 * 60 * 60 * 1000;

export async function benchVisitsPostgres({
  visits = 1_000_000,
  links = 100_000,
  organizations = 64,
} = {}) {
  const postgres = await startDefaultPostgres();
  await postgres.createDatabase('bench');
  const databaseUrl = postgres.urlOf('bench');
  const database = openStorage({ databaseUrl, durability: 'process' });
  await database.migrate();
  const until = Math.floor(Date.now() / day) * day;
  const linksEach = Math.ceil(links / organizations);
  for (let index = 0; index < organizations; index += 1) {
    const id = `bench-${index}`;
    await insertOrganization(database, id, until);
    const own = { firstLink: 1 + index * linksEach, links: linksEach };
    await insertLinks(database, id, { ...own, from: until });
  }
  const sample = [...makeVisits({ count: visits, links, from: until - 9 * day, until })];

  const node = { nodes: [process], postgres };
  const logBefore = await logBytes(databaseUrl);
  const before = processorTime(node);
  const { storing, merging } = await storeVisitsIn(database, sample);
  const used = microsecondsEach(before, processorTime(node), visits);
  const logged = (await logBytes(databaseUrl)) - logBefore;
  await database.close();
  const aSecond = (microseconds) => Math.round(1e6 / microseconds).toLocaleString('en');
  console.log(
    `        ${visits.toLocaleString('en')} visits of ${links.toLocaleString('en')} links in PostgreSQL: storing takes ${storing.toFixed(1)} µs each (${aSecond(storing)} a second), merging ${merging.toFixed(1)} µs (${aSecond(merging)} a second)`,
  );
  if (!Number.isNaN(used.postgres)) {
    console.log(
      `        processor time a visit: ${(used.mainThreads + used.otherThreads).toFixed(1)} µs of the node and ${used.postgres.toFixed(1)} of PostgreSQL`,
    );
  }
  const bytes = await sizeOf(databaseUrl);
  console.log(
    `        ${(bytes / visits).toFixed(1)} bytes a visit, including counters and indexes; ${(logged / visits).toFixed(0)} bytes of write-ahead log`,
  );
  await postgres.stop();
}

/** Returns the position in the write-ahead log, in bytes. */
async function logBytes(databaseUrl) {
  const [{ bytes }] = await queryRows(databaseUrl, "select pg_current_wal_lsn() - '0/0' as bytes");
  return Number(bytes);
}

const tables = "relkind = 'r' and (relname = 'visits' or relname = 'url_clicks')";

/** Returns the size of the tables of visits after a full vacuum. */
async function sizeOf(databaseUrl) {
  for (const { relname } of await queryRows(
    databaseUrl,
    `select relname from pg_class where ${tables}`,
  )) {
    await queryRows(databaseUrl, `vacuum full ${relname}`);
  }
  const [{ bytes }] = await queryRows(
    databaseUrl,
    `select sum(pg_total_relation_size(oid)) as bytes from pg_class where ${tables}`,
  );
  return Number(bytes);
}

async function queryRows(databaseUrl, statement) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query(statement);
  await client.end();
  return rows;
}
