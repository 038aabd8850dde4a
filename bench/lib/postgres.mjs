import { register } from 'node:module';
import pg from 'pg';
import { scratchFolder, serveShorty } from './processes.mjs';
import { parentOf } from './processor-time.mjs';

/** The tests' own PostgreSQL, but as it ships: a commit is answered when the disk has it. */
export async function startPostgresAsShipped() {
  register('./typescript-hooks.mjs', import.meta.url);
  const { startPostgres } = await import('../../packages/server/test/postgres/start-postgres.ts');
  const server = await startPostgres([]);
  return {
    ...server,
    /** Of the process that all its others belong to; undefined where there is no /proc. */
    pid: parentOf(await findProcess(server.urlOf('postgres'))),
  };
}

/** A node: the server on a PostgreSQL, with visits waiting in a folder of its own. */
export function serveNode(databaseUrl) {
  return serveShorty({
    SHORTY_DATABASE_URL: databaseUrl,
    SHORTY_JOURNAL_FOLDER: scratchFolder(),
  });
}

/** One of a server's processes. */
async function findProcess(databaseUrl) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query(
    "select pid from pg_stat_activity where backend_type = 'checkpointer'",
  );
  await client.end();
  return rows[0].pid;
}
