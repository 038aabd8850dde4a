import { writeFileSync } from 'node:fs';
import { register } from 'node:module';
import { setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { scratchFolder, serveShorty } from './processes.mjs';
import { childrenOf, parentOf } from './processor-time.mjs';

/** Starts the PostgreSQL of the tests with its default settings, so that each commit calls fsync. */
export async function startDefaultPostgres() {
  register('./typescript-hooks.mjs', import.meta.url);
  const { startPostgres } = await import('../../packages/server/test/postgres/start-postgres.ts');
  const server = await startPostgres([]);
  return {
    ...server,
    /** The id of its main process; undefined on systems without /proc. */
    pid: parentOf(await findChildProcess(server.urlOf('postgres'))),
  };
}

/**
 * Gives PostgreSQL a niceness relative to the node. Its later processes inherit the niceness, but not that
 * of the autogroup, so call it again after a while.
 */
export async function setNiceness({ pid }, niceness) {
  setPriority(pid, niceness);
  for (const child of childrenOf(pid)) {
    try {
      setPriority(child, niceness);
      // Each child has a session, and so an autogroup. The parent shares that of the benchmark.
      writeFileSync(`/proc/${child}/autogroup`, String(niceness));
    } catch (error) {
      // The child has ended, or the kernel has no autogroups.
      if (!['ESRCH', 'ENOENT'].includes(error.info?.code ?? error.code)) throw error;
    }
    // Other users than root may change ten autogroups a second.
    await sleep(110);
  }
}

/** Starts a node on a PostgreSQL database, with its journal in a separate folder. */
export function serveNode(databaseUrl, environment = {}) {
  return serveShorty({
    SHORTY_DATABASE_URL: databaseUrl,
    SHORTY_JOURNAL_FOLDER: scratchFolder(),
    ...environment,
  });
}

/** Returns the id of one of PostgreSQL's child processes. */
async function findChildProcess(databaseUrl) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query(
    "select pid from pg_stat_activity where backend_type = 'checkpointer'",
  );
  await client.end();
  return rows[0].pid;
}
