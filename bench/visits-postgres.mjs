// What one PostgreSQL takes in, however many nodes it has: visits are stored by one node at a time and
// sorted by one at a time, so that what a visit takes there limits all of them together.
import pg from 'pg';
import { openStorage } from '../packages/server/dist/storage/open-storage.js';
import { startPostgresAsShipped } from './lib/postgres.mjs';
import { microsecondsEach, processorTime } from './lib/processor-time.mjs';
import { storeVisitsIn } from './lib/store-visits.mjs';
import { makeVisits } from './lib/visit-maker.mjs';

const day = 24 * 60 * 60 * 1000;

export async function benchVisitsPostgres({ visits = 1_000_000, links = 100_000 } = {}) {
  const postgres = await startPostgresAsShipped();
  await postgres.createDatabase('bench');
  const databaseUrl = postgres.urlOf('bench');
  const database = openStorage({ databaseUrl, durability: 'process' });
  await database.migrate();
  const until = Math.floor(Date.now() / day) * day;
  const made = [...makeVisits({ count: visits, links, from: until - 9 * day, until })];

  const node = { nodes: [process], postgres };
  const logBefore = await logBytes(databaseUrl);
  const before = processorTime(node);
  const { storing, sorting } = await storeVisitsIn(database, made);
  const used = microsecondsEach(before, processorTime(node), visits);
  const logged = (await logBytes(databaseUrl)) - logBefore;
  await database.close();
  const aSecond = (microseconds) => Math.round(1e6 / microseconds).toLocaleString('en');
  console.log(
    `        ${visits.toLocaleString('en')} visits of ${links.toLocaleString('en')} links in PostgreSQL: storing takes ${storing.toFixed(1)} µs each (${aSecond(storing)} a second), sorting ${sorting.toFixed(1)} µs (${aSecond(sorting)} a second)`,
  );
  if (!Number.isNaN(used.postgres)) {
    console.log(
      `        of the processor ${(used.mainThreads + used.otherThreads).toFixed(1)} µs each by the node and ${used.postgres.toFixed(1)} by PostgreSQL`,
    );
  }
  const bytes = await sizeOf(databaseUrl);
  console.log(
    `        ${(bytes / visits).toFixed(1)} bytes each, counters and indexes included; ${(logged / visits).toFixed(0)} bytes of write-ahead log each`,
  );
  await postgres.stop();
}

/** How long the write-ahead log has become: what a replica has to be sent. */
async function logBytes(databaseUrl) {
  const [{ bytes }] = await ask(databaseUrl, "select pg_current_wal_lsn() - '0/0' as bytes");
  return Number(bytes);
}

const tables = "relkind = 'r' and (relname like 'visit_%' or relname = 'url_clicks')";

/** What visits take up once what was replaced has been vacuumed away for good. */
async function sizeOf(databaseUrl) {
  for (const { relname } of await ask(
    databaseUrl,
    `select relname from pg_class where ${tables}`,
  )) {
    await ask(databaseUrl, `vacuum full ${relname}`);
  }
  const [{ bytes }] = await ask(
    databaseUrl,
    `select sum(pg_total_relation_size(oid)) as bytes from pg_class where ${tables}`,
  );
  return Number(bytes);
}

async function ask(databaseUrl, statement) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query(statement);
  await client.end();
  return rows;
}
