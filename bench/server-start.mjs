// The time from the start of a server until it listens: with a million links and ten million visits,
// against a database without rows. On SQLite and on PostgreSQL.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { openStorage } from '../packages/server/dist/storage/open-storage.js';
import { nodeArguments, processEnvironment } from '../scripts/server-process.mjs';
import { createLinks } from './lib/create-links.mjs';
import { serveNode, startDefaultPostgres } from './lib/postgres.mjs';
import { killAtExit, root, scratchFolder, serveShorty } from './lib/processes.mjs';
import { compare, reportAtMost } from './lib/ratio.mjs';
import { storeVisitsIn } from './lib/store-visits.mjs';
import { makeVisits } from './lib/visit-maker.mjs';

const day = 24 * 60 * 60 * 1000;
const links = Number(process.env.LINKS ?? 1_000_000);
const visits = Number(process.env.VISITS ?? 10_000_000);

export async function benchServerStart() {
  const newUrl = () => `file:${join(scratchFolder(), 'shorty.db')}`;
  const serve = (SHORTY_DATABASE_URL) => serveShorty({ SHORTY_DATABASE_URL });
  await measure('SQLite', serve, newUrl(), newUrl());
}

export async function benchServerStartPostgres() {
  const postgres = await startDefaultPostgres();
  for (const name of ['empty', 'many']) await postgres.createDatabase(name);
  await measure('PostgreSQL', serveNode, postgres.urlOf('empty'), postgres.urlOf('many'));
  await postgres.stop();
}

async function measure(engine, serve, empty, many) {
  await (await serve(empty)).stop();
  const server = await serve(many);
  await createLinks(server, links);
  await server.stop();
  const database = openStorage({ databaseUrl: many, durability: 'process' });
  const until = Math.floor(Date.now() / day) * day;
  const from = until - 90 * day;
  await storeVisitsIn(database, makeVisits({ count: visits, links, from, until }));
  await database.close();
  await compareStarts(engine, empty, many);
}

/** Compares the starts of two databases, of which `ours` has rows. */
async function compareStarts(engine, empty, many, runs = 11) {
  // The first start of each fills the file cache.
  await startMs(empty);
  await startMs(many);
  reportAtMost(
    `start with ${links.toLocaleString('en')} links and ${visits.toLocaleString('en')} visits ÷ without rows, ${engine}`,
    await compare({ ceiling: () => startMs(empty), ours: () => startMs(many), runs }),
    1.5,
    'ms',
  );
}

async function startMs(databaseUrl) {
  const startedAt = performance.now();
  const command = join(root, 'packages/server/bin/shorty-server.js');
  const server = spawn(process.execPath, [...nodeArguments, command], {
    env: {
      ...processEnvironment,
      PATH: process.env.PATH,
      PORT: '0',
      SHORTY_DATABASE_URL: databaseUrl,
      SHORTY_JOURNAL_FOLDER: join(scratchFolder(), 'visits'),
      SHORTY_SECRET_KEY: 'bench-key-bench-key-bench-key-bench-key',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  killAtExit(server);
  const ended = once(server, 'exit');
  const [output] = await Promise.race([once(server.stdout, 'data'), ended]);
  const elapsed = performance.now() - startedAt;
  if (!String(output).includes('Shorty is listening')) throw new Error('the server did not start');
  server.kill('SIGTERM');
  await ended;
  return elapsed;
}
