import { register } from 'node:module';
import pg from 'pg';
import { scratchFolder, serveShorty } from './processes.mjs';
import { parentOf } from './processor-time.mjs';

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
