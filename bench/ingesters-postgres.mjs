// The rate at which two nodes store and compact visits in one PostgreSQL, against one node.
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import pg from 'pg';
import { openStorage } from '../packages/server/dist/storage/open-storage.js';
import { insertLinks, insertOrganization } from './lib/insert-links.mjs';
import { startDefaultPostgres } from './lib/postgres.mjs';
import { compare, report, reportUpper, reportWithoutVerdict } from './lib/ratio.mjs';

const day = 24 * 60 * 60 * 1000;
const sampleEveryMs = 10;
// Two nodes, and a process of PostgreSQL for each.
const neededCores = 4;

export async function benchIngestersPostgres({
  visits = 131_072,
  organizations = 64,
  linksEach = 250,
  runs = 3,
} = {}) {
  const postgres = await startDefaultPostgres();
  await postgres.createDatabase('bench');
  const databaseUrl = postgres.urlOf('bench');
  const until = Math.floor(Date.now() / day) * day;
  const period = { from: until - day, until };
  const database = openStorage({ databaseUrl, durability: 'process' });
  await database.migrate();
  for (let index = 0; index < organizations; index += 1) {
    const id = `bench-${index}`;
    await insertOrganization(database, id, period.from);
    const links = { firstLink: 1 + index * linksEach, links: linksEach };
    await insertLinks(database, id, { ...links, from: period.from });
  }
  await database.close();
  const links = organizations * linksEach;
  const all = { firstLink: 1, links, ...period };
  const half = { firstLink: 1, links: links / 2, ...period };
  const otherHalf = { ...half, firstLink: 1 + links / 2 };
  const ownOrganizations = [half, otherHalf].map((source, at) => ({ ...source, seed: at + 1 }));
  const sameLinks = [all, all].map((source, at) => ({ ...source, seed: at + 1 }));
  // Creates the partition of the month. Nodes that create one at the same time wait for each other.
  await ingest(databaseUrl, [ownOrganizations], 8_192);
  const kinds = [
    ['two nodes ÷ one, each with visits of its own organizations', ownOrganizations, 0],
    ['two nodes ÷ one, both with visits of the same links', sameLinks, undefined],
  ];
  for (const [name, sources, maxWaits] of kinds) {
    const rounds = { one: [], two: [] };
    const measure = async (which, nodes) => {
      const round = await ingest(databaseUrl, nodes, visits / 2);
      rounds[which].push(round);
      return visits / round.seconds;
    };
    const result = await compare({
      runs,
      ceiling: () => measure('one', [sources]),
      ours: () =>
        measure(
          'two',
          sources.map((source) => [source]),
        ),
    });
    const unit = 'visits a second, stored and compacted';
    if (availableParallelism() >= neededCores) report(name, result, 1.5, unit);
    else reportWithoutVerdict(name, result, 1.5, unit, `it needs ${neededCores} cores`);
    const waits = rounds.two.reduce((sum, round) => sum + round.waits, 0);
    const samples = rounds.two.reduce((sum, round) => sum + round.samples, 0);
    const detail = `samples of pg_stat_activity with a transaction that waits for a lock, of ${samples}`;
    if (maxWaits === undefined) console.log(`        ${waits} ${detail}`);
    else reportUpper('lock waits of two nodes', waits, maxWaits, detail);
  }
  await postgres.stop();
}

let journals = 0;

/** Lets nodes store and compact visits at the same time, `visits` of each source. */
async function ingest(databaseUrl, nodes, visits) {
  const workers = await Promise.all(
    nodes.map(async (sources) => {
      journals += 1;
      const worker = new Worker(new URL('./lib/ingester.mjs', import.meta.url), {
        workerData: { databaseUrl, journal: `bench-${journals}`, sources, visits },
      });
      await once(worker, 'message');
      return worker;
    }),
  );
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const startedAt = performance.now();
  let isRunning = true;
  const done = Promise.all(
    workers.map(async (worker) => {
      worker.postMessage('start');
      await once(worker, 'message');
    }),
  ).finally(() => {
    isRunning = false;
  });
  let samples = 0;
  let waits = 0;
  while (isRunning) {
    const { rows } = await client.query(
      `select wait_event as lock from pg_stat_activity
       where datname = current_database() and backend_type = 'client backend'
         and wait_event_type = 'Lock'`,
    );
    samples += 1;
    // PostgreSQL itself extends a file for one transaction at a time.
    const locks = rows.map(({ lock }) => lock).filter((lock) => lock !== 'extend');
    if (locks.length > 0) waits += 1;
    await Promise.race([done, setTimeout(sampleEveryMs)]);
  }
  await done;
  const seconds = (performance.now() - startedAt) / 1000;
  await client.end();
  return { seconds, samples, waits };
}
