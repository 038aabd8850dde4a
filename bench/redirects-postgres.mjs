// Redirects with their visits stored, on PostgreSQL against the same server on SQLite; then two nodes
// against one. Also prints the processor time of a redirect and its visit.
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { diagnoseClicks } from '../packages/server/dist/analytics/reports/visit-doctor.js';
import { openStorage } from '../packages/server/dist/storage/open-storage.js';
import { createLinks } from './lib/create-links.mjs';
import { serveNode, startDefaultPostgres } from './lib/postgres.mjs';
import { serveShorty } from './lib/processes.mjs';
import { microsecondsEach, processorTime } from './lib/processor-time.mjs';
import { compare, median, report, reportUpper, reportWithoutVerdict } from './lib/ratio.mjs';
import { load, pathsScript, requireWrk } from './lib/wrk.mjs';

const links = 10_000;
// Two nodes need more than two cores, and PostgreSQL and two wrk processes need the rest.
const coresForTwoNodes = 6;

export async function benchRedirectsPostgres({
  connections = 64,
  seconds = 3,
  runs = 11,
  bound = 0.5,
  nodesBound = 1.5,
} = {}) {
  requireWrk();
  const slugs = Array.from({ length: links }, (_, index) => `bench-${index}`);
  const postgres = await startDefaultPostgres();
  await postgres.createDatabase('bench');
  const databaseUrl = postgres.urlOf('bench');
  const onFile = await serveShorty();
  const first = await serveNode(databaseUrl);
  const second = await serveNode(databaseUrl);
  for (const server of [onFile, first]) await createLinks(server, links, (index) => slugs[index]);
  const script = pathsScript(slugs.map((slug) => `/${slug}`));

  let requested = 0;
  /** Loads nodes concurrently, and waits until their visits are stored. */
  const measure = async (nodes, storage, { p99s, costs, duration = seconds } = {}) => {
    const before = processorTime({ nodes, postgres: storage });
    const results = await Promise.all(
      nodes.map(({ origin }) => load(origin, script, { connections, seconds: duration })),
    );
    await Promise.all(nodes.map(visitsStored));
    const requests = total(results.map((result) => result.requests));
    if (storage) requested += requests;
    p99s?.push(Math.max(...results.map((result) => result.p99Ms)));
    costs?.push(microsecondsEach(before, processorTime({ nodes, postgres: storage }), requests));
    return total(results.map((result) => result.perSecond));
  };

  // Warms up all servers: code is compiled, and caches are filled.
  for (let time = 0; time < 2; time += 1) {
    for (const server of [onFile, first, second]) {
      await measure([server], server === onFile ? undefined : postgres, { duration: 4 });
    }
  }

  const [fileP99, ourP99, fileCosts, ourCosts, twoCosts] = [[], [], [], [], []];
  const result = await compare({
    ceiling: () => measure([onFile], undefined, { p99s: fileP99, costs: fileCosts }),
    ours: () => measure([first], postgres, { p99s: ourP99, costs: ourCosts }),
    runs,
  });
  report(
    `redirects on PostgreSQL ÷ on SQLite, ${connections} connections`,
    result,
    bound,
    'a second',
  );
  reportUpper(
    `p99 on PostgreSQL ÷ on SQLite, ${connections} connections`,
    median(ourP99) / median(fileP99),
    4,
    `${median(ourP99).toFixed(1)} ms against ${median(fileP99).toFixed(1)} ms`,
  );

  const nodes = await compare({
    ceiling: () => measure([first], postgres),
    ours: () => measure([first, second], postgres, { costs: twoCosts }),
    runs,
  });
  const name = `two nodes on one PostgreSQL ÷ one node, ${connections} connections each`;
  const cores = availableParallelism();
  if (cores >= coresForTwoNodes) {
    report(`${name}, ${cores} cores`, nodes, nodesBound, 'a second');
  } else {
    reportWithoutVerdict(
      name,
      nodes,
      nodesBound,
      'a second',
      `wrk, nodes and PostgreSQL need ${coresForTwoNodes} cores; this machine has ${cores}`,
    );
  }
  printCosts('on SQLite', fileCosts);
  printCosts('on PostgreSQL', ourCosts);
  printCosts('of two nodes on PostgreSQL', twoCosts);

  const stored = await countStored(databaseUrl);
  // wrk does not count the responses that arrive after its end.
  if (stored < requested) {
    throw new Error(`${stored} visits are stored, but wrk received ${requested} responses`);
  }
  console.log(
    `        ${stored.toLocaleString('en')} visits are stored in PostgreSQL; wrk received ${requested.toLocaleString('en')} responses`,
  );
  for (const server of [onFile, first, second]) await server.stop();
  await postgres.stop();
}

const storeWithinMs = 120_000;

/** Resolves when a node has moved its journal into storage. Throws after `storeWithinMs`. */
async function visitsStored({ origin }) {
  const startedAt = performance.now();
  for (;;) {
    const text = await (await fetch(`${origin}/metrics`)).text();
    const waiting = Number(/^shorty_journal_waiting (\d+)$/m.exec(text)?.[1] ?? Number.NaN);
    if (waiting === 0) return;
    if (!(performance.now() - startedAt < storeWithinMs)) {
      throw new Error(`${waiting} visits are still in the journal after ${storeWithinMs} ms`);
    }
    await sleep(50);
  }
}

/** Prints the median processor time of a redirect, which includes storing its visit. */
function printCosts(where, costs) {
  const of = (part) => median(costs.map((cost) => cost[part]));
  const [main, other, database] = [of('mainThreads'), of('otherThreads'), of('postgres')];
  if (Number.isNaN(main)) return;
  console.log(
    `        a redirect ${where}: ${main.toFixed(1)} µs of the main thread, ${other.toFixed(1)} of other threads${database > 0 ? `, ${database.toFixed(1)} of PostgreSQL` : ''}`,
  );
}

/** Counts the stored visits one by one. Throws if a counter disagrees. */
async function countStored(databaseUrl) {
  const database = openStorage({ databaseUrl, durability: 'process' });
  const { visits, wrongCounters } = await diagnoseClicks(database);
  await database.close();
  if (wrongCounters.length > 0) throw new Error(`${wrongCounters.length} counters are wrong`);
  return visits;
}

function total(values) {
  return values.reduce((sum, value) => sum + value, 0);
}
